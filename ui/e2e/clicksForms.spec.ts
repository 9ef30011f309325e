// More tasks of people, each with its bar of clicks: what they had to write YAML for, or could not do at all. With clicks.spec.ts
// these are thirteen. Typing is not counted, Enter neither; nothing is left behind.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled, visitors, WEIR } from "./weir";

const as = visitors();

/** Clicks and choices, counted. */
class Hand {
  clicks = 0;
  constructor(readonly page: Page) {}
  async on(what: Locator): Promise<void> {
    await what.click({ timeout: 60_000 });
    this.clicks += 1;
  }
  async choose(what: Locator, value: string): Promise<void> {
    await what.selectOption(value, { timeout: 60_000 });
    this.clicks += 1;
  }
  link = (name: string | RegExp) => this.page.getByRole("link", { name, exact: typeof name === "string" });
  button = (name: string | RegExp) => this.page.getByRole("button", { name, exact: typeof name === "string" });
  dialog = () => this.page.getByRole("dialog");
}

async function hand(user: string, path = "/"): Promise<Hand> {
  const page = await as(user, path);
  await settled(page);
  return new Hand(page);
}

/** What a form would declare, checked and not applied. */
async function checked(of: Hand, action: string): Promise<void> {
  await of.on(of.button("Check"));
  await of.page.getByText("This would happen:").waitFor({ timeout: 60_000 });
  await of.page.locator("strong", { hasText: action }).first().waitFor();
}

test("a reviewer: not this, it is another kind, and taken back", async () => {
  const petra = await hand("petra");
  await petra.on(petra.page.getByRole("navigation").getByRole("link", { name: "Review", exact: true }));
  const row = petra.page.locator("tbody tr").first();
  const box = (await row.locator("input[type=checkbox]").getAttribute("aria-label")) ?? "";
  await petra.choose(row.getByRole("combobox"), "USERNAME");
  await petra.on(petra.dialog().getByRole("button", { name: "Change the kind" }));
  await petra.page.getByText(/changed to user name$/).waitFor();
  expect(petra.clicks).toBeLessThanOrEqual(3);
  await petra.on(petra.button("Undo"));
  await petra.page.getByText("2 detections as before").waitFor();
  await petra.page.getByLabel(box, { exact: true }).first().waitFor();
}, 120_000);

test("a reviewer: what a detection looks like, without a value", async () => {
  const petra = await hand("petra", "/review");
  await petra.on(petra.button(/^Example of /).first());
  // A form of letters and digits, or the sentence why there is none for this person.
  await petra.page
    .locator("tr.below p")
    .filter({ hasNotText: /^Reading/ })
    .waitFor({ timeout: 90_000 });
  for (const shape of await petra.page.locator("tr.below code").allTextContents())
    expect(shape).not.toMatch(/[b-zB-Z0-8]/);
  expect(petra.clicks).toBeLessThanOrEqual(1);
}, 120_000);

test("an owner: promise what was seen of a topic, with one rule changed", async () => {
  const admin = await hand("admin", "/datasets/prod/orders");
  await admin.on(admin.link("Contracts"));
  await admin.on(admin.button("Promise what was seen"));
  const fields = admin.page.getByRole("table", { name: "Promised fields" });
  await admin.on(fields.getByRole("checkbox", { name: /order_id/ }).first());
  await checked(admin, "create");
  expect(admin.clicks).toBeLessThanOrEqual(4);
}, 120_000);

test("a privacy officer's administrator: a purpose by form, its errors at their fields", async () => {
  const admin = await hand("admin", "/policies/documents?kind=Purpose");
  await admin.on(admin.button("Add a purpose"));
  await admin.page.getByLabel("Name", { exact: true }).fill(`clicks.${Date.now().toString(36)}`);
  await admin.page.getByLabel("Retention").fill("long");
  await admin.page
    .getByText(/^Write a number and s, m, h, d or w/)
    .first()
    .waitFor();
  expect(await admin.page.getByLabel("Retention").getAttribute("aria-invalid")).toBe("true");
  await admin.page.getByLabel("Retention").fill("90d");
  await admin.choose(admin.page.getByLabel("Legal basis"), "contract");
  await checked(admin, "create");
  expect(admin.clicks).toBeLessThanOrEqual(3);
}, 120_000);

test("an administrator: a masked copy for a person, as far as its check", async () => {
  const admin = await hand("admin", "/views");
  await admin.on(admin.link("Make a masked copy"));
  await admin.page.getByLabel("Topic to copy").fill("prod/orders");
  await admin.on(admin.button("A person"));
  await admin.page.getByLabel("Their name").fill("ana");
  await admin.button("What would be built").waitFor();
  await admin.page
    .getByText(/orders-ana/)
    .first()
    .waitFor();
  expect(admin.clicks).toBeLessThanOrEqual(2);
}, 120_000);

test("an administrator: whether a declared cluster answers, and which one it is", async () => {
  const admin = await hand("admin", "/admin/clusters");
  await admin.on(admin.button("Test connection of prod"));
  await admin
    .dialog()
    .getByText(/This is prod, already declared/)
    .waitFor({ timeout: 60_000 });
  await admin.on(admin.dialog().getByRole("button", { name: "Close", exact: true }).first());
  expect(admin.clicks).toBeLessThanOrEqual(2);
}, 120_000);

test("an engineer: a name in the graph, found by a part of it", async () => {
  const ana = await hand("ana");
  await ana.page.goto(`${WEIR}/lineage?node=${encodeURIComponent("dataset:prod:orders")}`);
  const search = ana.page.getByRole("searchbox", { name: "Search in the graph" });
  await search.fill("ord");
  await ana.page.getByText(/^(1 of \d+|not in the graph)$/).waitFor();
  expect(ana.clicks).toBe(0);
}, 120_000);
