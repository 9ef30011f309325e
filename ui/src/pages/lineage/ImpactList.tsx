import { Download } from "lucide-react";
import { impactCsv, useImpact } from "@/api/lineage";
import type { Affected } from "@/api/types";
import { Answer } from "@/components/Answer";
import { download } from "@/lib/download";
import { plural } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { isConsumerGroup } from "@/lib/jobTitle";

/** Everything downstream of a node, nearest first: what breaks when it changes or is lost. */
export function ImpactList({
  node,
  asOf,
  onChoose,
}: {
  node: string;
  asOf: string | null;
  onChoose: (id: string) => void;
}) {
  const impact = useImpact(node, 20, asOf);
  return (
    <section aria-labelledby="affected">
      <div className="spread nowrap-row">
        <h3 id="affected">Affected by a change</h3>
        <button
          type="button"
          className="button quiet small"
          onClick={async () => download("impact.csv", await impactCsv(node, 20, asOf), "text/csv")}
        >
          <Download size={13} aria-hidden /> CSV
        </button>
      </div>
      <Answer of={impact} lines={3}>
        {({ affected, truncated }) =>
          affected.length === 0 ? (
            <p className="muted small">Nothing downstream is known.</p>
          ) : (
            <>
              <p className="muted small">{plural(affected.length, "thing")} downstream</p>
              <ul className="impact">
                {affected.slice(0, 200).map((one) => (
                  <One key={one.id} of={one} onChoose={onChoose} />
                ))}
              </ul>
              {(truncated || affected.length > 200) && <p className="muted small">and more: take the CSV.</p>}
            </>
          )
        }
      </Answer>
    </section>
  );
}

function One({ of, onChoose }: { of: Affected; onChoose: (id: string) => void }) {
  return (
    <li>
      <button type="button" className="link anywhere" style={{ textAlign: "left" }} onClick={() => onChoose(of.id)}>
        {nodeName(of.id)}
      </button>
      <div className="row small" style={{ gap: 6 }}>
        <span className="muted">
          {isConsumerGroup(of) ? "consumer group" : of.type}, {plural(of.hops, "hop")}
        </span>
        {of.type !== "job" && (
          <span className={`badge ${of.raw ? "warn" : "mask"}`}>{of.raw ? "raw value" : "masked on the way"}</span>
        )}
        {of.columns === "unknown" && <span className="badge">columns unknown</span>}
        <span className="muted">{(of.owners ?? []).join(", ") || "no owner"}</span>
      </div>
    </li>
  );
}
