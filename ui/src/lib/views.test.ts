import { describe, expect, it } from "vitest";
import type { RowsColumn } from "@/api/types";
import type { ServerEvent } from "@/lib/sse";
import { applied, KEPT_ROWS, lagText, linePath, NOTHING, toneOf, viewDocument, viewYaml } from "@/lib/views";

const columns = [
  { name: "email", type: "string", decision: { effect: "clear" } },
  { name: "total", type: "bigint", decision: { effect: "clear" } },
] as unknown as RowsColumn[];

const event = (kind: string, data: unknown, id?: string): ServerEvent => ({
  event: kind,
  data: JSON.stringify(data),
  ...(id ? { id } : {}),
});
const snapshot = (rows: unknown[][], more: object = {}) =>
  event("snapshot", { generation: 1, columns, key: ["email"], rows, last: true, ...more });

describe("rows that follow from events", () => {
  it("takes a snapshot in pages and every change after it", () => {
    const first = applied(NOTHING, [snapshot([["a", 1]], { last: false })]);
    expect(first.whole).toBe(false);
    const then = applied(first, [
      event("snapshot", { generation: 1, rows: [["b", 2]], last: true }),
      event("upsert", { generation: 1, key: ["b"], row: ["b", 3] }),
      event("delete", { generation: 1, key: ["a"] }),
      event("upsert", { generation: 1, key: ["c"], row: ["c", 9] }),
    ]);
    expect([...then.rows.values()]).toEqual([
      ["b", 3],
      ["c", 9],
    ]);
    expect(then).toMatchObject({ whole: true, changes: 3, generation: 1, changed: ['["c"]', '["b"]'] });
    expect([...first.rows.values()]).toEqual([["a", 1]]);
  });

  it("begins again with another generation, and keeps what it had when it is resumed", () => {
    const had = applied(NOTHING, [snapshot([["a", 1]])]);
    const resumed = applied(had, [event("resumed", { generation: 1, columns, key: ["email"] })]);
    expect([...resumed.rows.values()]).toEqual([["a", 1]]);
    const swapped = applied(resumed, [
      event("generation", { generation: 2, before: 1, why: "its declaration changed" }),
      snapshot([["z", 5]], { generation: 2, reason: "The view has another generation." }),
    ]);
    expect([...swapped.rows.values()]).toEqual([["z", 5]]);
    expect(swapped).toMatchObject({ generation: 2, reason: "The view has another generation.", changed: [] });
  });

  it("tells rows without a key apart by their place", () => {
    const page = snapshot(
      [
        ["a", 1],
        ["a", 1],
      ],
      {
        key: [],
        keys: [
          [0, 1],
          [0, 2],
        ],
      },
    );
    const now = applied(NOTHING, [page, event("upsert", { key: [0, 3], row: ["a", 1] })]);
    expect(now.rows.size).toBe(3);
  });

  it("keeps a bounded number of rows and says that there are more", () => {
    const many = Array.from({ length: KEPT_ROWS + 1 }, (_, n) => [`k${n}`, n]);
    const now = applied(NOTHING, [snapshot(many)]);
    expect(now.rows.size).toBe(KEPT_ROWS);
    expect(now.more).toBe(true);
  });

  it("knows why the stream ended", () => {
    const now = applied(NOTHING, [event("end", { code: "not_allowed", message: "No.", reasons: ["a"] })]);
    expect(now.end).toEqual({ code: "not_allowed", message: "No.", reasons: ["a"] });
  });
});

describe("states and lag", () => {
  it("says how far a view is", () => {
    expect(lagText({ records: 0, seconds: 0 })).toBe("up to date");
    expect(lagText({ records: 1200, seconds: 3.4 })).toBe("1,200 records, 3 s behind");
    expect(lagText({ records: null, seconds: null })).toBe("–");
    expect([toneOf("running"), toneOf("failed"), toneOf("paused")]).toEqual(["ok", "bad", ""]);
  });

  it("draws a line that is parted where nothing is known", () => {
    const at = { at: "x", seconds: 0, recordsInPerSecond: 0, rowsOutPerSecond: 0, batchSeconds: 0 };
    const samples = [10, 5, null, 0].map((records) => ({ ...at, records }));
    expect(linePath(samples, "records", 30, 10)).toBe("M0.0,0.0L10.0,5.0M30.0,10.0L30.0,10.0");
    expect(linePath([], "records", 30, 10)).toBe("");
  });
});

describe("a view from a query", () => {
  const wished = {
    name: " spend ",
    sql: "SELECT email FROM prod.orders EMIT CHANGES;",
    user: "ana",
    purpose: "",
    key: "email, total",
    cluster: "prod",
    topic: "",
  };
  it("declares the query, its key and whom it runs as", () => {
    expect(viewDocument(wished)).toEqual({
      apiVersion: "weir/v1",
      kind: "View",
      metadata: { name: "spend" },
      spec: { sql: "SELECT email FROM prod.orders", runAs: { user: "ana" }, key: ["email", "total"] },
    });
    expect(viewDocument({ ...wished, key: "", topic: "out", purpose: "ads" }).spec).toEqual({
      sql: "SELECT email FROM prod.orders",
      runAs: { user: "ana", purpose: "ads" },
      sink: { cluster: "prod", topic: "out" },
    });
  });
  it("is YAML that keeps a statement of several lines", () => {
    expect(viewYaml({ ...wished, sql: "SELECT 1\nFROM a: b" })).toContain('  sql: "SELECT 1\\nFROM a: b"\n');
  });
});
