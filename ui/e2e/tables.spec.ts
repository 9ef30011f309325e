// Tables as a person sets them: columns hidden, widths by mouse and by keys, long text in one line; all kept for them,
// in this browser. Answers are given, so that the tables are wide and the same everywhere.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { painted, settled, visitors } from "./weir";

const as = visitors();

const connector = (name: string, plugin: string) => ({
  name,
  state: "running",
  type: "sink",
  plugin,
  cluster: "prod",
  worker: "http://127.0.0.1:8083",
  tasks: [{ id: 0, state: "running", worker: "127.0.0.1:8083", error: null }],
  error: null,
  differs: ["transforms.route.replacement", "transforms.route.regex", "errors.deadletterqueue.topic.name"],
  pending: null,
  deadLetters: `${name}.dead-letters-of-this-connector`,
  description: "",
  owners: [{ group: "team-orders" }, { group: "team-payments" }, { group: "team-newsletter" }],
  may: { operate: true },
});
const CONNECTORS = [
  connector("b-orders-to-file", "org.apache.kafka.connect.file.FileStreamSinkConnector"),
  connector("a-orders-to-search", "io.example.SearchSinkConnector"),
];

async function connectors(page: Page): Promise<Locator> {
  await page.route(/\/api\/v1\/connectors$/, (route) => route.fulfill({ json: { connectors: CONNECTORS } }));
  await page.reload();
  await page.getByRole("link", { name: "b-orders-to-file", exact: true }).waitFor();
  await settled(page);
  return page.getByRole("table", { name: "Connectors" });
}

const heads = async (table: Locator) => (await table.locator("thead th").allTextContents()).map((head) => head.trim());
const wide = async (what: Locator) => Math.round((await what.boundingBox())?.width ?? 0);

async function choose(page: Page, what: string, role: "menuitemcheckbox" | "menuitem" = "menuitemcheckbox") {
  await page.getByRole("button", { name: /^Columns of/ }).click();
  await page.getByRole(role, { name: what, exact: true }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
}

test("a column that is hidden and a width that is dragged are kept for the person, until they reset them", async () => {
  const page = await as("admin", "/connectors");
  const table = await connectors(page);
  expect(await heads(table)).toContain("Plugin");
  await choose(page, "Plugin");
  expect(await heads(table)).not.toContain("Plugin");
  await page.getByRole("button", { name: /^Columns of.*1 hidden$/ }).waitFor();

  const head = table.getByRole("columnheader", { name: /^State/ });
  const edge = page.getByRole("separator", { name: "Width of State", exact: true });
  const before = await wide(head);
  const box = await edge.boundingBox();
  if (!box) throw new Error("The head has no edge to drag.");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 4 });
  await page.mouse.move(x + 90, y, { steps: 4 });
  await page.mouse.up();
  await painted(page);
  expect(Math.abs((await wide(head)) - before - 90)).toBeLessThanOrEqual(2);
  const dragged = await wide(head);

  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => wide(head)).toBe(dragged - 16);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => wide(head)).toBe(dragged);
  expect(await edge.getAttribute("aria-valuenow")).toBe(String(dragged));

  await page.reload();
  await page.getByRole("link", { name: "b-orders-to-file", exact: true }).waitFor();
  await expect.poll(() => wide(head)).toBe(dragged);
  expect(await heads(table)).not.toContain("Plugin");
  expect(await seriousFindings(page)).toEqual([]);

  await choose(page, "Reset columns and widths", "menuitem");
  expect(await heads(table)).toContain("Plugin");
  await expect.poll(() => wide(head)).toBe(before);
}, 90_000);

test("long text stands in one line or wraps, and the choice is kept", async () => {
  const page = await as("admin", "/connectors");
  const table = await connectors(page);
  const cell = table.locator("tbody tr").first().locator("td").nth(6);
  const lines = () =>
    cell.evaluate((td) => getComputedStyle(td).whiteSpaceCollapse + getComputedStyle(td).textWrapMode);
  expect(await lines()).toContain("wrap");
  await choose(page, "Wrap long text");
  await expect.poll(lines).toContain("nowrap");
  await page.reload();
  await page.getByRole("link", { name: "b-orders-to-file", exact: true }).waitFor();
  await expect.poll(lines).toContain("nowrap");
  await choose(page, "Wrap long text");
  await expect.poll(lines).not.toContain("nowrap");
}, 60_000);

