// The topic browser: newest first, places, filters by a click, masks with their reason, a large record, following.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { produce } from "./produce";
import { sampled } from "./sampled";
import { launch, ROOM, visit, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

async function as(user: string, path: string, look = {}): Promise<{ page: Page; close: () => Promise<void> }> {
  const { context, page, wrong } = await visit(browser, user, look);
  await page.goto(`${WEIR}${path}`);
  return {
    page,
    close: async () => {
      await context.close();
      expect(wrong).toEqual([]);
    },
  };
}

const cells = (page: Page, column: number) =>
  page
    .locator(`.grid-row:not(.grid-head) [role="cell"]:nth-child(${column})`)
    .evaluateAll((all) => all.map((cell) => cell.textContent ?? ""));

test("records come newest first, a page further leads to older ones and back", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.locator(".grid-row").nth(2).waitFor({ timeout: 90_000 });
  const first = (await cells(page, 2)).map((t) => Date.parse(t));
  expect(first.length).toBeGreaterThan(5);
  expect(first).toEqual([...first].sort((a, b) => b - a));
  await page.getByRole("button", { name: "Older" }).click();
  await page.waitForURL(/cursor=/);
  await expect.poll(async () => Date.parse((await cells(page, 2))[0] ?? "")).toBeLessThan(first.at(-1) ?? 0);
  await page.getByRole("button", { name: "Newer" }).click();
  await expect.poll(async () => Date.parse((await cells(page, 2))[0] ?? "")).toBe(first[0]);
  await close();
});

test("a partition and an offset are chosen, and the address leads there again", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.locator(".grid-row").nth(2).waitFor({ timeout: 90_000 });
  await page.getByLabel("Partition", { exact: true }).selectOption("1");
  await page.getByLabel("Begin").selectOption("offset");
  await page.getByLabel("Offset").fill("10");
  await page.getByLabel("Offset").press("Enter");
  await page.waitForURL(/offset=10/);
  await expect.poll(async () => (await cells(page, 4))[0]).toBe("10");
  expect(new Set(await cells(page, 3))).toEqual(new Set(["1"]));
  await page.reload();
  await expect.poll(async () => (await cells(page, 4))[0]).toBe("10");
  await close();
});

test("a record opens as a tree; a click on a value filters by it, and the filter can be removed", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.getByRole("button", { name: "Open row 1", exact: true }).click({ timeout: 90_000 });
  const dialog = page.getByRole("dialog");
  await dialog.getByText("order_id").waitFor();
  await dialog.getByText("order_id").hover();
  await dialog.getByRole("button", { name: /^Only records where value\.region=/ }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL(/field=value\.region/);
  await page.locator(".grid-row").nth(2).waitFor();
  const chip = page.getByRole("button", { name: /^Remove the filter value\.region=/ });
  await chip.click();
  await chip.waitFor({ state: "detached" });
  await close();
});

test("text is looked for; nothing that fits is said in words", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.getByLabel("Text to look for").fill("no record has this text");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("The topic has none that you may see and that fit.").waitFor({ timeout: 90_000 });
  await close();
});

