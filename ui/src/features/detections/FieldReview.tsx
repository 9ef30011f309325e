import { useState } from "react";
import type { Classification } from "@/api/types";
import { DecideButtons, DecideDialog, type DecisionAsked } from "@/components/DecideDetection";
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
  const [asking, setAsking] = useState<DecisionAsked | null>(null);
  const item = { namespace: place, name, path: found.path, entity: found.entity, state: found.state };
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
      {may && (
        <DecideButtons state={found.state} entity={found.entity} what={found.path} kinds={[]} onAsk={setAsking} />
      )}
      {asking && (
        <DecideDialog
          asked={asking}
          items={[item]}
          known={[item]}
          onClose={() => setAsking(null)}
          onDone={() => setAsking(null)}
        />
      )}
    </div>
  );
}
