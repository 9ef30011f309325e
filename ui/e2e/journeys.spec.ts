// The main journeys on the demo's data, in a real browser: ana asks, otto and petra decide.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { produce } from "./produce";
import { closeSuggestions, painted, settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();

const SQL = "SELECT _key AS who, order_id FROM prod.orders";
const queryPath = (purpose?: string, sql = SQL) =>
  `/query?${new URLSearchParams({ sql, ...(purpose ? { purpose } : {}) })}`;

test("a wrong token is told at once, a right one opens the first page", async () => {
  const page = await as(null, "/");
  await page.fill("#token", "weir_not_a_token");
  await page.click("button[type=submit]");
  await page
    .getByRole("alert")
    .getByText(/does not know this token/)
    .waitFor();
  await page.fill("#token", tokenOf("ana"));
  await page.click("button[type=submit]");
  await page.getByRole("button", { name: "Signed in as ana" }).waitFor();
});

test("find a topic by keyboard alone", async () => {
  const page = await as("ana", "/");
  await settled(page);
  await page.keyboard.press("/");
  await page.keyboard.type("gift_email");
  // Hits of the first letters may stand there for a moment.
  await page.waitForURL(/q=gift_email/);
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]', { hasText: "gift_email" }).first().waitFor();
  await closeSuggestions(page);
  await page.keyboard.press("ArrowDown"); // the dataset, then its best field
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/datasets\/prod\/orders\/schema/);
  await page.getByRole("heading", { name: "value.items[].gift_email" }).waitFor();
});

test("hits that change under the keyboard leave it in the list", async () => {
  const page = await as("ana", "/");
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/search\?(.*&)?q=g/, async (route) => {
    await held;
    await route.continue();
  });
  await settled(page);
  await page.keyboard.press("/");
  await page.keyboard.type("telemetry");
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]').first().waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("gift_email");
  await page.locator('[aria-label="Found"][aria-busy="true"] [data-hit]').first().waitFor();
  await closeSuggestions(page);
  await page.keyboard.press("ArrowDown");
  await page.locator("[data-hit]:focus").waitFor();
  answer();
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]:focus', { hasText: "orders" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/datasets\/prod\/orders$/);
});

test("Enter opens the first hit of all that was typed, though its answer is late, and Back leads to the list", async () => {
  const page = await as("ana", "/search?q=telemetry");
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/search\?(.*&)?q=gift_email/, async (route) => {
    await held;
    await route.continue();
  });
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]').first().waitFor();
  await page.getByLabel("Search datasets and fields").fill("gift_email");
  await page.keyboard.press("Enter");
  await page.locator('[aria-label="Found"][aria-busy="true"] [data-hit]').first().waitFor();
  answer();
  await page.waitForURL(/\/datasets\/prod\/orders\/schema/);
  await page.goBack();
  await page.waitForURL(/\/search\?q=gift_email$/);
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]').first().waitFor();
});

