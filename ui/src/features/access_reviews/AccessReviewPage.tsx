// One access review: my items to decide, all of them for those who manage, how far it is, its evidence.
import { useState } from "react";
import { useParams, useSearchParams } from "react-router";
import {
  type ItemsAsked,
  type OneAccessReview,
  PAGE,
  type ReviewItem,
  useAccessReview,
  useReviewItems,
  type Verdict,
} from "@/api/accessReviews";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { When } from "@/components/When";
import { DecideItems } from "@/features/access_reviews/DecideItems";
import { Evidence } from "@/features/access_reviews/Evidence";
import { ItemTable } from "@/features/access_reviews/ItemTable";
import { plural } from "@/lib/format";

const STATES = ["open", "kept", "revoked", "gone"] as const;

export default function AccessReviewPage() {
  const { id = "" } = useParams();
  const review = useAccessReview(id);
  return (
    <div className="page">
      <PageHead title={id} lead={review.data?.description || "Confirm the rights that are still needed."}>
        {review.data && <Evidence review={review.data} />}
      </PageHead>
      <Answer of={review} lines={6}>
        {(data) => (
          <div className="stack">
            <Facts review={data} />
            {data.state !== "failed" && <Items review={data} />}
            {data.reviewers.length > 0 && <Progress review={data} />}
          </div>
        )}
      </Answer>
    </div>
  );
}

function Facts({ review }: { review: OneAccessReview }) {
  const { counts } = review;
  return (
    <section className="panel stack-s" aria-label="About this review">
      <dl className="facts">
        <dt>State</dt>
        <dd>{review.state}</dd>
        <dt>{review.closedAt ? "Closed" : "Due"}</dt>
        <dd>
          <When at={review.closedAt ?? review.dueAt} />
          {review.closedBy && `, by ${review.closedBy}`}
        </dd>
        <dt>What nobody confirms</dt>
        <dd>{review.onNoAnswer === "revoke" ? "is revoked when the review closes" : "is kept"}</dd>
        <dt>Rights</dt>
        <dd>
          {counts.items}: {counts.open} open, {counts.kept} kept, {counts.revoked} revoked, {counts.gone} ended by
          something else
        </dd>
        {counts.atSource > 0 && (
          <>
            <dt>Left to end at their source</dt>
            <dd>{counts.atSource}</dd>
          </>
        )}
        {review.hash && (
          <>
            <dt>Hash of the evidence</dt>
            <dd className="mono small anywhere">{review.hash}</dd>
          </>
        )}
      </dl>
      {review.notes.map((note) => (
        <p key={note} className="muted small anywhere">
          {note}
        </p>
      ))}
    </section>
  );
}

