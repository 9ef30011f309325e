// What pages offer is what one may do; people are counted as people; what is decided is told, and can be taken back.
import { expect, test } from "vitest";
import { launch, settled, tokenOf, visit, visitors, WEIR } from "./weir";

const as = visitors();

async function call(user: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${WEIR}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${tokenOf(user)}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

test("an analyst is offered nothing they would be refused, and reads who can", async () => {
  const page = await as("ana", "/datasets/prod/orders");
  await settled(page);
  await page.getByText(/Editing needs the permission “manage”: admin can/).waitFor();
  expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
  const nav = page.getByRole("navigation", { name: "Pages" });
  await nav.getByRole("link", { name: "Review", exact: true }).waitFor();
  expect(await nav.getByRole("link", { name: "Admin" }).count()).toBe(0);
  expect(await nav.getByRole("link", { name: "Audit" }).count()).toBe(0);

  await page.goto(`${WEIR}/admin/users`);
  await settled(page);
  await page.getByText(/Adding and changing users needs the permission “manage”/).waitFor();
  expect(await page.getByRole("button", { name: "Add a user" }).count()).toBe(0);
  expect(await page.getByText("0 tokens").count()).toBe(0);

  await page.goto(`${WEIR}/review`);
  await page.locator("tbody tr").first().waitFor();
  expect(await page.getByRole("button", { name: /Reject|Confirm/ }).count()).toBe(0);

  await page.goto(`${WEIR}/audit`);
  await page.getByText(/Reading the audit needs the permission “audit:read”/).waitFor();
}, 120_000);

test("those who may are offered it", async () => {
  const page = await as("admin", "/datasets/prod/orders");
  await page.getByRole("button", { name: "Edit" }).waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Admin" }).waitFor();
});

test("a query is offered to who may read the dataset; others read who can grant access", async () => {
  const page = await as("admin", "/datasets/prod/orders");
  const head = page.locator(".page-head");
  await head.getByText("You may not read its records: otto or group team-orders can grant access.").waitFor();
  expect(await head.getByRole("button", { name: "Query" }).isDisabled()).toBe(true);
  expect(await head.getByRole("link", { name: "Query" }).count()).toBe(0);
  await head.getByRole("link", { name: "Request access" }).waitFor();
  const reader = await as("ana", "/datasets/prod/orders");
  await reader.locator(".page-head").getByRole("link", { name: "Query" }).waitFor();
});

test("a request for access is offered where it can open more; others read that they see all of it", async () => {
  const owner = await as("otto", "/datasets/prod/orders/schema?field=value.customer.email");
  const head = owner.locator(".page-head");
  await head.getByText("You see all of it unmasked.").waitFor();
  await owner.getByText("Where it comes from and goes to").waitFor();
  expect(await owner.getByRole("link", { name: /Request access|Request to see/ }).count()).toBe(0);
  await owner.goto(`${WEIR}/requests/new?dataset=prod/orders`);
  await owner.getByText("You see all of prod/orders unmasked: a request opens nothing more.").waitFor();
  const analyst = await as("ana", "/datasets/prod/orders/schema?field=value.customer.email");
  await analyst.getByRole("link", { name: "Request to see it unmasked" }).waitFor();
  await analyst.locator(".page-head").getByRole("link", { name: "Request access" }).waitFor();
});

test("what one may not open has its heading, and names who can", async () => {
  const page = await as("ana", "/audit");
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
  await page.goto(`${WEIR}/reports?entity=EMAIL_ADDRESS`);
  await page.getByRole("heading", { name: "Data locations", level: 1 }).waitFor();
  await page.goto(`${WEIR}/datasets/prod/orders/activity`);
  await page.getByText(/Reading the activity needs the permission “audit:read”: .*petra/).waitFor();
});

test("a dataset that is not there offers no query and no request, and near names are links", async () => {
  const page = await as("ana", "/datasets/prod/ordrs");
  await page.getByText("The catalog has no such dataset").waitFor();
  const head = page.locator(".page-head");
  expect(await head.getByRole("link", { name: /Query|Request access/ }).count()).toBe(0);
  await page.getByRole("link", { name: "prod/orders", exact: true }).click();
  await page.waitForURL(/\/datasets\/prod\/orders$/);
  await head.getByRole("link", { name: "Query" }).waitFor();
});

test("an address of the sample leads to the records, which begin with where and when each is, the newest first", async () => {
  const page = await as("petra", "/datasets/prod/orders/sample");
  const heads = page.locator(".grid-head .column-name");
  await heads.first().waitFor({ timeout: 90_000 });
  expect((await heads.allTextContents()).slice(0, 4)).toEqual(["_timestamp", "_partition", "_offset", "_key"]);
  const all = await heads.allTextContents();
  expect(new Set(all).size).toBe(all.length);
  const times = await page
    .locator('.grid-row:not(.grid-head) [role="cell"]:nth-child(2)')
    .evaluateAll((cells) => cells.map((cell) => Date.parse(cell.textContent ?? "")));
  expect(times.length).toBeGreaterThan(5);
  expect(times).toEqual([...times].sort((a, b) => b - a));
}, 150_000);

test("the access tab: each way with its own end and purpose, people counted as people", async () => {
  const purpose = `tab-${Date.now().toString(36)}`;
  const asked = await call("ana", "POST", "/access-requests", {
    dataset: "prod/orders",
    fields: ["value.customer.email"],
    purpose,
  });
  for (const approver of ["otto", "petra"])
    await call(approver, "POST", `/access-requests/${String(asked.id)}/approve`, { reason: "fine" });
  const page = await as("petra", "/datasets/prod/orders/access");
  const way = page.locator("tr", { hasText: purpose }).first();
  await way.getByText(/^in \d+ days$/).waitFor();
  const text = (await page.getByRole("status").filter({ hasText: "unmasked" }).first().textContent()) ?? "";
  await page.getByRole("group", { name: "Who" }).getByText("Roles", { exact: true }).click();
  const role = page.getByRole("row", { name: /^analyst/ }).first();
  await role.getByText("no end").waitFor();
  const known = (await call("petra", "GET", "/datasets/prod/orders/access")).access as {
    kind: string;
    subject: string;
  }[];
  const people = new Set(known.filter((a) => a.kind === "user").map((a) => a.subject)).size;
  const counts = /^(\d+) people see all of it unmasked, (\d+) see part of it unmasked, (\d+) see it masked/.exec(text);
  expect(Number(counts?.[1]) + Number(counts?.[2]) + Number(counts?.[3])).toBe(people);
  const { grant } = await call("ana", "GET", `/access-requests/${String(asked.id)}`);
  await call("ana", "DELETE", `/grants/${String(grant)}`);
}, 120_000);

test("the requester is told of a decision on an open page, which changes by itself, and is led back to the query", async () => {
  const purpose = `told-${Date.now().toString(36)}`;
  const asked = await call("ana", "POST", "/access-requests", {
    dataset: "prod/orders",
    fields: ["value.region"],
    purpose,
  });
  const page = await as("ana", `/requests/${String(asked.id)}`);
  await page.getByText("Can decide:").waitFor();
  await page.locator("aside", { hasText: "Can decide:" }).getByText(/otto/).first().waitFor();
  const home = await as("ana", "/");
  const mine = home.locator("section", { has: home.getByRole("heading", { name: "My requests" }) });
  await mine
    .locator("li", { hasText: purpose })
    .getByText(/pending/)
    .waitFor();
  await call("otto", "POST", `/access-requests/${String(asked.id)}/deny`, { reason: "not now" });
  await home.getByText("otto denied your request for prod/orders.").waitFor({ timeout: 25_000 });
  await mine.locator("li", { hasText: purpose }).getByText("denied").waitFor({ timeout: 25_000 });
  await page.getByText("denied", { exact: true }).first().waitFor({ timeout: 25_000 });
  await page.getByRole("link", { name: "Back to the query" }).click();
  await page.waitForURL(/\/query\?sql=/);
}, 120_000);

test("a decision on a detection is taken back with one click", async () => {
  const page = await as("petra", "/review");
  const row = page.locator("tbody tr").last();
  const chosen = (await row.locator("input").getAttribute("aria-label")) ?? "";
  const dataset = (await row.locator("td div a").getAttribute("href")) ?? "";
  const same = page
    .locator("tbody tr", { has: page.locator(`input[aria-label=${JSON.stringify(chosen)}]`) })
    .filter({ has: page.locator(`a[href="${dataset}"]`) });
  await same.getByRole("button", { name: "Reject" }).click();
  await page.fill("#reason", "by mistake");
  await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
  await same.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("1 detection as before").waitFor();
  await same.waitFor();
}, 120_000);

test("on a phone the first detection is on the first screen, and headings step down one by one", async () => {
  const browser = await launch();
  const { context, page } = await visit(browser, "petra", { width: 390, height: 780 });
  await page.goto(`${WEIR}/review`);
  await page.locator("tbody tr").first().waitFor();
  const box = await page.locator("tbody tr").first().boundingBox();
  expect(box?.y).toBeLessThan(780);
  const skipped: string[] = [];
  for (const path of [
    "/",
    "/review",
    "/search?q=email",
    "/datasets/prod/orders",
    "/lineage?node=dataset:prod:orders",
  ]) {
    await page.goto(WEIR + path);
    await settled(page);
    const levels = await page
      .locator("h1, h2, h3, h4")
      .evaluateAll((all) => all.filter((h) => h.checkVisibility()).map((h) => Number(h.tagName.slice(1))));
    for (const [i, level] of levels.entries())
      if (level > (levels[i - 1] ?? 0) + 1) skipped.push(`${path}: h${levels[i - 1] ?? 0} then h${level}`);
  }
  expect(skipped).toEqual([]);
  await context.close();
  await browser.close();
}, 150_000);

test("why a column is shown names the grant or role that opens it, in a popover with a name", async () => {
  const page = await as("petra", `/query?sql=${encodeURIComponent("SELECT region FROM prod.orders LIMIT 3")}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: /^region\b/ }).click({ timeout: 90_000 });
  const popover = page.getByRole("dialog", { name: "How region is shown, and why" });
  await popover
    .getByText(/Role privacy-officer|Grant/)
    .first()
    .waitFor();
  expect(await popover.getByText("No rule hides it from you").count()).toBe(0);
}, 150_000);

test("the focus is seen in the export menu", async () => {
  const page = await as("ana", "/lineage?node=dataset:prod:orders");
  await page.locator('.drawing[aria-busy="false"]').waitFor();
  await page.getByRole("button", { name: "Export", exact: true }).focus();
  await page.keyboard.press("Enter");
  const first = page.getByRole("menuitem").first();
  await expect.poll(() => first.evaluate((item) => item === document.activeElement)).toBe(true);
  expect(await first.evaluate((item) => getComputedStyle(item).outlineStyle)).toBe("solid");
});

test("a change is tried on the page: what breaks, what may, what is safe, with owners, commit and a link to copy", async () => {
  const page = await as("ana", "/lineage?node=datasetField:prod:orders:value.customer.email&level=column");
  const impact = page.locator("section", { has: page.getByRole("heading", { name: "Impact of a change" }) }).last();
  await impact.getByRole("button", { name: "Drop" }).click();
  const breaks = page.getByRole("region", { name: "Breaks" });
  await breaks.getByRole("button", { name: "order-mails · value.to" }).waitFor();
  await breaks
    .getByText(/commit/)
    .first()
    .waitFor();
  await breaks
    .getByText(/team-mail/)
    .first()
    .waitFor();
  await page.getByRole("region", { name: "May break" }).getByText("revenue-by-region").waitFor();
  await impact.getByRole("button", { name: "Mask", exact: true }).click();
  await page.getByRole("region", { name: "Safe" }).getByText("newsletter-audience · value.email_hash").waitFor();
  await impact.getByRole("button", { name: "Rename" }).click();
  await breaks.waitFor();
  await page.waitForURL(/change=rename/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await impact.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("change=rename");
}, 120_000);

test("the owners of what a change breaks are notified from the page, and who was not is named", async () => {
  const page = await as("ana", "/lineage?node=datasetField:prod:orders:value.customer.email&level=column&change=drop");
  const impact = page.locator("section", { has: page.getByRole("heading", { name: "Impact of a change" }) }).last();
  await impact.getByRole("button", { name: "Owners", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Message to the owners" });
  await dialog.getByText(/A change of orders · value.customer.email is planned/).waitFor();
  await dialog.getByLabel("Note").fill("On Monday at nine");
  await dialog.getByRole("button", { name: "Notify the owners" }).click();
  await dialog.getByText(/\d of \d+ owners? (is|are) notified/).waitFor();
  await dialog.getByText(/no address or channel/).waitFor();
  expect(await dialog.getByRole("button", { name: "Notify the owners" }).isDisabled()).toBe(true);
}, 120_000);
