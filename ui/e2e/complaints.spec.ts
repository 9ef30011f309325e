// What users of other catalogs and Kafka pages complain about, each held here so that it stays away.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, ROOM, settled, still, visit, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const NS = "kafka://big:9092";
const dataset = (name: string) => `dataset:${NS}:${name}`;
const field = (name: string, path: string) => `datasetField:${NS}:${name}:${path}`;

interface Edge {
  source: string;
  target: string;
  kind?: string;
  job?: string;
  masked?: boolean;
  origin?: string;
}

/** A page whose lineage is this, in the place of the API's own. */
async function withLineage(edges: Edge[]): Promise<{ page: Page; close: () => Promise<void> }> {
  const { context, page, wrong } = await visit(browser, "admin");
  const whole = edges.map((e) => ({ kind: "feeds", masked: false, from: "2026-01-01T00:00:00Z", to: null, ...e }));
  const nodes = [...new Set(edges.flatMap((e) => [e.source, e.target]))].map((id) => ({
    id,
    type: id.startsWith("datasetField:") ? "field" : "dataset",
  }));
  await page.route("**/api/v1/lineage?*", (route) =>
    route.fulfill({ json: { nodes, edges: whole, truncated: false } }),
  );
  await page.route("**/api/v1/impact?*", (route) =>
    route.fulfill({ json: { root: "", affected: [], truncated: false } }),
  );
  return {
    page,
    close: async () => {
      await context.close();
      expect(wrong).toEqual([]);
    },
  };
}

const card = (page: Page, name: string) => page.locator(".card", { hasText: name });
/** Cards are placed and the view fitted a little after they are known: until the drawing is done with both. */
async function drawn(page: Page): Promise<void> {
  await page.locator('.drawing[aria-busy="false"]').waitFor();
  await still(page.locator(".card").first());
}
const CHAIN = ["a", "b", "c", "d", "e"].map((name, i, all) => ({
  source: dataset(`topic-${name}`),
  target: dataset(`topic-${all[i + 1] ?? "f"}`),
}));

