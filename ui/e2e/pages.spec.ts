// Every page, on a phone, light and dark: it draws, nothing breaks in it, nothing leaves for another origin, axe finds nothing serious.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { sampled } from "./sampled";
import { launch, painted, settled, visit, WEIR } from "./weir";

const PAGES = [
  "/",
  "/search?q=email",
  "/search?q=nosuchthinganywhere",
  "/datasets",
  "/datasets?show=unowned",
  "/datasets/prod/orders",
  "/datasets/prod/orders/schema?field=value.customer.email",
  "/datasets/prod/events/schema",
  "/datasets/prod/orders/personal-data",
  "/datasets/prod/orders/lineage",
  "/datasets/prod/orders/access",
  "/datasets/prod/orders/rules",
  "/datasets/prod/orders/activity",
  "/datasets/prod/orders/records",
  "/datasets/prod/orders/topic",
  "/datasets/prod/orders/consumers",
  "/datasets/prod/nosuchdataset",
  "/lineage",
  "/lineage?node=dataset:prod:orders&depth=20",
  "/lineage?node=datasetField:prod:orders:value.customer.email&level=column",
  "/jobs/shop/order_mails",
  "/query",
  "/views",
  "/connectors",
  "/query?pane=saved",
  "/requests?show=mine",
  "/requests?show=grants",
  "/requests?show=away",
  "/requests/new?dataset=prod/orders&fields=value.customer.email",
  "/review",
  "/review?state=confirmed",
  "/access-reviews",
  "/notifications",
  "/sessions",
  "/people/ana",
  "/activity",
  "/policies",
  "/policies/people?kind=Role",
  "/policies/people?kind=User",
  "/policies/documents?kind=Purpose",
  "/fields?entity=EMAIL_ADDRESS",
  "/fields?name=email",
  "/reports",
  "/reports?entity=EMAIL_ADDRESS",
  "/rights",
  "/rights?show=rights",
  "/rights?show=principals",
  "/audit",
  "/admin",
  "/admin/scans",
  "/admin/users",
  "/admin/service-accounts",
  "/admin/directory",
  "/admin/tokens",
  "/admin/clusters?add=cluster",
  "/admin/sessions",
  "/admin/health",
  "/nosuchpage",
];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Findings that are still there a moment later: a busy machine paints late, and what is wrong stays wrong. */
async function lasting(page: Page, colours = false): Promise<string[]> {
  const found = await seriousFindings(page, colours);
  if (found.length === 0) return found;
  await page.waitForTimeout(1000);
  return seriousFindings(page, colours);
}

const DESK = { width: 1360, height: 850 };
const PHONE = { width: 390, height: 780 };

test("every page: on a phone nothing is wider than the screen; light and dark", async () => {
  const { context, page, wrong } = await visit(browser, "admin", PHONE);
  const found: string[] = [];
  for (const path of sampled(PAGES, 3)) {
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(WEIR + path);
    await settled(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 1) found.push(`${path}: ${over} px too wide`);
    await page.setViewportSize(DESK);
    await settled(page);
    for (const finding of await lasting(page)) found.push(`${path}: ${finding}`);
    // What is not a matter of colours is the same in both.
    await page.emulateMedia({ colorScheme: "dark" });
    await painted(page);
    for (const finding of await lasting(page, true)) found.push(`${path}, dark: ${finding}`);
  }
  expect(found).toEqual([]);
  expect(wrong).toEqual([]);
  await context.close();
}, 400_000);

test("the sign-in page", async () => {
  const { context, page, wrong } = await visit(browser, null);
  await page.goto(WEIR);
  await page.waitForSelector("input#token");
  expect(await seriousFindings(page)).toEqual([]);
  expect(wrong).toEqual([]);
  await context.close();
});
