// The schema: which version, which shape, the tree, and the field one looks at.
import { useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useClassifications, useSchema } from "@/api/catalog";
import type { Classification, DatasetDetails, Schema } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { ErrorNotice, Notice } from "@/components/Notice";
import { Sentence } from "@/components/Sentence";
import { FieldPanel } from "@/features/datasets/FieldPanel";
import { SchemaDiff } from "@/features/datasets/SchemaDiff";
import { SchemaTree } from "@/features/datasets/SchemaTree";
import { ShapeSwitch } from "@/features/datasets/ShapeSwitch";
import { VersionPicker } from "@/features/datasets/VersionPicker";
import { envelopeText } from "@/lib/envelope";
import { links } from "@/lib/links";
import { windowText } from "@/lib/window";

export function SchemaTab({ dataset }: { dataset: DatasetDetails }) {
  const place = dataset.cluster ?? dataset.namespace;
  const [params, setParams] = useSearchParams();
  const version = Number(params.get("version")) || undefined;
  const against = Number(params.get("against")) || undefined;
  const schema = useSchema(place, dataset.name, version);
  const classifications = useClassifications(place, dataset.name);
  const set = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes)) value === null ? next.delete(name) : next.set(name, value);
    setParams(next, { replace: true });
  };
  return (
    <Answer of={schema} lines={8}>
      {(found) =>
        found === null && version !== undefined ? (
          <div className="panel">
            <Empty title={`There is no version ${version}`}>
              <p>
                <Link to={links.dataset(place, dataset.name, "schema")}>The newest one</Link> lists those there are.
              </p>
            </Empty>
          </div>
        ) : found !== null && found.fields.length === 0 ? (
          <div className="panel">
            <Empty title="No field yet">
              {!dataset.cluster && <p>No producer of lineage has named a column of it.</p>}
              <p hidden={!dataset.cluster}>
                The topic had no records when it was scanned. <Link to={links.admin("scans")}>Scan it again</Link> when
                it does.
              </p>
            </Empty>
          </div>
        ) : found === null ? (
          <div className="panel">
            <Empty title="No schema yet">
              <p>
                Weir learns schemas from the records themselves. <Link to={links.admin("scans")}>Scan this topic</Link>,
                or:{" "}
                <code>
                  weir scan {dataset.cluster} --topics {dataset.name}
                </code>
              </p>
            </Empty>
          </div>
        ) : (
          <div className="stack">
            <VersionPicker
              place={place}
              name={dataset.name}
              shown={found.version}
              against={against}
              onVersion={(v) => set({ version: String(v), against: null })}
              onAgainst={(v) => set({ against: v === null ? null : String(v) })}
            />
            {against ? (
              <SchemaDiff place={place} name={dataset.name} from={against} to={found.version} />
            ) : (
              <>
                {classifications.isError && (
                  <ErrorNotice error={classifications.error} retry={() => void classifications.refetch()}>
                    <p>Which of these fields hold personal data is not shown.</p>
                  </ErrorNotice>
                )}
                <SchemaView
                  dataset={dataset}
                  schema={found}
                  classifications={classifications.data ?? []}
                  selected={params.get("field")}
                  onSelect={(path) => set({ field: path })}
                />
              </>
            )}
          </div>
        )
      }
    </Answer>
  );
}

function SchemaView({
  dataset,
  schema,
  classifications,
  selected,
  onSelect,
}: {
  dataset: DatasetDetails;
  schema: Schema;
  classifications: Classification[];
  selected: string | null;
  onSelect: (path: string) => void;
}) {
  const [shape, setShape] = useState(-1);
  const within = schema.shapes[shape]?.paths;
  const fields = useMemo(() => {
    if (!within) return schema.fields;
    const kept = new Set(within);
    return schema.fields.filter((f) => kept.has(f.path) || !f.path.startsWith("value"));
  }, [schema.fields, within]);
  const byPath = useMemo(() => {
    const map = new Map<string, Classification[]>();
    for (const c of classifications) map.set(c.path, [...(map.get(c.path) ?? []), c]);
    return map;
  }, [classifications]);
  const profile = schema.fields.find((f) => f.path === selected) ?? null;
  return (
    <>
      {(schema.problems ?? []).map((problem, i) => (
        <Notice key={i} tone="warn">
          {problem.message ?? JSON.stringify(problem)}
        </Notice>
      ))}
      {schema.shapes.length > 1 && <ShapeSwitch shapes={schema.shapes} chosen={shape} onChoose={setShape} />}
      <p className="muted small">
        <Sentence of={windowText(schema.window)} />
      </p>
      {Object.entries(schema.envelopes ?? {}).map(([part, envelope]) => (
        <p key={part} className="muted small">
          {envelopeText(part, envelope)}
        </p>
      ))}
      <div className="columns schema-columns">
        <SchemaTree fields={fields} classifications={byPath} selected={selected} onSelect={onSelect} />
        <FieldPanel
          dataset={dataset}
          path={selected}
          profile={profile}
          version={schema.version}
          found={selected ? (byPath.get(selected) ?? []) : []}
        />
      </div>
    </>
  );
}