test("an analyst sees masks with their reason, and no value as it was sent", async () => {
  const { page, close } = await as("ana", "/datasets/prod/orders/records?view=tree");
  const first = page.locator(".record").first();
  await first.waitFor({ timeout: 90_000 });
  const mask = first.getByRole("button", { name: /^Masked: .* by / }).first();
  await mask.waitFor();
  await first.getByRole("button", { name: /^Partition/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Raw", exact: true }).click();
  await page.getByText("As shown to you").waitFor();
  await close();
});

test("who sees every field sees a record as it was sent", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.getByRole("button", { name: "Open row 1", exact: true }).click({ timeout: 90_000 });
  await page.getByRole("dialog").getByRole("button", { name: "Raw", exact: true }).click();
  await expect.poll(() => page.locator(".record-raw").textContent()).toMatch(/^\{"order_id"/);
  await close();
});

test("what arrives is followed in the same place", async () => {
  const { page, close } = await as("otto", "/datasets/prod/orders/records");
  await page.locator(".grid-row").nth(2).waitFor({ timeout: 90_000 });
  await page.getByRole("button", { name: "Follow" }).click();
  await page.getByText("live", { exact: true }).waitFor({ timeout: 60_000 });
  const id = `follow-${Date.now().toString(36)}`;
  await produce("prod", "orders", "someone", { order_id: id, region: "EU" });
  await page.getByText(id).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop following" }).click();
  await expect.poll(async () => (await page.locator(".grid").textContent()) ?? "").toContain(id);
  await close();
}, 150_000);

test("a record of 5 MB freezes nothing: it comes cut, opens whole, and its text is drawn a piece at a time", async () => {
  const { context, page, wrong } = await visit(browser, "petra");
  const clear = { effect: "clear", text: "clear" };
  const big = {
    text: "x".repeat(2_500_000),
    items: Array.from({ length: 50_000 }, (_, n) => ({ n, note: "y".repeat(30) })),
  };
  await page.route("**/api/v1/datasets/prod/orders/records**", (route) => {
    const whole = new URL(route.request().url()).searchParams.get("whole") === "true";
    const value = whole ? big : { text: `${"x".repeat(300)}…`, items: big.items.slice(0, 10) };
    const record = {
      partition: 0,
      offset: 7,
      timestamp: "2026-03-01T12:00:00Z",
      key: "k",
      headers: {},
      value,
      bytes: 5_000_000,
      shownBytes: 5_000_000,
      cut: !whole,
      ...(whole ? { raw: JSON.stringify(big) } : {}),
    };
    return route.fulfill({
      json: {
        dataset: "prod/orders",
        order: "newest",
        records: [record],
        key: { type: "string", decision: clear },
        headers: { type: "map<string,string>", decision: clear },
        columns: [
          { name: "text", type: "string", decision: clear },
          { name: "items", type: "array<struct<n:int,note:string>>", decision: clear },
        ],
        rawType: whole ? "string" : null,
        rawReadable: true,
        select: [],
        older: null,
        newer: null,
        searched: { records: 1, left: 0 },
        partitions: [{ partition: 0, start: 0, end: 8 }],
        decision: { effect: "allow", reasons: [], gaps: [], grants: [], filters: [], expires: null },
        truncated: false,
        unreadable: {},
        unreadableText: null,
        notes: [],
        sql: "SELECT 1",
        follow: "SELECT 1",
      },
    });
  });
  await page.goto(`${WEIR}/datasets/prod/orders/records?view=tree`);
  await page.getByText("cut; open it to see all").waitFor({ timeout: 90_000 });
  const begun = Date.now();
  await page.getByRole("button", { name: "Partition 0, offset 7" }).click();
  await page.getByRole("dialog").getByText("50000 items").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Raw", exact: true }).click();
  await page.getByText("more characters").waitFor();
  expect(Date.now() - begun).toBeLessThan(3000 * ROOM);
  expect((await page.locator(".record-raw").textContent())?.length).toBeLessThan(200_000);
  await context.close();
  expect(wrong).toEqual([]);
});

test.each(sampled([{}, { dark: true }, { width: 390, height: 800 }], 3))(
  "every view of records is accessible: %o",
  async (look) => {
    for (const view of ["", "?view=tree", "?view=raw"]) {
      const { page, close } = await as("ana", `/datasets/prod/orders/records${view}`, look);
      await page.locator(".grid-row, .record").nth(1).waitFor({ timeout: 90_000 });
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await close();
    }
  },
  150_000,
);

test("an owner sees partitions, configuration and ACLs; who may not see ACLs reads who can", async () => {
  const { page, close } = await as("otto", "/datasets/prod/orders/topic");
  await page.getByRole("table", { name: "Partitions" }).getByText("broker 1").first().waitFor();
  await page.getByRole("table", { name: "Configuration" }).getByText("set for this topic").first().waitFor();
  await page.getByRole("button", { name: "With defaults" }).click();
  await page.getByRole("table", { name: "Configuration" }).getByText("cleanup.policy").waitFor();
  await page.getByText("The brokers have no authorizer").waitFor();
  await page.getByText(/records? by their times/).waitFor();
  await close();
  const other = await as("ana", "/datasets/prod/orders/topic");
  await other.page.getByText("for who has the permission “report:read”").waitFor();
  await other.close();
});

test("a subject shows its text", async () => {
  const { page, close } = await as("otto", "/datasets/prod/payments/topic");
  await page.getByText("payments-value").click();
  await page.locator(".schema-lines").getByText("payment_id").waitFor();
  await close();
});

test("find a topic, its newest records, the lag of a group and who reads it, in seven clicks", async () => {
  // The list draws the rows in sight, so the topic is found by typing.
  const { page, close } = await as("otto", "/datasets?filter=orders");
  await page.getByRole("link", { name: "orders", exact: true }).click();
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await page.locator(".grid-row").nth(2).waitFor({ timeout: 90_000 });
  await page.getByRole("link", { name: "Consumers", exact: true }).click();
  await page.locator(".group-head").filter({ hasText: "order_mails" }).click();
  await page.getByRole("table", { name: "Partitions that order_mails reads" }).waitFor();
  await page.getByRole("heading", { name: "Readers by lineage" }).waitFor();
  await page.getByRole("heading", { name: "Writers by lineage" }).waitFor();
  await close();
});

test("the list of datasets has the lag of each topic, which leads to its groups", async () => {
  const { page, close } = await as("otto", "/datasets?filter=orders");
  await page.locator(".datasets-row .lag a").first().click();
  await page.waitForURL(/\/consumers$/);
  await close();
});

test.each(sampled([{}, { dark: true }, { width: 390, height: 800 }], 3))(
  "the tabs of the topic are accessible: %o",
  async (look) => {
    for (const [tab, ready] of [
      ["topic", ".bar-chart"],
      ["consumers", ".group-head"],
    ]) {
      const { page, close } = await as("otto", `/datasets/prod/orders/${tab}`, look);
      await page
        .locator(ready ?? "")
        .first()
        .waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await close();
    }
  },
  150_000,
);

test("records are filtered as one types, and one is taken along as a command", async () => {
  const { page, close } = await as("petra", "/datasets/prod/orders/records");
  await page.locator(".grid-row").nth(2).waitFor({ timeout: 90_000 });
  await page.getByLabel("Filter as you type").fill("no record shows this");
  await expect.poll(() => page.getByRole("status").first().textContent(), { timeout: 90_000 }).toMatch(/^0 of [1-9]/);
  await page.getByLabel("Filter as you type").fill("o-10");
  await page.locator(".grid-row").nth(2).waitFor();
  await page.getByRole("button", { name: "Open row 1", exact: true }).click();
  await page.getByRole("button", { name: "Copy the record" }).click();
  await page.getByRole("menuitem", { name: "Copy as curl" }).waitFor();
  await page.getByRole("menuitem", { name: /Copy as kcat/ }).waitFor();
  await close();
});
