// One field or one kind of personal data, wherever it stands: the page to go to from any field.
import { Link, useSearchParams } from "react-router";
import { useMe } from "@/api/access";
import { useSearch } from "@/api/catalog";
import type { Hit } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Bar } from "@/components/Bar";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EntityName } from "@/components/EntityBadge";
import { LongName } from "@/components/LongName";
import { PageHead } from "@/components/PageHead";
import { entityWords } from "@/lib/entityWords";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { fieldNode } from "@/lib/nodeId";
import { lastName } from "@/lib/paths";
import { useToken } from "@/lib/session";

const MOST = 1000;

export default function FieldsPage() {
  const [params] = useSearchParams();
  const name = params.get("name");
  const entity = params.get("entity");
  const found = useSearch({ q: name ?? "", kind: "field", entity }, MOST, 0, Boolean(name || entity));
  const mayReport = useMe(useToken()).data?.permissions?.includes("report:read") ?? false;
  const subject = name ? `“${name}”` : entityWords(entity ?? "");
  return (
    <div className="page">
      <PageHead
        title={`Data locations of ${subject}`}
        lead={
          name
            ? "Fields of this name in every topic, and what they hold."
            : "Fields that hold it, whatever they are called."
        }
      >
        {mayReport && (
          <Link className="button" to={links.whereIs(name ? { field: name } : { entity })}>
            Full report: flows, readers, access
          </Link>
        )}
      </PageHead>
      <Answer of={found}>
        {({ hits }) => <Places hits={name ? hits.filter((h) => h.path && lastName(h.path) === name) : hits} />}
      </Answer>
    </div>
  );
}

function Places({ hits }: { hits: Hit[] }) {
  if (hits.length === 0) {
    return (
      <div className="panel">
        <Empty title="No place is known">
          <p>
            Topics that were never scanned are not among these. <Link to={links.admin("scans")}>Scan one</Link>
          </p>
        </Empty>
      </div>
    );
  }
  const datasets = new Set(hits.map((h) => `${h.namespace}/${h.name}`));
  return (
    <>
      <p role="status">
        <strong>{plural(hits.length, "field")}</strong>{" "}
        <span className="muted">in {plural(datasets.size, "dataset")}</span>
      </p>
      <div className="panel flush">
        <DataTable
          table="fields"
          label="Fields"
          rows={hits}
          rowKey={(hit) => `${hit.namespace}/${hit.name} ${hit.path}`}
          columns={COLUMNS}
        />
      </div>
    </>
  );
}

const placeOf = (hit: Hit) => hit.cluster ?? hit.namespace;

const COLUMNS: Column<Hit>[] = [
  {
    id: "field",
    head: "Field",
    sort: (hit) => hit.path,
    cell: (hit) => (
      <>
        <Link className="mono anywhere" to={links.field(placeOf(hit), hit.name, hit.path ?? "")}>
          <LongName of={hit.path ?? ""} />
        </Link>
        <div className="small">
          <Link to={links.dataset(placeOf(hit), hit.name)}>
            <LongName of={`${placeOf(hit)}/${hit.name}`} />
          </Link>
        </div>
      </>
    ),
  },
  { id: "type", head: "Type", sort: (hit) => hit.types?.join(), cell: (hit) => hit.types?.join(", ") },
  {
    id: "present",
    head: "Present",
    sort: (hit) => hit.presence,
    cell: (hit) => (hit.presence == null ? "–" : <Bar share={hit.presence} label="present" />),
  },
  {
    id: "personal",
    head: "Personal data",
    sort: (hit) => hit.entities?.join(),
    cell: (hit) => (
      <span className="row" style={{ gap: 4 }}>
        {(hit.entities ?? []).map((entity) => (
          <EntityName key={entity} name={entity} suggested={hit.states?.[entity] === "suggested"} />
        ))}
      </span>
    ),
  },
  {
    id: "owners",
    head: "Owners",
    sort: (hit) => hit.owners?.join(),
    cell: (hit) => (hit.owners ?? []).join(", ") || <span className="badge warn">none</span>,
  },
  {
    id: "lineage",
    head: "Lineage",
    tool: true,
    className: "right",
    cell: (hit) => (
      <Link to={links.lineage(fieldNode(hit.namespace, hit.name, hit.path ?? ""), { level: "column" })}>Lineage</Link>
    ),
  },
];
