// Detections of personal data as a table to review: evidence, state, confirm or reject.
import { Check, X } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useReview } from "@/api/catalog";
import type { Classification } from "@/api/types";
import { DataTable } from "@/components/DataTable";
import { EntityBadge } from "@/components/EntityBadge";
import { LongName } from "@/components/LongName";
import { ReasonDialog } from "@/components/ReasonDialog";
import { entityWords } from "@/lib/entityWords";
import { evidenceText } from "@/lib/evidence";
import { links } from "@/lib/links";
import { offerUndo } from "@/lib/undo";

export interface FindRow {
  place: string;
  name: string;
  classification: Classification;
  /** Whether who looks may confirm or reject it. */
  may: boolean;
}

export function ClassificationTable({
  rows,
  withDataset,
  picked,
  onPick,
}: {
  rows: FindRow[];
  withDataset: boolean;
  /** With both, rows can be picked for one decision on many. */
  picked?: (row: number) => boolean;
  onPick?: (row: number, on: boolean) => void;
}) {
  return (
    <DataTable
      table={withDataset ? "detections" : "detections of a dataset"}
      label="Detections to decide on"
      rows={rows}
      rowKey={(row) => `${row.place}/${row.name} ${row.classification.path} ${row.classification.entity}`}
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
        { id: "entity", head: "Kind", cell: (row) => <EntityBadge of={row.classification} /> },
        {
          id: "evidence",
          head: "Evidence",
          className: "small few-words",
          cell: ({ classification: c }) => (
            <>
              {evidenceText(c)}
              {c.reason && <div className="muted">“{c.reason}”</div>}
            </>
          ),
        },
        { id: "decide", head: "Decide", tool: true, className: "decide", cell: (row) => <Decide row={row} /> },
      ]}
    />
  );
}

function Decide({ row }: { row: FindRow }) {
  const { place, name, classification: c } = row;
  const may = row.may;
  const review = useReview(place, name);
  const [asking, setAsking] = useState<"confirmed" | "rejected" | null>(null);
  const verb = asking === "confirmed" ? "Confirm" : "Reject";
  return (
    <>
      {may && c.state !== "confirmed" && (
        <button type="button" className="button small" onClick={() => setAsking("confirmed")}>
          <Check size={14} aria-hidden /> Confirm
        </button>
      )}
      {may && c.state !== "rejected" && (
        <button type="button" className="button small" onClick={() => setAsking("rejected")}>
          <X size={14} aria-hidden /> Reject
        </button>
      )}
      {asking && (
        <ReasonDialog
          title={`${verb} ${entityWords(c.entity)} in ${c.path}`}
          lead={
            asking === "confirmed"
              ? "Masks and rules for this kind of data then apply to this field, whatever later scans detect."
              : "The field then loses this tag and the masks that came with it. Later scans will not suggest it again by the same recognizer."
          }
          action={verb}
          danger={asking === "rejected"}
          busy={review.isPending}
          error={review.error}
          onClose={() => setAsking(null)}
          onDo={(reason) =>
            review.mutate(
              { path: c.path, entity: c.entity, state: asking, reason },
              {
                onSuccess: () => {
                  setAsking(null);
                  const { path, entity, state } = c;
                  offerUndo({
                    text: `${entityWords(entity)} in ${path} ${asking}`,
                    items: [{ namespace: place, name, path, entity, state }],
                  });
                },
              },
            )
          }
        />
      )}
    </>
  );
}
