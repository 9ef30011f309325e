// Access reviews: those that wait for me, and how far all of them are for those who manage.
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { type AccessReview, useAccessReviews, useStartReview } from "@/api/accessReviews";
import { useDeclared } from "@/api/declared";
import { Answer } from "@/components/Answer";
import { Bar } from "@/components/Bar";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { share } from "@/lib/accessReviews";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

export default function AccessReviewsPage() {
  const { may } = useMay();
  const reviews = useAccessReviews();
  const [starting, setStarting] = useState(false);
  return (
    <div className="page">
      <PageHead
        title="Access reviews"
        lead="Rights are confirmed or revoked by those who answer for the data. What nobody confirms ends, where the review is set so."
      >
        {may("manage") && (
          <button type="button" className="button primary" onClick={() => setStarting(true)}>
            Start a review
          </button>
        )}
      </PageHead>
      <Answer of={reviews}>
        {({ reviews: all }) =>
          all.length === 0 ? (
            <div className="panel">
              <Empty title="No access reviews">
                <p>Reviews with rights for you to confirm appear here.</p>
              </Empty>
            </div>
          ) : (
            <ReviewTable reviews={all} />
          )
        }
      </Answer>
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </div>
  );
}

function ReviewTable({ reviews }: { reviews: AccessReview[] }) {
  return (
    <div className="panel flush">
      <DataTable
        table="access reviews"
        label="Access reviews"
        rows={reviews}
        rowKey={(review) => review.id}
        columns={[
          {
            id: "review",
            head: "Review",
            sort: (review) => review.id,
            cell: (review) => (
              <>
                <Link to={links.accessReview(review.id)} className="strong anywhere">
                  {review.id}
                </Link>
                {review.description && <div className="small muted anywhere">{review.description}</div>}
                {review.state === "failed" && <div className="small anywhere">{review.notes[0]}</div>}
              </>
            ),
          },
          {
            id: "state",
            head: "State",
            sort: (review) => review.state,
            cell: ({ state }) => (
              <span className={`badge ${state === "failed" ? "bad" : state === "open" ? "accent" : ""}`}>{state}</span>
            ),
          },
          { id: "due", head: "Due", sort: (review) => review.dueAt, cell: (review) => <When at={review.dueAt} /> },
          {
            id: "decided",
            head: "Decided",
            sort: (review) => share(review.counts),
            cell: ({ counts }) => <Bar share={share(counts)} label={`decided of ${counts.items}`} />,
          },
          {
            id: "revoked",
            head: "Revoked",
            className: "number",
            sort: (review) => review.counts.revoked,
            cell: (review) => review.counts.revoked,
          },
          {
            id: "mine",
            head: "For you",
            className: "number",
            sort: (review) => review.toDecide,
            cell: (review) => (review.toDecide > 0 ? <strong>{review.toDecide}</strong> : "–"),
          },
        ]}
      />
    </div>
  );
}

/** Starts a declared review; its items are the rights of that moment. */
function StartDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const declared = useDeclared("AccessReview");
  const start = useStartReview();
  const [chosen, setChosen] = useState("");
  return (
    <Modal open onClose={onClose} title="Start a review" lead="Its items are the rights as they are now.">
      <Answer of={declared} lines={2}>
        {(documents) =>
          documents.length === 0 ? (
            <p className="muted">
              None is declared. Declare one under <Link to={links.policies()}>Policies</Link>, with{" "}
              <code>kind: AccessReview</code>.
            </p>
          ) : (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                start.mutate(chosen || String(documents[0]?.metadata.name), {
                  onSuccess: ({ id }) => navigate(links.accessReview(id)),
                });
              }}
            >
              <div className="field">
                <label htmlFor="review">Review</label>
                <select
                  id="review"
                  className="select"
                  value={chosen}
                  onChange={(event) => setChosen(event.target.value)}
                >
                  {documents.map(({ metadata }) => (
                    <option key={String(metadata.name)}>{String(metadata.name)}</option>
                  ))}
                </select>
              </div>
              {start.isError && <ErrorNotice error={start.error} />}
              <div className="actions">
                <button type="button" className="button" onClick={onClose}>
                  Cancel
                </button>
                <button type="submit" className="button primary" disabled={start.isPending}>
                  {start.isPending ? "One moment …" : "Start"}
                </button>
              </div>
            </form>
          )
        }
      </Answer>
    </Modal>
  );
}
