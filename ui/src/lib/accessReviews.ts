// Access reviews in words.
import type { AccessReview, ReviewItem } from "@/api/accessReviews";
import { plural } from "@/lib/format";

const OUTCOMES: Record<ReviewItem["outcome"], string> = {
  "": "",
  confirmed: "kept",
  unconfirmed: "kept, nobody decided",
  ended: "revoked",
  partly: "revoked here, continues at another source",
  "at-source": "ends only at its source",
  "ended-elsewhere": "ended by something else",
};

/** "kept by otto", "revoked, nobody decided": what became of an item; empty while it is open. */
export function decisionText(item: Pick<ReviewItem, "outcome" | "by" | "insteadOf">): string {
  const what = OUTCOMES[item.outcome];
  if (!what || item.outcome === "ended-elsewhere" || item.outcome === "unconfirmed") return what;
  if (item.by === "weir") return `${what}, nobody decided`;
  return `${what} by ${item.by}${item.insteadOf ? ` in place of ${item.insteadOf}` : ""}`;
}

/** Whether a decision needs a reason: to revoke always, to keep what was not used. */
export function needsReason(verdict: "keep" | "revoke" | "undo", items: Pick<ReviewItem, "unused">[]): boolean {
  return verdict === "revoke" || (verdict === "keep" && items.some((item) => item.unused));
}

/** The share of items that are not open any more, 0 to 1; a review without items is done. */
export function share(counts: AccessReview["counts"]): number {
  return counts.items === 0 ? 1 : (counts.items - counts.open) / counts.items;
}

/** "prod/orders, masked without it". */
export function seenText(item: Pick<ReviewItem, "evidence">): string[] {
  const lines = item.evidence.datasets.map((each) => {
    const left = each.without === null || each.without === each.shows ? "" : `, ${each.without} without it`;
    return `${each.dataset}: ${each.shows}${left}`;
  });
  const more = item.evidence.moreDatasets;
  return more > 0 ? [...lines, `${plural(more, "more dataset")}`] : lines;
}
