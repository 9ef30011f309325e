// The evidence of a review as a file or a page to print, and its end before its time.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type OneAccessReview, reviewReport, useCloseReview } from "@/api/accessReviews";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { download } from "@/lib/download";
import { useMay } from "@/lib/may";

const TYPES = { json: "application/json", csv: "text/csv" } as const;

export function Evidence({ review }: { review: OneAccessReview }) {
  const { may } = useMay();
  const [closing, setClosing] = useState(false);
  const file = useMutation({
    mutationFn: async (format: "json" | "csv" | "html") => {
      // A window that opens after an answer is one that nobody asked for, to browsers.
      const tab = format === "html" ? window.open("", "_blank") : null;
      try {
        const text = await reviewReport(review.id, format);
        if (format !== "html") download(`${review.id}.${format}`, text, TYPES[format]);
        else if (tab) tab.location.href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  return (
    <>
      {(may("manage") || may("audit:read")) && (
        <fieldset className="row" style={{ border: 0, padding: 0, margin: 0 }} aria-label="Evidence">
          <button type="button" className="button" disabled={file.isPending} onClick={() => file.mutate("html")}>
            Evidence to print
          </button>
          <button type="button" className="button" disabled={file.isPending} onClick={() => file.mutate("csv")}>
            CSV
          </button>
          <button type="button" className="button" disabled={file.isPending} onClick={() => file.mutate("json")}>
            JSON
          </button>
        </fieldset>
      )}
      {review.manages && review.state === "open" && (
        <button type="button" className="button danger" onClick={() => setClosing(true)}>
          Close now
        </button>
      )}
      {file.isError && <ErrorNotice error={file.error} />}
      {closing && <CloseDialog review={review} onClose={() => setClosing(false)} />}
    </>
  );
}

function CloseDialog({ review, onClose }: { review: OneAccessReview; onClose: () => void }) {
  const close = useCloseReview(review.id);
  const [answer, setAnswer] = useState<"revoke" | "keep">(review.onNoAnswer);
  const [reason, setReason] = useState("");
  const other = answer !== review.onNoAnswer;
  return (
    <Modal
      open
      onClose={onClose}
      title="Close this review now"
      lead={`${review.counts.open} rights are not decided. Nobody can decide or take back anything afterwards.`}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close.mutate({ onNoAnswer: answer, reason: other ? reason : "" }, { onSuccess: onClose });
        }}
      >
        <fieldset className="stack-s" style={{ border: 0, padding: 0 }} aria-label="Rights that nobody decided on">
          {(["revoke", "keep"] as const).map((value) => (
            <label key={value} className="row">
              <input type="radio" name="answer" checked={answer === value} onChange={() => setAnswer(value)} />
              {value === "revoke" ? "Revoke what nobody confirmed" : "Keep what nobody confirmed"}
            </label>
          ))}
        </fieldset>
        {other && (
          <label className="stack-s">
            Why not as declared? Rights of your own are settled as declared all the same.
            <textarea required maxLength={2000} value={reason} onChange={(event) => setReason(event.target.value)} />
          </label>
        )}
        {close.isError && <ErrorNotice error={close.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button danger" disabled={close.isPending}>
            {close.isPending ? "One moment …" : "Close the review"}
          </button>
        </div>
      </form>
    </Modal>
  );
}
