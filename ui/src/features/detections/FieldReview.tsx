import { useState } from "react";
import { useReview } from "@/api/catalog";
import type { Classification } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";
import { entityWords } from "@/lib/entityWords";
import { recognizerNames } from "@/lib/evidence";
import { count, percent } from "@/lib/format";

/** Why a field is believed to hold something, and the reviewer's word on it. */
export function FieldReview({
  place,
  name,
  found,
  may,
}: {
  place: string;
  name: string;
  found: Classification;
  may: boolean;
}) {
  const review = useReview(place, name);
  const [asking, setAsking] = useState<"confirmed" | "rejected" | null>(null);
  const { matched, sampled, validated, note } = found.evidence;
  const names = recognizerNames(found);
  return (
    <div className="stack-s small">
      <dl className="facts" style={{ gap: "2px 12px" }}>
        <dt>State</dt>
        <dd>
          {found.state}
          {found.reviewedBy && ` by ${found.reviewedBy}`}
          {found.source === "declared" && ", declared"}
        </dd>
        {matched != null && sampled != null && sampled > 0 && (
          <>
            <dt>Matches</dt>
            <dd>
              {count(matched)} of {count(sampled)} values ({percent(matched / sampled)})
              {validated != null && `, ${count(validated)} with a valid checksum or form`}
            </dd>
          </>
        )}
        <dt>Score</dt>
        <dd>{found.score.toFixed(2)}</dd>
        {names.length > 0 && (
          <>
            <dt>Detected by</dt>
            <dd>{names.join(", ")}</dd>
          </>
        )}
        {note && (
          <>
            <dt>Note</dt>
            <dd>{note}</dd>
          </>
        )}
        {found.reason && (
          <>
            <dt>Reason</dt>
            <dd>“{found.reason}”</dd>
          </>
        )}
      </dl>
      <div className="row">
        {may && found.state !== "confirmed" && (
          <button type="button" className="button small" onClick={() => setAsking("confirmed")}>
            Confirm
          </button>
        )}
        {may && found.state !== "rejected" && (
          <button type="button" className="button small" onClick={() => setAsking("rejected")}>
            Reject
          </button>
        )}
      </div>
      {asking && (
        <ReasonDialog
          title={`${asking === "confirmed" ? "Confirm" : "Reject"} ${entityWords(found.entity)} in ${found.path}`}
          action={asking === "confirmed" ? "Confirm" : "Reject"}
          danger={asking === "rejected"}
          busy={review.isPending}
          error={review.error}
          onClose={() => setAsking(null)}
          onDo={(reason) =>
            review.mutate(
              { path: found.path, entity: found.entity, state: asking, reason },
              { onSuccess: () => setAsking(null) },
            )
          }
        />
      )}
    </div>
  );
}