function Items({ review }: { review: OneAccessReview }) {
  const [params, setParams] = useSearchParams();
  const [shown, setShown] = useState(PAGE);
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const [asking, setAsking] = useState<{ verdict: Verdict; items: ReviewItem[] } | null>(null);
  const all =
    params.get("items") === "all" || (params.get("items") === null && review.manages && review.toDecide === 0);
  const state = STATES.find((each) => each === params.get("state")) ?? null;
  const asked: ItemsAsked = {
    mine: !all,
    state,
    person: params.get("person"),
    dataset: params.get("dataset"),
    unused: params.get("unused") === "yes" ? true : null,
  };
  const items = useReviewItems(review.id, asked, shown);
  const set = (name: string, value: string | null) => {
    const next = new URLSearchParams(params);
    value ? next.set(name, value) : next.delete(name);
    setParams(next, { replace: true });
    setPicked(new Set());
    setShown(PAGE);
  };
  const rows = items.data?.items ?? [];
  const chosen = rows.filter((item) => picked.has(item.number) && item.canDecide);
  const open = rows.filter((item) => item.canDecide);
  return (
    <section className="panel flush" aria-label="Rights under review" aria-busy={items.isPlaceholderData}>
      <div className="panel-head" style={{ flexWrap: "wrap", gap: 10 }}>
        {review.manages && (
          <Segments
            label="Whose rights"
            value={all ? "all" : "mine"}
            onChange={(value) => set("items", value)}
            options={[
              { value: "mine", text: "For me" },
              { value: "all", text: "All" },
            ]}
          />
        )}
        <Segments
          label="Which rights"
          value={state ?? "any"}
          onChange={(value) => set("state", value === "any" ? null : value)}
          options={[{ value: "any", text: "any" }, ...STATES.map((value) => ({ value, text: value }))]}
        />
        <Filter label="Person" value={asked.person} onSet={(value) => set("person", value)} />
        <Filter label="Dataset" value={asked.dataset} onSet={(value) => set("dataset", value)} />
        <label className="row small">
          <input
            type="checkbox"
            checked={asked.unused === true}
            onChange={(event) => set("unused", event.target.checked ? "yes" : null)}
          />
          unused only
        </label>
      </div>
      {open.length > 0 && (
        <div className="panel-head row">
          <label className="row small">
            <input
              type="checkbox"
              checked={chosen.length === open.length}
              onChange={(event) => setPicked(new Set(event.target.checked ? open.map((item) => item.number) : []))}
            />
            {chosen.length > 0 ? `${plural(chosen.length, "right")} chosen` : `all ${open.length} on this page`}
          </label>
          <button
            type="button"
            className="button small primary"
            disabled={chosen.length === 0}
            onClick={() => setAsking({ verdict: "keep", items: chosen })}
          >
            Keep
          </button>
          <button
            type="button"
            className="button small"
            disabled={chosen.length === 0}
            onClick={() => setAsking({ verdict: "revoke", items: chosen })}
          >
            Revoke
          </button>
        </div>
      )}
      {items.data === undefined ? (
        <Answer of={items}>{() => <Loading lines={6} />}</Answer>
      ) : rows.length === 0 ? (
        <Empty title="No rights here">
          <p>Remove a filter to see others.</p>
        </Empty>
      ) : (
        <div inert={items.isPlaceholderData}>
          <ItemTable
            items={rows}
            picked={picked}
            onPick={(number, on) => {
              const next = new Set(picked);
              on ? next.add(number) : next.delete(number);
              setPicked(next);
            }}
            onDo={(verdict, item) => setAsking({ verdict, items: [item] })}
          />
        </div>
      )}
      {(items.data?.total ?? 0) > rows.length && (
        <div className="panel-head pager">
          <button type="button" className="button small" onClick={() => setShown(Math.min(1000, shown + 400))}>
            Show more
          </button>
          <span className="muted small">
            {rows.length} of {items.data?.total}
          </span>
        </div>
      )}
      {asking && (
        <DecideItems
          review={review.id}
          {...asking}
          onDecided={() => setPicked(new Set())}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
}

/** A filter by exact name, set when it is left or Enter is pressed. */
function Filter({
  label,
  value,
  onSet,
}: {
  label: string;
  value: string | null;
  onSet: (value: string | null) => void;
}) {
  return (
    <input
      key={value ?? ""}
      className="input small"
      aria-label={label}
      placeholder={label}
      defaultValue={value ?? ""}
      style={{ maxWidth: 180 }}
      onBlur={(event) => event.target.value.trim() !== (value ?? "") && onSet(event.target.value.trim() || null)}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}

function Progress({ review }: { review: OneAccessReview }) {
  return (
    <section className="panel flush table-wrap" aria-labelledby="progress">
      <div className="panel-head">
        <h2 id="progress">Who decides, and how far they are</h2>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th>Reviewers</th>
            <th>By</th>
            <th className="right">Open</th>
            <th className="right">Rights</th>
          </tr>
        </thead>
        <tbody>
          {review.reviewers.map((each) => (
            <tr key={`${each.why} ${each.users.join()}`}>
              <td className="anywhere">{each.users.join(", ") || "nobody"}</td>
              <td className="muted anywhere">{each.why}</td>
              <td className="right">{each.open}</td>
              <td className="right">{each.items}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