test("the first column stays at the left while the others scroll, on a phone too", async () => {
  const page = await as("admin", "/connectors");
  const table = await connectors(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await painted(page);
  const first = table.locator("tbody td").first();
  const last = table.locator("tbody tr").first().locator("td").last();
  const at = async (what: Locator) => (await what.boundingBox())?.x ?? Number.NaN;
  const [left, far] = [await at(first), await at(last)];
  await page.getByRole("region", { name: "Connectors" }).evaluate((region) => {
    region.scrollLeft = region.scrollWidth;
  });
  await painted(page);
  expect(await at(first)).toBeCloseTo(left, 0);
  expect(await at(last)).toBeLessThan(far - 50);
  expect(await wide(first)).toBeLessThan(220);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(1);
}, 60_000);

test("a click on a head sorts, and j, k and the arrows step through the rows", async () => {
  const page = await as("admin", "/connectors");
  const table = await connectors(page);
  const names = () => table.locator("tbody tr td:first-child a").allTextContents();
  expect(await names()).toEqual(["b-orders-to-file", "a-orders-to-search"]);
  await table.getByRole("button", { name: "Connector", exact: true }).click();
  await expect.poll(names).toEqual(["a-orders-to-search", "b-orders-to-file"]);
  const focus = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press("j");
  await expect.poll(focus).toBe("a-orders-to-search");
  await page.keyboard.press("j");
  await expect.poll(focus).toBe("b-orders-to-file");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowDown");
  await expect.poll(focus).toBe("b-orders-to-file");
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.getByText("next and previous row, from anywhere").waitFor();
  await keys.getByText("Access reviews", { exact: true }).waitFor();
  expect(await keys.getByText(/run the statement|fold and unfold/).count()).toBe(0);
}, 60_000);

test("columns of a result are hidden and sized too, and the same result has them so again", async () => {
  const page = await as("admin", "/query?sql=SELECT+1");
  const columns = ["id", "note", "_headers"].map((name) => ({ name, type: "string", decision: null }));
  const rows = Array.from({ length: 40 }, (_, i) => [i, `note ${i} ${"long ".repeat(80)}`, "{}"]);
  await page.route("**/api/v1/query", (route) =>
    route.fulfill({
      json: { columns, rows, decision: { effect: "allow", reasons: [] }, window: { tables: [] }, truncated: false },
    }),
  );
  const run = async () => {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".grid-row").nth(2).waitFor();
  };
  await run();
  const shown = () => page.locator(".grid-head .column-name").allTextContents();
  await choose(page, "_headers");
  await expect.poll(shown).toEqual(["id", "note"]);
  const head = page.locator('.grid-head [data-column="id"]');
  await page.getByRole("separator", { name: "Width of id", exact: true }).focus();
  const before = await wide(head);
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => wide(head)).toBe(before + 64);
  const row = page.locator('.grid-row[data-index="0"]');
  const low = (await row.boundingBox())?.height ?? 0;
  await choose(page, "Wrap long text");
  await expect.poll(async () => (await row.boundingBox())?.height ?? 0).toBeGreaterThan(low);
  await page.reload();
  await run();
  await expect.poll(shown).toEqual(["id", "note"]);
  await expect.poll(() => wide(head)).toBe(before + 64);
  expect(await seriousFindings(page)).toEqual([]);
}, 90_000);

const PHONE = { width: 390, height: 780 };

test("on a phone the column that names a row keeps room for words, and the current tab is visible", async () => {
  for (const [user, path] of [
    ["petra", "/fields?entity=EMAIL_ADDRESS"],
    ["petra", "/datasets/prod/orders/personal-data"],
    ["admin", "/views"],
    ["admin", "/requests?show=grants"],
    ["admin", "/admin/clusters"],
    ["admin", "/admin/scans"],
    ["petra", "/people/ana"],
    ["petra", "/reports?entity=EMAIL_ADDRESS"],
  ] as const) {
    const page = await as(user, path);
    await page.setViewportSize(PHONE);
    await settled(page);
    const first = page.locator("table.data tbody td.pinned:not(.tool)").first();
    await first.waitFor();
    expect(await wide(first), path).toBeGreaterThan(100);
  }
  const page = await as("petra", "/datasets/prod/orders/consumers");
  await page.setViewportSize(PHONE);
  await page.reload();
  await settled(page);
  const tab = await page.getByRole("link", { name: "Consumers", exact: true }).boundingBox();
  expect(tab?.x).toBeGreaterThanOrEqual(0);
  expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(390);
}, 120_000);