test("on a slow machine, too, one stays on the page that was opened from the search", async () => {
  const page = await as("ana", "/search?q=telemetry");
  await settled(page);
  await page.getByLabel("Search datasets and fields").fill("gift_email");
  await page.locator('[aria-label="Found"][aria-busy="false"] [data-hit]', { hasText: "gift_email" }).first().waitFor();
  await closeSuggestions(page);
  await page.keyboard.press("ArrowDown");
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 20 });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  // Until the page is drawn and drawn again: then no timer of the search is left, and the rest may be quick.
  await page.getByRole("heading", { name: "orders", exact: true }).waitFor({ timeout: 90_000 });
  await painted(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.getByRole("heading", { name: "value.items[].gift_email" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/datasets/prod/orders/schema");
}, 180_000);

test("see where e-mail is, and take the report to paper", async () => {
  const page = await as("petra", "/reports?entity=EMAIL_ADDRESS");
  await settled(page);
  await page.getByText("value.customer.email", { exact: true }).first().waitFor();
  await page.emulateMedia({ media: "print" });
  await page.locator("header.top").waitFor({ state: "hidden" });
  await page.locator("nav.nav").waitFor({ state: "hidden" });
  await page.getByText("value.customer.email", { exact: true }).first().waitFor();
});

test("follow a column: one hop, then on, the path lit, the masked step drawn apart", async () => {
  const page = await as("ana", "/lineage?node=datasetField:prod:orders:value.customer.email&level=column");
  await page.locator(".card-field button", { hasText: "value.to" }).waitFor();
  await page.locator(".drawing[aria-busy=false]").waitFor();
  expect(await page.locator(".card-field button", { hasText: "value.email_hash" }).count()).toBe(0);
  await page.getByRole("button", { name: /Open \d+ downstream of order-mails/ }).click();
  await page.locator(".card-field button", { hasText: "value.email_hash" }).waitFor();
  await page.locator(".card-field button", { hasText: "value.to" }).click();
  await page.locator(".card-field.lit", { hasText: "value.customer.email" }).waitFor();
  await page.locator(".drawing[aria-busy=false]").waitFor();
  const dashed = () =>
    page
      .locator(".react-flow__edge-path")
      .evaluateAll((paths) => paths.filter((p) => (p as SVGPathElement).style.strokeDasharray !== "").length);
  // The copy of the newsletter, and the stream view for analysts.
  await expect.poll(dashed).toBe(2);
  await page.getByText("masked on the way").first().waitFor();
  // A card grows when more of the graph arrives, and its button goes down with its middle: press until it took.
  await expect
    .poll(
      async () => {
        const close = page.getByRole("button", { name: /Close downstream of order-mails/ });
        if (await close.isVisible()) await close.click({ timeout: 2000 }).catch(() => undefined);
        return page.locator(".card-field button", { hasText: "value.email_hash" }).count();
      },
      { timeout: 20_000, interval: 300 },
    )
    .toBe(0);
});

test("an error stands under its place before anything runs", async () => {
  const page = await as("ana", queryPath(undefined, "SELECT order_id FROM prod.orders WHERE order_id = = 1"));
  await page.locator(".cm-lintRange-error").first().waitFor({ timeout: 20_000 });
});

test("completion knows topics and fields", async () => {
  const page = await as("ana", "/query");
  await page.locator(".cm-content").click();
  await page.keyboard.type("SELECT  FROM prod.ord");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "orders" }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.type("ers");
  await page.keyboard.press("Escape");
  for (let i = 0; i < " FROM prod.orders".length; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("customer.em");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "email" }).first().waitFor();
});

