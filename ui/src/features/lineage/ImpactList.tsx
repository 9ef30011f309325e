import { useMutation } from "@tanstack/react-query";
import { Download, Link2 } from "lucide-react";
import { useSearchParams } from "react-router";
import { impactCsv, useImpact } from "@/api/lineage";
import type { Affected, Basis } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ErrorNotice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { OwnersMessage } from "@/features/lineage/OwnersMessage";
import { useCopy } from "@/lib/clipboard";
import { download } from "@/lib/download";
import { plural } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { CHANGES, type Change, changesOf, type Effect, effects, valueText } from "@/lib/impact";
import { isConsumerGroup } from "@/lib/jobTitle";
import { links } from "@/lib/links";
import { safeUrl } from "@/lib/url";

const HEADS: Record<Effect, [string, string]> = {
  breaks: ["Breaks", "bad"],
  may_break: ["May break", "warn"],
  changes: ["Values change", "warn"],
  safe: ["Safe", "ok"],
};
const MOST = 200;
const BASES: readonly Basis[] = ["last_run", "contents"];
const BASED: Record<Basis, string> = {
  contents: "whatever holds data that came from it",
  last_run: "what the last runs make of it",
};

/** Everything downstream of a node, nearest first; with a change: what breaks, what may, and what it leaves alone. */
export function ImpactList({
  node,
  asOf,
  onChoose,
}: {
  node: string;
  asOf: string | null;
  onChoose: (id: string) => void;
}) {
  const [params, setParams] = useSearchParams();
  const offered = changesOf(node);
  const change = offered.find((one) => one === params.get("change")) ?? null;
  const basis = BASES.find((one) => one === params.get("basis"));
  const asked = { nodeId: node, depth: 20, asOf, ...(basis ? { basis } : {}) };
  const all = useImpact(asked);
  const touched = useImpact(asked, change);
  const file = useMutation({
    mutationFn: () => impactCsv(asked, change),
    onSuccess: (text) => download("impact.csv", text, "text/csv"),
  });
  const choose = (next: Change | "none") => {
    const after = new URLSearchParams(params);
    next === "none" ? after.delete("change") : after.set("change", next);
    setParams(after, { replace: true });
  };
  return (
    <section aria-labelledby="affected" className="stack-s">
      <div className="spread">
        <h3 id="affected">Impact of a change</h3>
        <span className="row" style={{ gap: 2 }}>
          <OwnersMessage node={node} change={change} asked={asked} link={addressOf(node, change, asOf)} />
          <CopyLink node={node} change={change} asOf={asOf} />
          <button type="button" className="button quiet small" disabled={file.isPending} onClick={() => file.mutate()}>
            <Download size={13} aria-hidden /> CSV
          </button>
        </span>
      </div>
      {file.isError && <ErrorNotice error={file.error} />}
      <Segments
        label="Change"
        value={change ?? "none"}
        onChange={choose}
        options={[
          { value: "none" as const, text: "Any" },
          ...offered.map((value) => ({ value, text: CHANGES[value].verb, title: CHANGES[value].does })),
        ]}
      />
      <Answer of={all} lines={3}>
        {({ affected, truncated, basis: by = "contents" }) => {
          if (affected.length === 0) return <p className="muted small">Nothing downstream is known.</p>;
          if (change === null)
            return (
              <>
                <p className="muted small">
                  {plural(affected.length, "thing")} downstream: {BASED[by]}
                </p>
                <Rows rows={affected} onChoose={onChoose} />
                {(truncated || affected.length > MOST) && <p className="muted small">and more: take the CSV.</p>}
              </>
            );
          return (
            <Answer of={touched} lines={3}>
              {(answer) => (
                <>
                  <p className="muted small">{CHANGES[change].does}.</p>
                  {effects(affected, answer.affected).map(({ effect, rows }) => (
                    <section key={effect} aria-label={HEADS[effect][0]}>
                      <p className="row">
                        <span className={`badge ${HEADS[effect][1]}`}>
                          {HEADS[effect][0]}: {rows.length}
                        </span>
                      </p>
                      <Rows rows={rows} onChoose={onChoose} />
                    </section>
                  ))}
                  {(truncated || affected.length > MOST) && <p className="muted small">and more: take the CSV.</p>}
                </>
              )}
            </Answer>
          );
        }}
      </Answer>
    </section>
  );
}

function addressOf(node: string, change: Change | null, asOf: string | null): string {
  const level = node.startsWith("datasetField:") ? "column" : null;
  return window.location.origin + links.lineage(node, { level, direction: "downstream", change, asOf });
}

/** A link to this very question, for those who own what breaks. */
function CopyLink({ node, change, asOf }: { node: string; change: Change | null; asOf: string | null }) {
  const [state, copy] = useCopy();
  const words = { copied: "Copied", failed: "Not copied" };
  return (
    <button type="button" className="button quiet small" onClick={() => void copy(addressOf(node, change, asOf))}>
      <Link2 size={13} aria-hidden /> {state ? words[state] : "Copy link"}
    </button>
  );
}

function Rows({ rows, onChoose }: { rows: Affected[]; onChoose: (id: string) => void }) {
  return (
    <ul className="impact">
      {rows.slice(0, MOST).map((one) => (
        <One key={one.id} of={one} onChoose={onChoose} />
      ))}
    </ul>
  );
}

function One({ of, onChoose }: { of: Affected; onChoose: (id: string) => void }) {
  const value = valueText(of);
  const code = safeUrl(of.location?.url);
  return (
    <li>
      <button type="button" className="link anywhere" style={{ textAlign: "left" }} onClick={() => onChoose(of.id)}>
        {nodeName(of.id)}
      </button>
      <div className="row small" style={{ gap: 6 }}>
        <span className="muted">
          {isConsumerGroup(of) ? "consumer group" : of.type}, {plural(of.hops, "hop")}
        </span>
        {value && <span className={`badge ${value.tone}`}>{value.text}</span>}
        <span className="muted">{(of.owners ?? []).join(", ") || "no owner"}</span>
        {of.commit && (
          <span className="muted">
            commit{" "}
            {code ? (
              <a href={code} className="mono" rel="noreferrer" target="_blank">
                {of.commit.slice(0, 8)}
              </a>
            ) : (
              <span className="mono">{of.commit.slice(0, 8)}</span>
            )}
          </span>
        )}
      </div>
    </li>
  );
}
