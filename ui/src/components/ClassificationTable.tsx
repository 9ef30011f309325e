// Detections of personal data as a table to review: what was seen, how sure it is, and the decision.
import { useState } from "react";
import { Link } from "react-router";
import type { Classification } from "@/api/types";
import { DataTable } from "@/components/DataTable";
import { DecideButtons, DecideDialog, type DecisionAsked } from "@/components/DecideDetection";
import { EntityBadge } from "@/components/EntityBadge";
import { FieldExamples } from "@/components/FieldExamples";
import { LongName } from "@/components/LongName";
import { entityWords } from "@/lib/entityWords";
import { certainty, evidenceDetail, evidenceText } from "@/lib/evidence";
import { links } from "@/lib/links";

export interface FindRow {
  place: string;
  name: string;
  classification: Classification;
  /** Whether who looks may confirm or reject it. */
  may: boolean;
}

const keyOf = ({ place, name, classification: c }: FindRow) => `${place}/${name} ${c.path} ${c.entity}`;
const decidable = ({ place, name, classification: c }: FindRow) => ({
  namespace: place,
  name,
  path: c.path,
  entity: c.entity,
  state: c.state,
});

export function ClassificationTable({
  rows,
  withDataset,
  kinds = [],
  picked,
  onPick,
}: {
  rows: FindRow[];
  withDataset: boolean;
  /** Kinds of one's own that a field may have instead. */
  kinds?: readonly string[];
  /** With both, rows can be picked for one decision on many. */
  picked?: (row: number) => boolean;
  onPick?: (row: number, on: boolean) => void;
}) {
  const [opened, setOpened] = useState<string | null>(null);
  const [asking, setAsking] = useState<{ row: FindRow; asked: DecisionAsked } | null>(null);
  return (
    <>
      <DataTable
        table={withDataset ? "detections" : "detections of a dataset"}
        label="Detections to decide on"
        rows={rows}
        rowKey={keyOf}
        below={(row) =>
          opened === keyOf(row) && <FieldExamples place={row.place} name={row.name} path={row.classification.path} />
        }
        columns={[
          onPick !== undefined && {
            id: "choose",
            head: "Choose",
            tool: true,
            cell: ({ classification: c, may }, i) => (
              <input
                type="checkbox"
                aria-label={`Choose ${entityWords(c.entity)} in ${c.path}`}
                disabled={!may}
                checked={picked?.(i) ?? false}
                onChange={(e) => onPick(i, e.target.checked)}
              />
            ),
          },
          {
            id: "field",
            head: "Field",
            cell: ({ place, name, classification: c }) => (
              <>
                <Link className="mono anywhere" to={links.field(place, name, c.path)}>
                  <LongName of={c.path} />
                </Link>
                {withDataset && (
                  <div className="small anywhere">
                    <Link to={links.dataset(place, name)}>
                      <LongName of={`${place}/${name}`} />
                    </Link>
                  </div>
                )}
              </>
            ),
          },
          { id: "entity", head: "Kind", className: "kinds", cell: (row) => <EntityBadge of={row.classification} /> },
          {
            id: "evidence",
            head: "Evidence",
            className: withDataset ? "small words" : "small few-words",
            sort: (row) => row.classification.score,
            cell: (row) => (
              <Seen
                of={row.classification}
                opened={opened === keyOf(row)}
                onOpen={(on) => setOpened(on ? keyOf(row) : null)}
              />
            ),
          },
          {
            id: "decide",
            head: "Decide",
            tool: true,
            className: "decide",
            cell: (row) =>
              row.may && (
                <DecideButtons
                  state={row.classification.state}
                  entity={row.classification.entity}
                  what={row.classification.path}
                  kinds={kinds}
                  onAsk={(asked) => setAsking({ row, asked })}
                />
              ),
          },
        ]}
      />
      {asking && (
        <DecideDialog
          asked={asking.asked}
          items={[decidable(asking.row)]}
          known={rows.map(decidable)}
          onClose={() => setAsking(null)}
          onDone={() => setAsking(null)}
        />
      )}
    </>
  );
}

function Seen({ of, opened, onOpen }: { of: Classification; opened: boolean; onOpen: (on: boolean) => void }) {
  const sure = certainty(of);
  return (
    <>
      <span title={evidenceDetail(of)}>
        {sure && <strong className={sure === "doubtful" ? "doubt" : undefined}>{sure}</strong>}
        {sure && ": "}
        {evidenceText(of)}
      </span>{" "}
      <button
        type="button"
        className="link"
        aria-expanded={opened}
        aria-label={`Example of ${of.path}`}
        onClick={() => onOpen(!opened)}
      >
        Example
      </button>
      {of.reason && <div className="muted">“{of.reason}”</div>}
    </>
  );
}
