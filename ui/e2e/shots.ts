// Pictures of every page for docs/screenshots: light and dark, and some on a phone.
//   WEIR_URL=... WEIR_TOKENS=... npm run shots            ONLY=query npm run shots   (one page)
//   PREPARE=1 ... npm run shots                           first adds a domain, an access review, an agent (shotsPrepared.ts)
//   ALL=1 SHOTS=/tmp/shots USERS=ana KIND=phone npm run shots   (every page and state of a person, to look through)
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { EVERYWHERE, type Shot } from "./everywhere";
import { prepare } from "./shotsPrepared";
import { smallPng } from "./smallPng";
import { launch, settled, visit, WEIR } from "./weir";

const FOLDER = process.env.SHOTS
  ? `${process.env.SHOTS}/`
  : fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
const ONLY = process.env.ONLY;
/** A dataset with a contract that is broken, as CLUSTER/TOPIC. */
const BROKEN = process.env.BROKEN ?? "prod/orders";
const SQL = "SELECT client.account, client.ip, screen, ts FROM prod.`clicks.mobile`";

const drawn = async (page: Page) => {
  await page.waitForSelector(".react-flow__node");
  await page.waitForTimeout(700); // the view glides to where the graph fits
};

const SHOTS: Shot[] = [
  { name: "sign-in", path: "/", user: null },
  { name: "home", path: "/", user: "admin", phone: true },
  { name: "search", path: "/search?q=email", user: "admin", phone: true },
  { name: "datasets", path: "/datasets", user: "admin", phone: true },
  { name: "activity", path: "/activity", user: "admin" },
  { name: "dataset", path: "/datasets/prod/orders", user: "admin" },
  { name: "schema", path: "/datasets/prod/orders/schema?field=value.customer.email", user: "admin", phone: true },
  { name: "shapes", path: "/datasets/prod/events/schema", user: "admin" },
  { name: "personal-data", path: "/datasets/prod/orders/personal-data", user: "admin" },
  { name: "records", path: "/datasets/prod/clicks.mobile/records", user: "ana" },
  { name: "access", path: "/datasets/prod/orders/access", user: "admin" },
  { name: "rules", path: "/datasets/prod/orders/rules", user: "ana" },
  { name: "dataset-lineage", path: "/datasets/prod/orders/lineage", user: "admin", first: drawn },
  { name: "lineage", path: "/lineage?node=dataset:prod:orders&depth=20", user: "admin", phone: true, first: drawn },
  {
    name: "lineage-columns",
    path: "/lineage?node=datasetField:prod:orders:value.customer.email&level=column&depth=20",
    user: "admin",
    first: async (page) => {
      await drawn(page);
      await page.locator(".card-field button").first().click();
      await page.waitForTimeout(400);
    },
  },
  {
    name: "query",
    path: `/query?sql=${encodeURIComponent(SQL)}`,
    user: "ana",
    phone: true,
    first: async (page) => {
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForSelector(".column-head");
      await page.locator(".column-head").first().click();
    },
  },
  {
    name: "explain",
    path: `/query?sql=${encodeURIComponent(SQL)}`,
    user: "ana",
    first: async (page) => {
      await page.getByRole("button", { name: "Explain" }).click();
      await page.waitForSelector("text=What the answer shows");
    },
  },
  {
    name: "query-check",
    path: `/query?sql=${encodeURIComponent("SELECT order_id, customer.emial FROM prod.orders")}`,
    user: "ana",
    first: async (page) => {
      await page.waitForSelector(".cm-lintRange-error");
      await page.hover(".cm-lintRange-error");
      await page.waitForSelector(".cm-tooltip-lint");
    },
  },
  { name: "ask", path: "/requests/new?dataset=prod/orders&fields=value.customer.email", user: "ana" },
  // With BROKEN and its incident: the demo has no contract of its own.
  { name: "contract", path: `/datasets/${BROKEN}/contracts`, user: "admin", phone: true },
  { name: "quality", path: "/datasets/prod/orders/quality", user: "admin", phone: true },
  { name: "incidents", path: "/incidents", user: "admin", phone: true },
  {
    name: "incident",
    path: "/incidents",
    user: "admin",
    phone: true,
    first: async (page) => {
      await page.locator("main table a[href*='/incidents/']").first().click();
      await settled(page);
    },
  },
  { name: "requests", path: "/requests?show=mine", user: "ana" },
  { name: "grants", path: "/requests?show=grants", user: "ana" },
  { name: "fields", path: "/fields?entity=EMAIL_ADDRESS", user: "ana" },
  {
    name: "where-is",
    path: "/reports?entity=EMAIL_ADDRESS",
    user: "petra",
    phone: true,
    first: async (page) => {
      await page.waitForFunction(() => !document.body.innerText.includes("being looked up"));
    },
  },
  { name: "review", path: "/review", user: "admin" },
  { name: "policies", path: "/policies", user: "admin" },
  { name: "audit", path: "/audit", user: "admin", first: async (page) => page.getByText("Verify the chain").click() },
  { name: "clusters", path: "/admin", user: "admin" },
  { name: "scans", path: "/admin/scans", user: "admin" },
  { name: "users", path: "/admin/users", user: "admin" },
  { name: "tokens", path: "/admin/tokens", user: "admin" },
  { name: "health", path: "/admin/health", user: "admin" },
  { name: "access-reviews", path: "/access-reviews", user: "admin" },
  { name: "documents", path: "/policies/documents", user: "admin" },
  { name: "people", path: "/policies/people", user: "admin" },
  { name: "person", path: "/people/ana", user: "admin" },
  { name: "domains", path: "/domains", user: "admin" },
  { name: "agents", path: "/agents", user: "admin" },
  { name: "connectors", path: "/connectors", user: "admin" },
  { name: "views", path: "/views", user: "admin" },
  { name: "view", path: "/views/shop.revenue_5m", user: "admin" },
  { name: "notifications", path: "/notifications", user: "admin" },
  { name: "service-accounts", path: "/admin/service-accounts", user: "admin" },
  { name: "directory", path: "/admin/directory", user: "admin" },
  { name: "add-cluster", path: "/admin/clusters?add=cluster", user: "admin" },
  { name: "rights-copies", path: "/rights?show=copies", user: "admin" },
  { name: "lineage-job", path: "/jobs/shop/order_mails", user: "admin" },
  // Of `weir demo --secured`; without an authorizer there is one finding, and no plan.
  { name: "rights", path: "/rights", user: "admin" },
  { name: "rights-plan", path: "/rights?show=plan", user: "admin" },
];

