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