test("a masked column, asked for from its own head, approved twice, seen clear, revoked while it is followed", async () => {
  const purpose = `e2e-${Date.now().toString(36)}`;
  const ana = await as("ana", queryPath());
  await ana.getByRole("button", { name: "Run", exact: true }).click();
  await ana.getByRole("button", { name: /^who\b.*masked: why/ }).click({ timeout: 45_000 });
  await ana
    .getByText(/by mask-person/)
    .first()
    .waitFor();
  await ana.getByRole("link", { name: "Request access" }).click();
  await ana.waitForURL(/\/requests\/new/);
  expect(await ana.getByRole("checkbox", { name: /^key/ }).isChecked()).toBe(true);
  await ana.fill("#purpose", purpose);
  await ana.locator("form button[type=submit]").click();
  await ana.waitForURL(/\/requests\/req-/);
  const address = new URL(ana.url()).pathname;

  for (const approver of ["otto", "petra"]) {
    const page = await as(approver, "/requests?show=decide");
    await page.locator("tr", { hasText: purpose }).getByRole("link").first().click();
    await page.waitForURL(/\/requests\/req-/); // the list has buttons of these names too
    await page.getByRole("button", { name: "Approve" }).click();
    await page.fill("#reason", "fine");
    await page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await ana.goto(WEIR + address);
  await ana.getByText("approved", { exact: true }).first().waitFor();

  await ana.goto(WEIR + queryPath(purpose));
  await ana.getByRole("button", { name: "Run", exact: true }).click();
  await ana.getByRole("button", { name: /^who\b.*unmasked: why/ }).waitFor({ timeout: 45_000 });

  await ana.goto(WEIR + queryPath(purpose, `${SQL} EMIT CHANGES`));
  await ana.getByRole("button", { name: "Follow" }).click();
  await ana.getByText("live", { exact: true }).waitFor({ timeout: 45_000 });
  const order = (id: string) => ({
    order_id: id,
    customer: { name: "A", email: "a@example.com" },
    amount: 1,
    region: "EU",
  });
  await produce("prod", "orders", "Erika Mustermann", order(`${purpose}-1`));
  await ana.getByText(`${purpose}-1`).waitFor({ timeout: 45_000 });
  await ana.getByText("Erika Mustermann").waitFor();
  const admin = await as("admin", "/requests?show=grants");
  await admin.locator("tr", { hasText: purpose }).getByRole("button", { name: "Revoke" }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await admin.getByRole("dialog").waitFor({ state: "detached" });
  // Her role still reads the topic: the stream goes on, and the column is masked from here on.
  await produce("prod", "orders", "Erika Mustermann", order(`${purpose}-2`));
  await ana.getByText(/What you may see changed/).waitFor({ timeout: 45_000 });
  await ana.getByRole("button", { name: /^who\b.*masked: why/ }).waitFor();
  await ana.getByText(`${purpose}-2`).waitFor();
  expect(await ana.getByText("Erika Mustermann").count()).toBe(0);
}, 300_000);

/** A find in the list: its field, kind and dataset, and its row wherever that stands by now. */
async function find(page: Page, at: number) {
  const row = page.locator("tbody tr").nth(at);
  const { choose, of } = await row.evaluate((tr) => ({
    choose: tr.querySelector("input")?.getAttribute("aria-label") ?? "",
    of: tr.querySelector("td div a")?.getAttribute("href") ?? "",
  }));
  const is = page.locator(`input[aria-label=${JSON.stringify(choose)}]`);
  return { choose, row: page.locator("tbody tr", { has: is }).filter({ has: page.locator(`a[href="${of}"]`) }) };
}

/** Finds of one state, when they are there. */
async function finds(page: Page, state: string): Promise<void> {
  await page.getByRole("button", { name: state, exact: true }).click();
  await page.locator('[aria-label="Detections"][aria-busy="false"]').waitFor();
}

test("review a suggestion: confirmed with a reason, and gone from the queue", async () => {
  const page = await as("petra", "/review");
  await settled(page);
  const { choose, row } = await find(page, -1);
  const [entity, field] = choose.replace(/^Choose /, "").split(" in ");
  await row.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("dialog").getByText(`Confirm ${entity} in ${field}`).waitFor();
  const reason = `looked at it, ${Date.now().toString(36)}`;
  await page.fill("#reason", reason);
  await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await row.waitFor({ state: "detached" });
  await finds(page, "confirmed");
  await row.getByText(reason).waitFor();
});

test("review many at once: two rejected with one reason, then confirmed again", async () => {
  const page = await as("petra", "/review");
  await page.locator("tbody tr").nth(1).waitFor();
  const both = [await find(page, 0), await find(page, 1)];
  const decide = async (action: "Confirm" | "Reject", reason: string) => {
    for (const { row } of both) await row.getByRole("checkbox").check();
    await page.getByRole("button", { name: `${action} 2`, exact: true }).click();
    await page.fill("#reason", reason);
    await page.getByRole("dialog").getByRole("button", { name: action }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(`2 detections ${action === "Confirm" ? "confirmed" : "rejected"}`).waitFor();
    for (const { row } of both) await row.waitFor({ state: "detached" });
  };
  await decide("Reject", "test data");

  // What stands there until the others come is of another question: nothing of it can be chosen or decided.
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/classifications\?.*state=rejected/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "rejected", exact: true }).click();
  await page.locator('[aria-label="Detections"][aria-busy="true"] [inert] tbody tr').first().waitFor();
  expect(await page.getByLabel("All that are shown").isDisabled()).toBe(true);
  await page.getByText("One moment …", { exact: true }).waitFor();
  answer();
  await page.locator('[aria-label="Detections"][aria-busy="false"]').waitFor();
  for (const { row } of both) await row.waitFor();

  const shown = await page.locator("tbody tr").count();
  await page.getByLabel("All that are shown").check();
  await page.getByRole("button", { name: `Confirm ${shown}`, exact: true }).waitFor();
  await page.getByLabel("All that are shown").uncheck();
  await decide("Confirm", "they are real");
});

test("signing out leaves nothing of the session behind", async () => {
  const page = await as(null, "/");
  await page.fill("#token", tokenOf("ana"));
  await page.click("button[type=submit]");
  await page.getByRole("button", { name: "Signed in as ana" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForSelector("#token");
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});
