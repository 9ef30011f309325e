// What the descriptions of a dataset and its fields were before: who, when, what.
import { useState } from "react";
import { useDescriptionHistory } from "@/api/questions";
import type { DatasetDetails, DescriptionChange } from "@/api/types";
import { Answer } from "@/components/Answer";
import { When } from "@/components/When";
import { shortPath } from "@/lib/paths";

export function DescriptionHistory({ dataset }: { dataset: DatasetDetails }) {
  const [open, setOpen] = useState(false);
  const history = useDescriptionHistory(dataset.namespace, dataset.name, open);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>History of descriptions</summary>
      {open && (
        <Answer of={history} lines={2}>
          {(changes) =>
            changes.length === 0 ? (
              <p className="muted">No description was changed yet.</p>
            ) : (
              <ol className="list-plain stack-s">
                {changes.map((each, i) => (
                  <Change key={`${each.at} ${each.field} ${i}`} change={each} />
                ))}
              </ol>
            )
          }
        </Answer>
      )}
    </details>
  );
}

function Change({ change }: { change: DescriptionChange }) {
  const lines = change.diff.split("\n").filter((line) => line && !line.startsWith("@@"));
  return (
    <li>
      <div className="row small">
        <strong>{change.by ?? "unknown"}</strong>
        <span className="muted">
          <When at={change.at} />
        </span>
        {change.field && <span className="mono anywhere">{shortPath(change.field)}</span>}
      </div>
      <div className="text-diff">
        {lines.length === 0 && <p className="muted">Left out: it names a dataset that you may not know of.</p>}
        {lines.map((line, i) => (
          <Line key={i} sign={line[0] ?? " "} text={line.slice(1)} />
        ))}
      </div>
    </li>
  );
}

function Line({ sign, text }: { sign: string; text: string }) {
  if (sign === "+") return <ins className="anywhere">{text || " "}</ins>;
  if (sign === "-") return <del className="anywhere">{text || " "}</del>;
  return <span className="anywhere">{text}</span>;
}