test("a graph opens one hop each way, more on demand, closes again, and opens whole at once", async () => {
  const { page, close } = await withLineage(CHAIN);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-c"))}`);
  await card(page, "topic-d").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(3);
  await page.getByRole("button", { name: /Open 1 downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor();
  await page.getByRole("button", { name: /Close downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "2", exact: true }).click();
  await card(page, "topic-e").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(5);
  await page.getByRole("button", { name: "all", exact: true }).click();
  await card(page, "topic-f").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(6);
  await close();
});

test("opening a node leaves the view where it was", async () => {
  const { page, close } = await withLineage(CHAIN);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-b"))}`);
  await card(page, "topic-c").waitFor();
  await drawn(page);
  const before = await card(page, "topic-c").boundingBox();
  await page.getByRole("button", { name: /Open 1 downstream of topic-c/ }).click();
  await card(page, "topic-d").waitFor();
  await drawn(page);
  const after = await card(page, "topic-c").boundingBox();
  expect(Math.abs((after?.x ?? 0) - (before?.x ?? 0))).toBeLessThan(3);
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
  await close();
});

test("what a node opens to comes too late for another question, and stays out of its graph", async () => {
  const { page, close } = await withLineage(CHAIN);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const late = /\/lineage\?.*topic-d.*level=dataset/;
  await page.route(late, async (route) => {
    await held;
    await route.fallback();
  });
  const edge = { source: field("topic-c", "value.x"), target: field("topic-d", "value.x"), kind: "transforms" };
  const nodes = [edge.source, edge.target].map((id) => ({ id, type: "field" }));
  const columns = { nodes, edges: [{ ...edge, masked: false, from: "2026-01-01T00:00:00Z", to: null }] };
  await page.route(/\/lineage\?.*level=column/, (route) => route.fulfill({ json: { ...columns, truncated: false } }));
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-c"))}`);
  await card(page, "topic-d").waitFor();
  await page.getByRole("button", { name: /Open 1 downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor();
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await card(page, "topic-e").waitFor({ state: "detached" });
  const come = page.waitForResponse(late);
  answer();
  await (await come).finished();
  await drawn(page);
  expect(await card(page, "topic-e").count()).toBe(0);
  await close();
});

test("a wide table shows few columns, scrolls inside its card, and a click holds the light on one", async () => {
  const n = (i: number) => String(i).padStart(3, "0");
  const { page, close } = await withLineage(
    Array.from({ length: 120 }, (_, i) => ({
      source: field("wide", `value.column_${n(i)}`),
      target: field("copy", `value.column_${n(i)}`),
      kind: "transforms",
      masked: i === 60,
    })),
  );
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("wide"))}&level=column`);
  const wide = card(page, "wide");
  await wide.getByText("value.column_000").waitFor();
  await drawn(page);
  expect(await wide.locator(".card-field:not(.card-scroll)").count()).toBeLessThanOrEqual(10);
  await wide.getByText("value.column_000").hover();
  await page.mouse.wheel(0, 400);
  await wide.getByText("value.column_000").waitFor({ state: "detached" });
  const listed = wide.locator(".card-field:not(.card-scroll) button");
  const before = (await listed.last().textContent()) ?? "";
  await page.getByRole("button", { name: "Fields after these of wide" }).click();
  await wide.getByText(before).waitFor({ state: "detached" });
  const name = (await listed.nth(2).textContent()) ?? "";
  await wide.getByRole("button", { name, exact: true }).click();
  const lit = page.locator(".card-field.lit");
  await expect.poll(() => lit.allTextContents()).toEqual([name, name]);
  await page.mouse.move(5, 400);
  await drawn(page);
  expect(await lit.allTextContents()).toEqual([name, name]);
  await page.keyboard.press("Escape");
  await lit.first().waitFor({ state: "detached" });
  await close();
});

test("many leaves stand as one card that opens, and names grow when one looks from afar", async () => {
  const { page, close } = await withLineage(
    Array.from({ length: 60 }, (_, i) => ({
      source: dataset("hub"),
      target: dataset(`leaf-${i}`),
      job: `job:shop:copy_${i}`,
    })),
  );
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("hub"))}`);
  await page.getByText("60 datasets").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(2);
  await page.getByRole("button", { name: /Show 60 datasets/ }).click();
  await page.locator(".react-flow__minimap").waitFor();
  for (let i = 0; i < 6; i++) await page.getByRole("button", { name: /zoom out/i }).click();
  await page.locator(".drawing.mid").waitFor();
  await page.getByRole("button", { name: "Group again" }).click();
  await page.getByText("60 datasets").waitFor();
  await close();
});

test("masked, declared and raw flows are drawn apart, and the graph is taken along as text and picture", async () => {
  const { page, close } = await withLineage([
    { source: dataset("in"), target: dataset("raw") },
    { source: dataset("in"), target: dataset("hashed"), masked: true },
    { source: dataset("in"), target: dataset("planned"), origin: "declared" },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("in"))}`);
  await card(page, "planned").waitFor();
  const dashes = async () => {
    const paths = page.locator(".react-flow__edge-path");
    return new Set(await paths.evaluateAll((all) => all.map((p) => (p as SVGPathElement).style.strokeDasharray))).size;
  };
  await expect.poll(dashes).toBe(3);
  for (const [item, begins] of [
    ["Mermaid", "flowchart LR"],
    ["Graphviz (DOT)", "digraph lineage"],
    ["Picture (SVG)", "<svg "],
    ["Picture (PNG)", "\u0089PNG"],
  ] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const arriving = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: item }).click();
    const { readFile } = await import("node:fs/promises");
    const text = (await readFile(await (await arriving).path())).toString("latin1");
    expect(text.startsWith(begins), item).toBe(true);
  }
  await close();
});

/** The query page with this answer in the place of the engine's. */
async function withAnswer(rows: unknown[][], names: string[]): Promise<{ page: Page; close: () => Promise<void> }> {
  const { context, page, wrong } = await visit(browser, "admin");
  const columns = names.map((name) => ({ name, type: "string", decision: null }));
  await page.route("**/api/v1/query", (route) =>
    route.fulfill({
      json: { columns, rows, decision: { effect: "allow", reasons: [] }, window: { tables: [] }, truncated: false },
    }),
  );
  await page.goto(`${WEIR}/query?sql=SELECT+1`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".grid-row").nth(1).waitFor();
  return {
    page,
    close: async () => {
      await context.close();
      expect(wrong).toEqual([]);
    },
  };
}

test("a record of 300 kB freezes nothing, and is searched from inside", async () => {
  const items = Array.from({ length: 4000 }, (_, i) => ({ sku: `sku-${i}`, note: "x".repeat(50), nested: { n: i } }));
  const { page, close } = await withAnswer(
    Array.from({ length: 50 }, (_, i) => [i, { items }]),
    ["id", "value"],
  );
  const begun = Date.now();
  await page.getByRole("button", { name: "Open row 1", exact: true }).click();
  await page.getByRole("dialog").getByText("4000 items").waitFor();
  expect(Date.now() - begun).toBeLessThan(3000 * ROOM);
  expect(await page.getByRole("dialog").locator("li").count()).toBeLessThan(1000);
  await page.getByLabel("Filter names and values").fill("sku-3977");
  await page.getByRole("dialog").getByText("sku-3977").waitFor();
  await page.getByRole("dialog").getByText("sku-12", { exact: true }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator('[aria-label="Open row 1"]:focus').waitFor(); // the keyboard goes on where it was
  await close();
});

test("a schema folds, filters into nested fields, and is walked by keys", async () => {
  const { context, page, wrong } = await visit(browser, "admin");
  await page.goto(`${WEIR}/datasets/prod/orders/schema`);
  await page.waitForSelector(".tree-row");
  await settled(page);
  await still(page.locator(".tree-row").last());
  const all = await page.locator(".tree-row").count();
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await page.waitForFunction((n) => document.querySelectorAll(".tree-row").length < n, all);
  await page.getByLabel("Filter fields").fill("gift_email");
  await page.locator(".tree-row", { hasText: "gift_email" }).waitFor();
  await expect.poll(() => page.locator(".tree-row").count()).toBeLessThan(6);
  await page.getByLabel("Filter fields").fill("");
  await page.getByRole("button", { name: "Unfold", exact: true }).click();
  await expect.poll(() => page.locator(".tree-row").count()).toBe(all);
  await page.locator(".tree").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((n) => document.querySelectorAll(".tree-row").length < n, all);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/field=/);
  await context.close();
  expect(wrong).toEqual([]);
});

test("five thousand topics are one question to Weir, none to the broker, and the list stays quick", async () => {
  const { context, page, wrong } = await visit(browser, "admin");
  const one = (i: number) => ({
    namespace: NS,
    name: `topic-${i}`,
    cluster: "big",
    reference: `big/topic-${i}`,
    description: "",
    owners: [],
    tags: [],
    terms: [],
    format: { value: "json" },
    topic: { retained: i },
    scan: {},
  });
  const asked: string[] = [];
  page.on("request", (r) => r.url().includes("/api/v1/datasets") && asked.push(r.url()));
  await page.route("**/api/v1/datasets?*", (route) =>
    route.fulfill({ json: { datasets: Array.from({ length: 5000 }, (_, i) => one(i)), total: 5000 } }),
  );
  await page.goto(`${WEIR}/datasets`);
  await page.getByText("topic-0", { exact: true }).waitFor();
  expect(asked).toHaveLength(1);
  expect(await page.locator(".datasets-row").count()).toBeLessThan(150);
  await page.getByLabel("Filter datasets").fill("topic-4321");
  await page.getByText("topic-4321", { exact: true }).waitFor();
  await context.close();
  expect(wrong).toEqual([]);
});

test("a tail of a million rows keeps the newest and stays alive", async () => {
  const { context, page, wrong } = await visit(browser, "admin");
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const rows = (from: number) => Array.from({ length: 20_000 }, (_, i) => [`row-${from + i}`]);
  let body = event("columns", { columns: [{ name: "id", type: "string", decision: null }] });
  for (let i = 0; i < 50; i++) body += event("rows", { rows: rows(i * 20_000) });
  await page.route("**/api/v1/query/stream?*", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await page.goto(`${WEIR}/query?sql=${encodeURIComponent("SELECT id FROM a EMIT CHANGES")}`);
  await page.getByRole("button", { name: "Follow" }).click();
  await page.getByText("row-999999", { exact: true }).waitFor({ timeout: 30_000 });
  await page.getByText(/1,000,000 rows so far/).waitFor();
  expect(await page.locator(".grid-row").count()).toBeLessThan(200);
  await context.close();
  expect(wrong).toEqual([]);
});

test("a statement followed anew is not ended by the end of the one before, and Stop ends it", async () => {
  const { context, page, wrong } = await visit(browser, "admin");
  let asked = 0;
  await page.route("**/api/v1/query/stream?*", () => {
    asked += 1; // no answer: it goes on connecting
  });
  await page.goto(`${WEIR}/query?sql=${encodeURIComponent("SELECT id FROM a EMIT CHANGES")}`);
  await page.getByRole("button", { name: "Follow" }).click();
  await expect.poll(() => asked).toBe(1);
  const given = page.waitForEvent("requestfailed", (request) => request.url().includes("/query/stream"));
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+Enter");
  await given;
  await expect.poll(() => asked).toBe(2);
  await settled(page);
  await page.getByText("connecting", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("You stopped it.").waitFor();
  await page.getByRole("button", { name: "Follow" }).waitFor();
  await context.close();
  expect(wrong).toEqual([]);
});

test("search narrows by facets, and every filter lies in the address", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(`${WEIR}/search?q=email`);
  await settled(page);
  await page.getByRole("button", { name: /^field/ }).click();
  await page.waitForURL(/kind=field/);
  await page.reload();
  await settled(page);
  await page.getByRole("button", { name: /^field/, pressed: true }).waitFor();
  await context.close();
});
