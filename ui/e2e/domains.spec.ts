// Domains in a real browser: the list, the page of one with what its admin gets, and what others see.
// The demo declares none, so answers are given here; tests/unit/api/domains has what Weir itself answers.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();

const HR = {
  name: "hr",
  description: "Pay, staff and applications.",
  membership: "admin",
  patterns: ["prod/hr.*"],
  admins: { users: ["ana"], groups: ["hr-leads"] },
  stewards: { users: ["stan"], groups: [] },
  documents: [{ kind: "Policy", name: "hr.mask-mail", description: "Mail addresses are hashed." }],
  may: ["approve", "audit:read", "certify", "decide", "declare", "edit", "report:read", "review", "scan"],
  manages: false,
};
const PAY = {
  namespace: "kafka://localhost:9092",
  name: "hr.pay",
  reference: "prod/hr.pay",
  owners: ["olga"],
  tags: [],
};
const ENTRY = {
  id: "a1",
  at: "2026-11-01T10:00:00Z",
  actor: "rita",
  action: "query",
  decision: "deny",
  datasets: ["prod/hr.pay"],
  fields: {},
  reasons: [],
  details: {},
  partial: true,
};

async function answers(page: Page, domains: object[], one: object = HR): Promise<void> {
  await page.route(/\/api\/v1\/domains$/, (route) => route.fulfill({ json: { domains } }));
  await page.route(/\/api\/v1\/domains\/hr$/, (route) => route.fulfill({ json: one }));
  await page.route(/\/api\/v1\/domains\/hr\/datasets/, (route) =>
    route.fulfill({ json: { datasets: [PAY], total: 1 } }),
  );
  await page.route(/\/api\/v1\/domains\/hr\/audit/, (route) =>
    route.fulfill({ json: { entries: [ENTRY], next: null, note: null } }),
  );
}

test("an admin of a domain finds it in the navigation, with its datasets, policies and audit", async () => {
  const page = await as("ana", "/");
  await answers(page, [HR]);
  await page.reload();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Domains" }).click();
  await page.getByRole("table", { name: "Domains" }).getByRole("link", { name: "hr" }).click();
  await page.getByText("prod/hr.*", { exact: true }).waitFor();
  await page.getByText("ana, group hr-leads").waitFor();
  await page.getByText(/decide on requests and end grants/).waitFor();
  await page.getByRole("link", { name: "prod/hr.pay" }).waitFor();
  await page.getByRole("link", { name: "hr.mask-mail" }).waitFor();
  const audit = page.getByRole("region", { name: "Audit of the domain" });
  await audit.getByText("and more that is not of the domain").waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Add a policy" }).click();
  expect(await page.getByLabel("Documents (YAML)").inputValue()).toContain("metadata: {name: hr.mask, domain: hr}");
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(1);
});

test("who is nothing in a domain is offered no change and no audit", async () => {
  const page = await as("ana", "/domains/hr");
  await answers(page, [{ ...HR, membership: null }], { ...HR, membership: null, may: [] });
  await page.reload();
  await page.getByText("nothing that others may not").waitFor();
  expect(await page.getByRole("button", { name: /Add a policy|Change the domain/ }).count()).toBe(0);
  expect(await page.getByRole("region", { name: "Audit of the domain" }).count()).toBe(0);
});

test("where there is no domain an analyst is offered none, and an administrator the document to begin with", async () => {
  const ana = await as("ana", "/");
  await answers(ana, []);
  await ana.reload();
  const pages = ana.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: "Policies" }).waitFor();
  expect(await pages.getByRole("link", { name: "Domains" }).count()).toBe(0);

  const page = await as("admin", "/domains");
  await answers(page, []);
  await page.reload();
  await page.getByText("No domain is declared").waitFor();
  await page.getByRole("link", { name: "Declare a domain" }).click();
  await page.waitForURL(/kind=Domain.*change=new/);
  expect(await page.getByLabel("Documents (YAML)").inputValue()).toContain("kind: Domain");
});
