import { expect, test } from "vitest";
import type { WeirEvent } from "@/api/types";
import { eventText } from "@/lib/events";

const event = (type: string, subject: string, data: Record<string, unknown> = {}): WeirEvent => ({
  id: "1",
  type,
  subject,
  time: "2026-01-01T00:00:00Z",
  sequence: "1",
  data,
});

test("a schema's change leads to the schema", () => {
  const text = eventText(event("weir.schema.changed", "prod/orders", { version: 3, changes: [{}, {}] }));
  expect(text).toEqual({
    what: "schema changed",
    about: "prod/orders",
    tone: "warn",
    more: "version 3 · 2 changes",
    to: "/datasets/prod/orders/schema",
  });
});

test("a failed scan leads to the scan, loudly", () => {
  expect(eventText(event("weir.scan.failed", "a/b"))).toMatchObject({ tone: "bad", to: "/admin/scans/a%2Fb" });
});

test("what nobody foresaw is told by its own name", () => {
  expect(eventText(event("weir.moon.rose", "sky"))).toEqual({
    what: "moon rose",
    about: "sky",
    tone: "",
    more: "",
    to: null,
  });
});

test("a review says what was decided, on what, by whom", () => {
  const data = { entity: "EMAIL_ADDRESS", path: "value.to", state: "rejected", by: "petra" };
  const text = eventText(event("weir.classification.reviewed", "prod/mails", data));
  expect([text.what, text.more]).toEqual(["detection rejected", "e-mail address in value.to · by petra"]);
});

test("a request is known by its dataset, a scan by its cluster", () => {
  expect(eventText(event("weir.access.requested", "req-1", { dataset: "prod/orders" }))).toMatchObject({
    about: "prod/orders",
    to: "/requests/req-1",
  });
  expect(eventText(event("weir.scan.finished", "ab12", { cluster: "prod", datasets: 4 }))).toMatchObject({
    about: "prod",
    more: "4 datasets",
  });
});

test("the page that an event names is where it leads, and no text", () => {
  const { more, to } = eventText(event("weir.incident.opened", "prod/orders", { path: "/incidents/4f" }));
  expect([more, to]).toEqual(["", "/incidents/4f"]);
});
