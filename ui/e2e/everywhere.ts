// Every page as the demo has it, for looking through: ALL=1 SHOTS=/tmp/shots npm run shots. Not kept in docs/screenshots.
import type { Page } from "playwright-core";

export interface Shot {
  name: string;
  path: string;
  user: string | null;
  phone?: boolean;
  /** What is done on the page before the picture is taken. */
  first?: (page: Page) => Promise<void>;
}

const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole("button", { name }).first().click();
  await page.waitForTimeout(400);
};
const drawn = async (page: Page) => {
  await page.waitForSelector(".react-flow__node");
  await page.waitForTimeout(700); // the view glides to where the graph fits
};
const run = async (page: Page) => {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForSelector(".column-head");
};

/** name -> path of pages that everybody may open. */
const OF_ALL: Record<string, string> = {
  home: "/",
  search: "/search?q=email",
  "search-fields": "/search?q=email&view=fields",
  "search-none": "/search?q=zzzzqqq",
  datasets: "/datasets",
  dataset: "/datasets/prod/orders",
  "dataset-unknown": "/datasets/prod/ordres",
  schema: "/datasets/prod/orders/schema?field=value.customer.email",
  "personal-data": "/datasets/prod/orders/personal-data",
  records: "/datasets/prod/orders/records",
  topic: "/datasets/prod/orders/topic",
  consumers: "/datasets/prod/orders/consumers",
  access: "/datasets/prod/orders/access",
  rules: "/datasets/prod/orders/rules",
  "dataset-activity": "/datasets/prod/orders/activity",
  fields: "/fields?entity=EMAIL_ADDRESS",
  "query-empty": "/query",
  views: "/views",
  view: "/views/shop.revenue_5m",
  "view-rows": "/views/shop.revenue_5m/rows",
  requests: "/requests",
  "requests-mine": "/requests?show=mine",
  grants: "/requests?show=grants",
  "requests-new": "/requests/new?dataset=prod/orders&fields=value.customer.email",
  review: "/review",
  "access-reviews": "/access-reviews",
  policies: "/policies",
  people: "/policies/people",
  documents: "/policies/documents",
  reports: "/reports?entity=EMAIL_ADDRESS",
  activity: "/activity",
  rights: "/rights",
  "rights-all": "/rights?show=rights",
  principals: "/rights?show=principals",
  "rights-plan": "/rights?show=plan",
  "rights-copies": "/rights?show=copies",
  audit: "/audit",
  sessions: "/sessions",
  notifications: "/notifications",
  connectors: "/connectors",
  person: "/people/ana",
  admin: "/admin",
  scans: "/admin/scans",
  users: "/admin/users",
  tokens: "/admin/tokens",
  "service-accounts": "/admin/service-accounts",
  directory: "/admin/directory",
  health: "/admin/health",
  nowhere: "/nowhere",
};

const STATES: Omit<Shot, "user">[] = [
  { name: "lineage", path: "/lineage?node=dataset:prod:orders&depth=3", first: drawn },
  {
    name: "lineage-impact",
    path: "/lineage?node=datasetField:prod:orders:value.customer.email&level=column&depth=3&change=drop",
    first: drawn,
  },
  { name: "job", path: "/jobs/shop/order_mails" },
  {
    name: "query",
    path: `/query?sql=${encodeURIComponent("SELECT * FROM prod.orders LIMIT 20")}`,
    first: run,
  },
  {
    name: "query-refused",
    path: `/query?sql=${encodeURIComponent("SELECT * FROM prod.payments LIMIT 20")}`,
    first: press("Run"),
  },
  {
    name: "record-open",
    path: "/datasets/prod/orders/records",
    first: async (page) => {
      await page.locator("tbody tr button, tbody tr a").first().click();
      await page.waitForTimeout(600);
    },
  },
  { name: "columns-menu", path: "/datasets", first: press(/^Columns/) },
  { name: "add-cluster", path: "/admin/clusters?add=cluster" },
  { name: "policy-form", path: "/policies?change=form" },
  { name: "role-form", path: "/policies/people?kind=Role&change=form" },
  {
    name: "keys",
    path: "/datasets",
    first: async (page) => {
      await page.keyboard.press("?");
      await page.waitForTimeout(300);
    },
  },
];

/** Every page and state for each person; what one may not open shows who can. */
export const EVERYWHERE: Shot[] = (process.env.USERS ?? "admin,ana,petra")
  .split(",")
  .flatMap((user) => [
    ...Object.entries(OF_ALL).map(([name, path]) => ({ name: `${user}-${name}`, path, user, phone: true })),
    ...STATES.map((shot) => ({ ...shot, name: `${user}-${shot.name}`, user, phone: true })),
  ]);
