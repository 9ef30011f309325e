// What a page shows where an answer failed, was refused by the browser, or belongs to another thing.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, settled, tokenOf, visit, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const SENTENCE = "The catalog does not answer.";

/** Requests whose address fits fail. */
const failing = (page: Page, address: RegExp) =>
  page.route(address, (route) =>
    route.fulfill({ status: 500, json: { error: { code: "internal", message: SENTENCE, details: {} } } }),
  );

/** Another page of the same tab, as a link opens it: the pages are not loaded again. */
const follow = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  }, path);

test("personal data that could not be asked about is not called none", async () => {
  const { context, page } = await visit(browser, "petra");
  await failing(page, /\/orders\/classifications/);
  await page.goto(`${WEIR}/datasets/prod/orders`);
  const personal = page.getByRole("region", { name: "Personal data" });
  await personal.getByText(SENTENCE).waitFor();
  expect(await personal.getByText("None found").count()).toBe(0);
  await page.goto(`${WEIR}/datasets/prod/orders/schema`);
  await page.getByText(SENTENCE).waitFor();
  await context.close();
});

test("an approver reads that it is not known what a request would unmask", async () => {
  const { context, page } = await visit(browser, "petra");
  const asked = {
    id: "req-1",
    requester: "ana",
    dataset: "prod/orders",
    fields: ["value.customer.email"],
    state: "pending",
    decisions: [],
    thread: [],
    stages: [],
    from: null,
    until: "2030-01-01T00:00:00Z",
    createdAt: "2026-01-01T00:00:00Z",
    purpose: "care",
  };
  await page.route("**/api/v1/access-requests/req-1", (route) => route.fulfill({ json: asked }));
  await failing(page, /\/orders\/classifications/);
  await page.goto(`${WEIR}/requests/req-1`);
  await page.getByText(SENTENCE).waitFor();
  expect(await page.getByText("None is known in these fields.").count()).toBe(0);
  await context.close();
});

test("a file that does not come is reported where it was asked for", async () => {
  const { context, page } = await visit(browser, "petra");
  await failing(page, /format=csv/);
  await page.goto(`${WEIR}/reports?entity=EMAIL_ADDRESS`);
  await page.getByRole("button", { name: "CSV" }).click();
  await page.getByRole("alert").getByText(SENTENCE).waitFor();
  await page.goto(`${WEIR}/lineage?node=dataset:prod:orders`);
  await page.getByRole("button", { name: "CSV" }).click();
  await page.getByRole("alert").getByText(SENTENCE).waitFor();
  await context.close();
});

test("a node whose surroundings do not come reports it", async () => {
  const { context, page } = await visit(browser, "petra");
  await page.goto(`${WEIR}/lineage?node=dataset:prod:orders&depth=1`);
  const more = page.getByRole("button", { name: /^Open .* downstream/ }).first();
  await more.waitFor();
  await failing(page, /\/api\/v1\/lineage\?/);
  await more.click();
  await page.getByRole("alert").getByText(SENTENCE).waitFor();
  await context.close();
});

test("a page that is not served over HTTPS copies too, and a copy that failed is not called one", async () => {
  const { context, page } = await visit(browser, "petra");
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.goto(`${WEIR}/lineage?node=dataset:prod:orders`);
  await page.evaluate(() =>
    document.addEventListener("copy", (event) => {
      document.title = event.clipboardData?.getData("text/plain") ?? "";
    }),
  );
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.title()).toContain("/lineage?node=");
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Not copied" }).waitFor();
  await context.close();
});

test("a form that is open on one dataset is not carried to the next", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(`${WEIR}/datasets/prod/clicks`);
  await settled(page);
  await follow(page, "/datasets/prod/orders");
  await page.getByRole("heading", { level: 1, name: "orders", exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Description", { exact: true }).fill("of orders alone");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "clicks", exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  expect(await page.getByLabel("Description", { exact: true }).count()).toBe(0);
  await context.close();
});

test("a query stops when its page is left", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.route("**/api/v1/query", () => undefined); // it never answers
  const stopped = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/v1/query"));
  await page.goto(`${WEIR}/query?sql=SELECT+1`);
  const sent = page.waitForRequest("**/api/v1/query");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await sent;
  await page.getByRole("link", { name: "Glossary" }).click();
  expect((await stopped).failure()?.errorText).toContain("ABORTED");
  await context.close();
});

test("whole numbers are shown and taken along as they were sent, and columns of one name are all there", async () => {
  const { context, page } = await visit(browser, "admin");
  const columns = ["id", "id", "n"].map((name) => ({ name, type: "bigint", decision: null }));
  const head = JSON.stringify({ columns, decision: { effect: "allow", reasons: [] }, window: { tables: [] } });
  const body = `${head.slice(0, -1)},"truncated":false,"rows":[[9007199254740993,-9223372036854775807,1]]}`;
  await page.route("**/api/v1/query", (route) => route.fulfill({ contentType: "application/json", body }));
  await page.goto(`${WEIR}/query?sql=SELECT+1`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("cell", { name: "9007199254740993" }).waitFor();
  await page.getByRole("button", { name: "Open row 1", exact: true }).click();
  const row = page.getByRole("dialog");
  await row.getByText("9007199254740993").waitFor();
  await row.getByText("-9223372036854775807").waitFor();
  await context.close();
});

test("a double click sends a form once", async () => {
  const { context, page } = await visit(browser, "petra");
  const sent: string[] = [];
  await page.route("**/questions", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent.push(route.request().postData() ?? "");
    return route.fulfill({ status: 500, json: { error: { code: "internal", message: SENTENCE, details: {} } } });
  });
  await page.goto(`${WEIR}/datasets/prod/orders/questions`);
  await page.getByLabel("Your question").fill("Whose are they?");
  await page.getByRole("button", { name: "Ask", exact: true }).dblclick();
  await page.getByText(SENTENCE).waitFor();
  await settled(page);
  expect(sent).toHaveLength(1);
  await context.close();
});

test("the page of something that is not there is headed by its name", async () => {
  const { context, page } = await visit(browser, "admin");
  for (const [path, title] of [
    ["/domains/nope", "nope"],
    ["/agents/nope", "Agent: nope"],
  ]) {
    await page.goto(`${WEIR}${path}`);
    await page.getByRole("heading", { level: 1, name: title as string, exact: true }).waitFor();
    expect(await page.title()).toBe(`${title} · Weir`);
  }
  await context.close();
});

test("a moment of the past is in UTC, wherever the browser is", async () => {
  const context = await browser.newContext({ timezoneId: "Asia/Kolkata" });
  await context.addInitScript((token) => sessionStorage.setItem("weir.token", token), tokenOf("admin"));
  const page = await context.newPage();
  await page.goto(`${WEIR}/datasets/prod/orders/access`);
  const sent = page.waitForRequest((request) => request.url().includes("asOf="));
  await page.getByLabel("As of, in UTC").fill("2026-01-02T03:04");
  expect(decodeURIComponent((await sent).url())).toContain("asOf=2026-01-02T03:04:00Z");
  await context.close();
});
