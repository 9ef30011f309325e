// Keys and letters: what is typed arrives, on a machine that draws slowly too.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chord, closeSuggestions, launch, settled, visit, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

test("keys: g and a letter goes, ? tells them, Escape closes, / searches, arrows walk the results", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(WEIR);
  await settled(page);
  await chord(page, "g", "l");
  await page.waitForURL(/\/lineage$/);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.keyboard.type("email");
  // Hits of the first letters may stand there for a moment.
  await page.waitForURL(/q=email$/);
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]').nth(1).waitFor();
  await closeSuggestions(page);
  const at = () =>
    page.evaluate(() => [...document.querySelectorAll("[data-hit]")].indexOf(document.activeElement as Element));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect.poll(at).toBe(1);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.locator("input:focus").waitFor();
  // Letters that are typed are letters.
  await page.keyboard.type("gq?");
  await page.waitForURL(/\/search\?q=.*gq%3F/);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await context.close();
});

test("no letter is lost when one types faster than the machine draws", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(WEIR);
  await settled(page);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 12 });
  await page.keyboard.press("/");
  await page.keyboard.type("customer.email");
  await page.waitForURL(/q=customer\.email$/);
  expect(await page.getByLabel("Search datasets and fields").inputValue()).toBe("customer.email");
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await context.close();
});

test("no letter of a statement is lost either, and what runs is all that was written", async () => {
  const { context, page } = await visit(browser, "admin");
  const sent: string[] = [];
  await page.route("**/api/v1/query", (route) => {
    sent.push((route.request().postDataJSON() as { sql: string }).sql);
    return route.fulfill({ json: { columns: [], rows: [], decision: { effect: "allow", reasons: [] }, window: {} } });
  });
  await page.goto(`${WEIR}/query`);
  await page.locator(".cm-content").click();
  // A letter that comes when the one before was just drawn; what the page does after drawing must leave it there.
  await page.evaluate(() => {
    const write = (letter: string) => document.execCommand("insertText", false, letter);
    const drawn = new MutationObserver(() => {
      drawn.disconnect();
      write("F");
    });
    drawn.observe(document.querySelector(".query-bar .primary") as Element, { attributes: true });
    write("I");
  });
  await expect.poll(() => page.locator(".cm-content").textContent()).toBe("IF");
  await settled(page);
  expect(await page.locator(".cm-content").textContent()).toBe("IF");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 12 });
  const text = "SELECT order_id FROM prod.orders WHERE region = 1 AND amount = 2";
  // Letters come as a hand types them that does not look: none waits for the one before.
  await Promise.all([...text].map((letter) => page.keyboard.press(letter)));
  await expect.poll(() => page.locator(".cm-content").textContent()).toBe(text);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await settled(page);
  expect(await page.locator(".cm-content").textContent()).toBe(text);
  // The button is pressed when the last letter is written, not yet drawn.
  await page.evaluate(async () => {
    document.querySelector<HTMLElement>(".cm-content")?.focus();
    document.execCommand("insertText", false, "5");
    await Promise.resolve();
    document.querySelector<HTMLElement>(".query-bar .primary")?.click();
  });
  await expect.poll(() => sent).toEqual([`${text}5`]);
  await context.close();
});

test("a facet chosen right after a word keeps the word", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(`${WEIR}/search?q=order`);
  await page.getByRole("button", { name: /^dataset/ }).waitFor();
  await page.evaluate(() => {
    const own = history.replaceState;
    history.replaceState = function (...given) {
      own.apply(this, given);
      history.replaceState = own;
      // The address holds the word; the page is not yet drawn with it.
      queueMicrotask(() => document.querySelector<HTMLElement>('[aria-label="Kind"] button')?.click());
    };
  });
  await page.getByLabel("Search datasets and fields").fill("email");
  await page.waitForURL(/kind=/);
  expect(new URL(page.url()).searchParams.get("q")).toBe("email");
  await context.close();
});

test("a statement that runs before it is known who asks stands in their history, and in nobody else's", async () => {
  const { context, page } = await visit(browser, "admin");
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/v1/me", async (route) => {
    await held;
    await route.continue();
  });
  const empty = { columns: [], rows: [], decision: { effect: "allow", reasons: [] }, window: {} };
  await page.route("**/api/v1/query", (route) => route.fulfill({ json: empty }));
  await page.goto(`${WEIR}/query?sql=SELECT+1`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("No rows").waitFor();
  answer();
  await page.getByRole("button", { name: "Signed in as admin" }).waitFor();
  await page.getByRole("button", { name: "History", exact: true }).click();
  await page.getByRole("region", { name: "History" }).getByText("SELECT 1").waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(["weir.history.admin"]);
  await context.close();
});
