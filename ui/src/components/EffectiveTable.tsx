import type { ReactNode } from "react";
import type { AccessEntry, AccessRule, SeenDataset } from "@/api/types";
import { DataTable } from "@/components/DataTable";
import { Sentence } from "@/components/Sentence";
import { When } from "@/components/When";
import { maskWords } from "@/lib/maskWords";
import { plainReason } from "@/lib/plainReason";

/** What is shown to whom, a line an entry, with the rules behind it and how the person comes to each. */
export function EffectiveTable<T extends AccessEntry | SeenDataset>({
  rows,
  head,
  name,
}: {
  rows: T[];
  head: string;
  name: (row: T) => ReactNode;
}) {
  return (
    <div className="panel flush">
      <DataTable
        table="effective access"
        label={head === "Who" ? "Who has access" : "What they see"}
        rows={rows}
        rowKey={keyOf}
        columns={[
          { id: "name", head, className: "anywhere few-words", cell: name },
          { id: "shown", head: "Shown", cell: (row) => <Shown of={row} /> },
          { id: "why", head: "Why", className: "words", cell: (row) => <Rules of={row} /> },
          {
            id: "purpose",
            head: "Stated purpose",
            className: "anywhere",
            cell: (row) => row.purpose ?? <span className="muted">{row.shows === "none" ? "–" : "none"}</span>,
          },
          {
            id: "until",
            head: "Until",
            cell: (row) => <When at={row.until} never={row.shows === "none" ? "–" : "no end"} />,
          },
        ]}
      />
    </div>
  );
}

/** A person with sessions of different rights has an entry for each that shows something else. */
function keyOf(row: AccessEntry | SeenDataset): string {
  const of = "dataset" in row ? row.dataset : `${row.kind} ${row.name}`;
  return JSON.stringify([of, row.purpose, row.shows, row.fields, row.masks, row.rows, row.clearWhen]);
}

const TONES = { clear: "warn", partly: "mask", masked: "mask", none: "" } as const;
const WORDS = { clear: "unmasked", partly: "partly masked", masked: "masked", none: "nothing" } as const;

function Shown({ of }: { of: AccessEntry | SeenDataset }) {
  const { clear, masked, hidden } = of.fields;
  const counts = [
    [clear, "unmasked"],
    [masked, "masked"],
    [hidden, "hidden"],
  ]
    .filter(([count]) => count)
    .map(([count, word]) => `${count} ${word}`);
  return (
    <>
      <span className={`badge ${TONES[of.shows]}`}>
        {WORDS[of.shows]}
        {of.masks.length > 0 && `: ${maskWords(of.masks.join(", "))}`}
      </span>
      {of.shows !== "none" && <div className="small muted">Fields: {counts.join(", ")}</div>}
      {of.rows.map((where) => (
        <div key={where} className="small anywhere">
          Only rows where <code>{where}</code>
        </div>
      ))}
    </>
  );
}

function Rules({ of }: { of: AccessEntry | SeenDataset }) {
  return (
    <ul className="plain small">
      {of.rules.map((rule) => (
        <li key={`${rule.kind} ${rule.name} ${rule.text}`} className="anywhere">
          <Sentence of={plainReason(rule.text)} /> {how(rule)}
        </li>
      ))}
      {of.moreRules > 0 && <li className="muted">{of.moreRules} more rules.</li>}
    </ul>
  );
}

function how(rule: AccessRule): ReactNode {
  if (rule.how.length === 0) return null;
  const words = rule.how.map((way) => (way === "named" ? "by name" : `by ${way}`));
  return <span className="muted">({words.join("; ")})</span>;
}

/** What an answer does not know, in sentences. */
export function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="small muted">
      {notes.map((note) => (
        <li key={note}>
          <Sentence of={note} />
        </li>
      ))}
    </ul>
  );
}

export function Pages({
  offset,
  total,
  size,
  onMove,
}: {
  offset: number;
  total: number;
  size: number;
  onMove: (offset: number) => void;
}) {
  if (total <= size) return null;
  return (
    <div className="row">
      <button type="button" className="button small" disabled={offset === 0} onClick={() => onMove(offset - size)}>
        Previous
      </button>
      <span className="small muted">
        {offset + 1} to {Math.min(offset + size, total)} of {total}
      </span>
      <button
        type="button"
        className="button small"
        disabled={offset + size >= total}
        onClick={() => onMove(offset + size)}
      >
        Next
      </button>
    </div>
  );
}
