import { useState } from "react";
import { type ReviewItem, useDecideItems, type Verdict } from "@/api/accessReviews";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { needsReason } from "@/lib/accessReviews";
import { plural } from "@/lib/format";

const WORDS: Record<Verdict, { action: string; lead: string }> = {
  keep: { action: "Keep", lead: "You confirm that the right is still needed." },
  revoke: { action: "Revoke", lead: "The right ends at once. You can take it back until the review closes." },
  undo: { action: "Take back", lead: "The decision is taken back; a right that was revoked is there again." },
};

/** One decision on one or many rights, with one reason. */
export function DecideItems({
  review,
  verdict,
  items,
  onDecided,
  onClose,
}: {
  review: string;
  verdict: Verdict;
  items: ReviewItem[];
  onDecided: () => void;
  onClose: () => void;
}) {
  const decide = useDecideItems(review);
  const [reason, setReason] = useState("");
  const { action, lead } = WORDS[verdict];
  const needed = needsReason(verdict, items);
  const [only] = items;
  const what = items.length === 1 && only ? `${only.right} of ${only.holder}` : plural(items.length, "right");
  const refused = decide.data?.refused ?? [];
  return (
    <Modal open onClose={onClose} title={`${action}: ${what}`} lead={lead}>
      {refused.length > 0 ? (
        <div className="stack-s">
          <p>
            {plural(decide.data?.decided.length ?? 0, "right")} decided, {refused.length} not:
          </p>
          <ul className="stack-s small">
            {refused.map((each) => (
              <li key={each.number} className="anywhere">
                {each.message}
              </li>
            ))}
          </ul>
          <div className="actions">
            <button type="button" className="button primary" onClick={onClose}>
              Close
            </button>
          </div>
        </div>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            decide.mutate(
              { items: items.map((item) => item.number), verdict, reason: reason.trim() },
              {
                onSuccess: (done) => {
                  onDecided();
                  if (done.refused.length === 0) onClose();
                },
              },
            );
          }}
        >
          <div className="field" style={{ marginTop: 14 }}>
            <label htmlFor="reason">{needed ? "Reason" : "Reason (may be left out)"}</label>
            <textarea
              id="reason"
              className="textarea"
              value={reason}
              maxLength={2000}
              required={needed}
              onChange={(event) => setReason(event.target.value)}
              placeholder="Kept with the decision, for those who read it later"
            />
          </div>
          {verdict === "keep" && needed && (
            <p className="small muted">A right that was not used is kept only with a reason.</p>
          )}
          {decide.isError && <ErrorNotice error={decide.error} />}
          <div className="actions">
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button
              type="submit"
              className={`button ${verdict === "revoke" ? "danger" : "primary"}`}
              disabled={decide.isPending || (needed && reason.trim() === "")}
            >
              {decide.isPending ? "One moment …" : action}
            </button>
          </div>
        </form>
      )}
    </Modal>
  );
}
