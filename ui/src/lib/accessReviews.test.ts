import { expect, test } from "vitest";
import { decisionText, needsReason, seenText, share } from "@/lib/accessReviews";

test("what became of an item is told with who decided", () => {
  expect(decisionText({ outcome: "", by: null, insteadOf: null })).toBe("");
  expect(decisionText({ outcome: "confirmed", by: "otto", insteadOf: null })).toBe("kept by otto");
  expect(decisionText({ outcome: "ended", by: "dora", insteadOf: "otto" })).toBe("revoked by dora in place of otto");
  expect(decisionText({ outcome: "ended", by: "weir", insteadOf: null })).toBe("revoked, nobody decided");
  expect(decisionText({ outcome: "unconfirmed", by: "weir", insteadOf: null })).toBe("kept, nobody decided");
  expect(decisionText({ outcome: "ended-elsewhere", by: null, insteadOf: null })).toBe("ended by something else");
});

test("to revoke, and to keep what was not used, takes a reason", () => {
  expect(needsReason("revoke", [{ unused: false }])).toBe(true);
  expect(needsReason("keep", [{ unused: false }])).toBe(false);
  expect(needsReason("keep", [{ unused: false }, { unused: true }])).toBe(true);
  expect(needsReason("undo", [{ unused: true }])).toBe(false);
});

test("how far a review is", () => {
  const counts = { items: 4, open: 1, kept: 2, unconfirmed: 0, revoked: 1, atSource: 0, gone: 0, unused: 0 };
  expect(share(counts)).toBe(0.75);
  expect(share({ ...counts, items: 0, open: 0 })).toBe(1);
});

test("what a right lets its holder see, and what is left without it", () => {
  const seen = { fields: { clear: 1, masked: 0, hidden: 0 }, masks: [], personal: [] };
  const datasets = [
    { dataset: "prod/orders", shows: "clear", without: "masked", ...seen },
    { dataset: "prod/stock", shows: "clear", without: "clear", ...seen },
    { dataset: "prod/people", shows: "partly", without: null, ...seen },
  ] as const;
  const evidence = { datasets: [...datasets], moreDatasets: 2, lastUsed: null, lookedSince: "", young: false };
  expect(seenText({ evidence })).toEqual([
    "prod/orders: clear, masked without it",
    "prod/stock: clear",
    "prod/people: partly",
    "2 more datasets",
  ]);
});
