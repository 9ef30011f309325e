// Finds of personal data as a table to review: evidence, state, confirm or reject.
import { Check, X } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useReview } from "@/api/catalog";
import type { Classification } from "@/api/types";
import { EntityBadge } from "@/components/EntityBadge";
import { ReasonDialog } from "@/components/ReasonDialog";
import { evidenceText } from "@/lib/evidence";
import { links } from "@/lib/links";

export interface FindRow {
  place: string;
  name: string;
  classification: Classification;
}

export function ClassificationTable({ rows, withDataset }: { rows: FindRow[]; withDataset: boolean }) {
  return (
    <div className="table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th>Field</th>
            <th>Entity</th>
            <th>Evidence</th>
            <th>
              <span className="visually-hidden">Decide</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={`${row.place}/${row.name} ${row.classification.path} ${row.classification.entity}`}
              row={row}
              withDataset={withDataset}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, withDataset }: { row: FindRow; withDataset: boolean }) {
  const { place, name, classification: c } = row;
  const review = useReview(place, name);
  const [asking, setAsking] = useState<"confirmed" | "rejected" | null>(null);
  const verb = asking === "confirmed" ? "Confirm" : "Reject";
  return (
    <tr>
      <td>
        <Link className="mono anywhere" to={links.field(place, name, c.path)}>
          {c.path}
        </Link>
        {withDataset && (
          <div className="small">
            <Link to={links.dataset(place, name)}>
              {place}/{name}
            </Link>
          </div>
        )}
      </td>
      <td>
        <EntityBadge of={c} />
      </td>
      <td className="small">
        {evidenceText(c)}
        {c.reason && <div className="muted">“{c.reason}”</div>}
      </td>
      <td className="right nowrap">
        {c.state !== "confirmed" && (
          <button type="button" className="button small" onClick={() => setAsking("confirmed")}>
            <Check size={14} aria-hidden /> Confirm
          </button>
        )}{" "}
        {c.state !== "rejected" && (
          <button type="button" className="button small" onClick={() => setAsking("rejected")}>
            <X size={14} aria-hidden /> Reject
          </button>
        )}
        {asking && (
          <ReasonDialog
            title={`${verb} ${c.entity} in ${c.path}`}
            lead={
              asking === "confirmed"
                ? "Masks and rules for this kind of data then hold for this field, whatever later scans find."
                : "The field then loses this tag and the masks that came with it. Later scans will not bring it back by the same means."
            }
            action={verb}
            danger={asking === "rejected"}
            busy={review.isPending}
            error={review.error}
            onClose={() => setAsking(null)}
            onDo={(reason) =>
              review.mutate(
                { path: c.path, entity: c.entity, state: asking, reason },
                { onSuccess: () => setAsking(null) },
              )
            }
          />
        )}
      </td>
    </tr>
  );
}
