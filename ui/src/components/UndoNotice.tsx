import { Undo2, X } from "lucide-react";
import { useEffect } from "react";
import { useReviewMany } from "@/api/classifications";
import { ErrorNotice, Notice } from "@/components/Notice";
import { plural } from "@/lib/format";
import { offerUndo, useUndoable } from "@/lib/undo";

/** What was decided last on this page, and the way back: each detection gets the state it had before. */
export function UndoNotice() {
  const last = useUndoable();
  const review = useReviewMany();
  useEffect(() => () => offerUndo(null), []);
  if (!last) return null;
  return (
    <>
      <Notice tone="ok">
        <div className="spread">
          <span>{last.text}</span>
          <span className="row">
            <button
              type="button"
              className="button small"
              disabled={review.isPending}
              onClick={() =>
                review.mutate(
                  { items: last.items, reason: "undone" },
                  {
                    onSuccess: (outcome) =>
                      offerUndo({ text: `${plural(outcome.reviewed, "detection")} as before`, items: [] }),
                  },
                )
              }
              hidden={last.items.length === 0}
            >
              <Undo2 size={14} aria-hidden /> Undo
            </button>
            <button
              type="button"
              className="button quiet icon small"
              aria-label="Dismiss"
              onClick={() => offerUndo(null)}
            >
              <X size={14} aria-hidden />
            </button>
          </span>
        </div>
      </Notice>
      {review.isError && <ErrorNotice error={review.error} />}
    </>
  );
}
