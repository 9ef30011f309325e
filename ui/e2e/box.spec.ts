// The search box and its answers: suggestions, filters, groups, reasons, clicks, what is kept, related datasets.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { launch, painted, ROOM, settled, visit, visitors, WEIR } from "./weir";

const as = visitors();
const box = (page: Page) => page.getByRole("combobox", { name: "Search datasets and fields" });
const options = (page: Page) => page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
const answered = (page: Page) => page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]').first().waitFor();

test("letters, arrow, Enter: the suggestion fills the box, its answer is grouped, the field opens and is counted", async () => {
  const page = await as("ana", "/search");
  await settled(page);
  await box(page).fill("gift_em");
  const wanted = options(page).filter({ hasText: "gift_email" }).first();
  await wanted.waitFor();
  expect(await box(page).getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("ArrowDown");
  const active = await box(page).getAttribute("aria-activedescendant");
  expect(active).not.toBeNull();
  await page.locator(`#${active}[aria-selected="true"]`, { hasText: "gift_email" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=gift_email$/);
  expect(await box(page).inputValue()).toBe("gift_email");
  expect(await options(page).count()).toBe(0);
  const fields = page.getByRole("list", { name: "Best fields of orders" });
  await fields.getByRole("link", { name: "value.items[].gift_email" }).waitFor();
  const counted = page.waitForRequest((r) => r.method() === "POST" && r.url().endsWith("/api/v1/search/opened"));
  await fields.getByRole("link", { name: "value.items[].gift_email" }).click();
  expect((await counted).postDataJSON()).toEqual({ q: "gift_email", dataset: "prod/orders" });
  expect((await (await counted).response())?.status()).toBe(200);
  await page.getByRole("heading", { name: "value.items[].gift_email" }).waitFor();
});

test("a filter is offered by its first letters, then its values; its chip takes it away", async () => {
  const page = await as("ana", "/search");
  await settled(page);
  await box(page).pressSequentially("email ow");
  await options(page).filter({ hasText: "owner:" }).click();
  await options(page).filter({ hasText: "owner:otto" }).waitFor();
  expect(await box(page).inputValue()).toBe("email owner:");
  await page.keyboard.type("ot");
  await page.keyboard.press("ArrowDown");
  await page.locator('[role="option"][aria-selected="true"]', { hasText: "owner:otto" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/owner%3Aotto/);
  await answered(page);
  await page.getByRole("button", { name: "Remove filter owner:otto" }).click();
  await page.waitForURL(/q=email$/);
  await expect.poll(() => box(page).inputValue()).toBe("email");
});

test("Escape closes the list and keeps the words, once more leaves the box; past the list lie the results", async () => {
  const page = await as("ana", "/search");
  await settled(page);
  await box(page).fill("email");
  await options(page).first().waitFor();
  await page.keyboard.press("Escape");
  await options(page).first().waitFor({ state: "detached" });
  expect(await box(page).inputValue()).toBe("email");
  await page.locator("input:focus").waitFor();
  await answered(page);
  await page.keyboard.press("ArrowDown");
  await page.locator("[data-hit]:focus").waitFor();
  await box(page).focus();
  await page.keyboard.press("Escape");
  expect(await page.locator("input:focus").count()).toBe(0);
});

test("many fields of one dataset are one group, all of them a click away; each place has its reasons", async () => {
  const page = await as("ana", "/search?q=e-mail+address");
  await answered(page);
  const names = await page.locator(".hits > li > .grow > .row > [data-hit]").allTextContents();
  expect(new Set(names).size).toBe(names.length);
  await page.getByRole("button", { name: `Why ${names[0]} is here` }).click();
  const why = page.getByRole("dialog", { name: `Why ${names[0]} is here` });
  await why.getByText("how well the words fit").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "By dataset", pressed: true }).waitFor();
  await page.getByRole("button", { name: "One by one" }).click();
  await page.waitForURL(/view=fields/);
  await page.getByRole("button", { name: "One by one", pressed: true }).waitFor();
});

test("all matching fields of one dataset are a link away", async () => {
  const page = await as("ana", "/search?q=value");
  const all = page.getByRole("link", { name: /^Show all .*matching fields of/ }).first();
  await all.click();
  await page.waitForURL(/dataset=prod%2F.*kind=field/);
  await answered(page);
  await page.getByRole("button", { name: /^Remove filter dataset:prod\// }).waitFor();
  expect(await page.locator(".best-fields").count()).toBe(0);
});

test("a slip of the hand is a link to what was meant, and a word that nothing holds is named", async () => {
  const page = await as("ana", "/search?q=paymnets");
  await page.getByRole("link", { name: "payments", exact: true }).first().click();
  await page.waitForURL(/q=payments$/);
  await page.goto(`${WEIR}/search?q=gift_email+zzyzx`);
  await page.getByText(/The first one lacks “zzyzx”/).waitFor();
});

test("favourites and searches are kept in the browser for one person, and offered in the empty box", async () => {
  const page = await as("ana", "/datasets/prod/orders");
  await page.getByRole("button", { name: "Favourite orders", pressed: false }).click();
  await page.getByRole("button", { name: "Favourite orders", pressed: true }).waitFor();
  await box(page).fill("gift_email");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/datasets\/prod\/orders\/schema/);
  await page.goto(`${WEIR}/search`);
  await settled(page);
  await box(page).click();
  await expect
    .poll(() => options(page).allTextContents())
    .toEqual([expect.stringContaining("gift_email"), expect.stringContaining("orders")]);
  await options(page).filter({ hasText: "favourite" }).click();
  await page.waitForURL(/\/datasets\/prod\/orders$/);
  await page.goto(`${WEIR}/`);
  await page.getByRole("button", { name: "Forget searches" }).click();
  await page.getByRole("button", { name: "Forget searches" }).waitFor({ state: "detached" });
  await page.getByText("Favourites", { exact: true }).waitFor();
});

test("a dataset's page names related datasets with reasons", async () => {
  const page = await as("ana", "/datasets/prod/orders");
  const related = page.getByRole("region", { name: "Related datasets" });
  for (const reason of [/step downstream/, /shares .*order_id \(text\)/])
    await related.getByText(reason).first().waitFor();
  await related.getByRole("link").first().click();
  await page.waitForURL((url) => !url.pathname.endsWith("/orders"));
});

test("a suggestion is there within 150 ms of its letter", async () => {
  const page = await as("ana", "/search");
  await settled(page);
  const times: number[] = [];
  for (const word of ["gift_e", "custom", "paymen"]) {
    await box(page).fill(word.slice(0, -1));
    await options(page).first().waitFor();
    const shown = page.waitForResponse((r) => r.url().includes(`suggest?q=${word}&`));
    const begun = Date.now();
    await page.keyboard.press(word.at(-1) ?? "");
    await (await shown).finished();
    await painted(page);
    times.push(Date.now() - begun);
  }
  console.log(`suggestions, with the network: ${times.join(", ")} ms`);
  expect(Math.min(...times)).toBeLessThan(150 * ROOM);
});

test.each([
  ["light", false, 1360],
  ["dark", true, 1360],
  ["light on a phone", false, 390],
  ["dark on a phone", true, 390],
])("open list, chips, groups and reasons: nothing serious for axe, %s", async (_, dark, width) => {
  const browser = await launch();
  const { page, wrong } = await visit(browser, "ana", { dark, width, height: 844 });
  await page.goto(`${WEIR}/search?q=email+owner%3Aotto`);
  await answered(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page
    .getByRole("button", { name: /^Why .* is here/ })
    .first()
    .click();
  await page.getByText("how well the words fit").waitFor();
  await painted(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await box(page).fill("email ow");
  await options(page).first().waitFor();
  await page.keyboard.press("ArrowDown");
  await painted(page);
  expect(await seriousFindings(page)).toEqual([]);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(over).toBeLessThanOrEqual(0);
  expect(wrong).toEqual([]);
  await browser.close();
});