test("on a phone a column of long lists keeps room for words too: its table scrolls", async () => {
  for (const path of ["/admin/scans", "/requests?show=grants"]) {
    const page = await as("admin", path);
    await page.setViewportSize(PHONE);
    await settled(page);
    const lists = page.locator("table.data td.anywhere:not(.pinned), table.data td > div.mono.anywhere");
    await lists.first().waitFor();
    expect(await wide(lists.first()), path).toBeGreaterThan(150);
  }
}, 60_000);

test("on a phone the rules of a dataset are whole, sentences keep room for words, and numbers are on one line", async () => {
  const rules = await as("ana", "/datasets/prod/orders/rules");
  await rules.setViewportSize(PHONE);
  await settled(rules);
  const cells = rules.locator("table.stacks :is(td, .badge)");
  await cells.first().waitFor();
  const ends = await cells.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
  expect(Math.max(...ends)).toBeLessThanOrEqual(PHONE.width);
  expect(
    await rules.locator(".table-wrap").evaluateAll((all) => all.filter((w) => w.scrollWidth > w.clientWidth)),
  ).toEqual([]);

  for (const [path, cell, least] of [
    ["/datasets/prod/orders/access", "words", 200],
    ["/datasets/prod/orders/personal-data", "few-words", 130],
  ] as const) {
    const page = await as("otto", path);
    await page.setViewportSize(PHONE);
    await settled(page);
    const sentences = page.locator(`table.data td.${cell}`).first();
    await sentences.waitFor();
    expect(await wide(sentences), path).toBeGreaterThan(least);
  }

  const audit = await as("petra", "/audit");
  await audit.setViewportSize(PHONE);
  await settled(audit);
  const number = audit.locator("table.data td.number button").first();
  expect((await number.boundingBox())?.height).toBeLessThan(30);
  expect(await wide(audit.locator("table.data td.number").first())).toBeLessThan(100);
}, 120_000);

test("on a phone names of fields in a schema are whole beside their kind of personal data", async () => {
  const page = await as("ana", "/datasets/prod/orders/schema?field=value.customer.email");
  await page.setViewportSize(PHONE);
  await settled(page);
  const name = page.locator('.tree-name .mono[title="value.customer.email"]');
  await name.waitFor();
  expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth + 1)).toBe(true);
}, 60_000);

test("columns of data locations, of a job's runs and of running queries are chosen", async () => {
  const report = await as("petra", "/reports?entity=EMAIL_ADDRESS");
  await report.getByRole("table", { name: "Places" }).waitFor();
  await choose(report, "Read by");
  expect(await heads(report.getByRole("table", { name: "Places" }))).not.toContain("Read by");
  const job = await as("petra", "/jobs/shop/order_mails");
  await job.getByRole("table", { name: "Runs" }).waitFor();
  await choose(job, "Last reported");
  expect(await heads(job.getByRole("table", { name: "Runs" }))).toEqual(["Run", "State", "Duration", "Began", "Ended"]);
  const query = await as("petra", "/query");
  const running = { id: "q1", sql: "SELECT 1", user: "petra", purpose: null, state: "running", rows: 3, progress: 0.5 };
  await query.route(/\/api\/v1\/queries$/, (route) =>
    route.fulfill({ json: { queries: [{ ...running, since: new Date().toISOString() }] } }),
  );
  await query.getByText("Running", { exact: true }).click();
  await query.getByRole("table", { name: "Running queries" }).waitFor();
  await choose(query, "Purpose");
  expect(await heads(query.getByRole("table", { name: "Running queries" }))).toEqual([
    "Statement",
    "Who",
    "State",
    "Rows",
    "Since",
    "Stop",
  ]);
}, 120_000);