let browser: Browser;
let scratch: Page;
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  if (process.env.PREPARE) await prepare();
  browser = await launch();
  scratch = await browser.newPage();
});
afterAll(() => browser.close());

async function take(shot: Shot, kind: "light" | "dark" | "phone"): Promise<void> {
  const look =
    kind === "phone"
      ? { width: 390, height: 780 }
      : { width: process.env.ALL ? 1440 : 1280, height: process.env.ALL ? 900 : 800, dark: kind === "dark" };
  const { context, page, wrong } = await visit(browser, shot.user, look);
  await page.goto(WEIR + shot.path);
  await settled(page);
  await shot.first?.(page);
  await page.waitForTimeout(250);
  writeFileSync(`${FOLDER}${shot.name}-${kind}.png`, await smallPng(scratch, await page.screenshot()));
  await context.close();
  if (wrong.length > 0) throw new Error(`${shot.name}: ${wrong.join("; ")}`);
}

for (const shot of (process.env.ALL ? EVERYWHERE : SHOTS).filter((s) => !ONLY || ONLY.split(",").includes(s.name))) {
  for (const kind of ["light", "dark", ...(shot.phone ? ["phone" as const] : [])] as const) {
    if (process.env.KIND && kind !== process.env.KIND) continue;
    test(`${shot.name} ${kind}`, () => take(shot, kind));
  }
}
