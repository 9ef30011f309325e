// Access reviews: those that wait for me, and how far all of them are for those who manage.
import { useState } from "react";
import { Link } from "react-router";
import { type AccessReview, useAccessReviews } from "@/api/accessReviews";
import { Answer } from "@/components/Answer";
import { Bar } from "@/components/Bar";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { StartDialog } from "@/features/access_reviews/StartDialog";
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
