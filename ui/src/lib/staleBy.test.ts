import { expect, test } from "vitest";
import { staleBy, toldRequester } from "@/lib/staleBy";

test("an event makes stale what it touches, and always the list of events", () => {
  expect(staleBy("weir.access.decided")).toEqual(["events", "requests", "request"]);
  expect(staleBy("weir.grant.revoked")).toContain("grants");
  expect(staleBy("weir.something.else")).toEqual(["events"]);
});

const decided = (data: Record<string, unknown>) => ({
  type: "weir.access.decided",
  subject: "req-1",
  data: { dataset: "prod/orders", requester: "ana", by: "otto", ...data },
});

test("the requester is told of a decision of others, and nobody else is", () => {
  expect(toldRequester(decided({ state: "approved" }), "ana")).toEqual({
    text: "otto approved your request for prod/orders: you have access now.",
    request: "req-1",
    good: true,
  });
  expect(toldRequester(decided({ state: "denied" }), "ana")?.text).toBe("otto denied your request for prod/orders.");
  expect(toldRequester(decided({ state: "pending" }), "ana")?.text).toContain("approved a stage");
  expect(toldRequester(decided({ state: "approved" }), "petra")).toBeNull();
  expect(toldRequester(decided({ state: "denied", by: "ana" }), "ana")).toBeNull();
  expect(toldRequester({ ...decided({}), type: "weir.access.requested" }, "ana")).toBeNull();
});
