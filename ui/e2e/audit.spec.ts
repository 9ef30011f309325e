// The audit in plain words: what was done is read without knowing codes, and the codes are there for filters and exports.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();

const entry = (seq: number, action: string) => ({
  seq,
  at: "2026-11-01T10:00:00Z",
  actor: "rita",
  action,
  target: "prod/orders",
  decision: "allow",
  reasons: [],
  details: {},
  prev: "",
  hash: `hash-${seq}`,
});

test("actions are shown in words, with their codes as titles; the filter takes either", async () => {
  const page = await as("admin", "/");
  const asked: (string | null)[] = [];
  const since: (string | null)[] = [];
  const without: string[][] = [];
  await page.route("**/api/v1/audit?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query.get("action"));
    since.push(query.get("since"));
    without.push(query.getAll("without"));
    const entries = [entry(3, "grant.revoke"), entry(2, "query.stream"), entry(1, "moon.landing")];
    return route.fulfill({ json: { entries, next: null, note: null } });
  });
  await page.goto(new URL("/audit", page.url()).href);
  const table = page.getByRole("table", { name: "Entries of the audit" });
  await table.getByText("Grant revoked", { exact: true }).waitFor();
  expect(await table.getByText("Grant revoked", { exact: true }).getAttribute("title")).toBe("grant.revoke");
  await table.getByText("Query followed live", { exact: true }).waitFor();
  await table.getByText("moon.landing", { exact: true }).waitFor();
  expect(await table.getByText("grant.revoke", { exact: true }).count()).toBe(0);

  await page.getByText("More filters").click();
  await page.getByLabel("Action", { exact: true }).fill("Grant revoked");
  await page.keyboard.press("Enter");
  await page.waitForURL(/action=grant\.revoke/);
  await expect.poll(() => asked.at(-1)).toBe("grant.revoke");
  await page.getByLabel("Action", { exact: true }).fill("request");
  await page.keyboard.press("Enter");
  await page.waitForURL(/action=request$/);
  await page.getByLabel("From", { exact: true }).fill("2026-11-01");
  await expect.poll(() => since.at(-1)).toMatch(/^2026-(10-31|11-01)T/);
  expect(without.at(-1)).toEqual(["query.check", "query.complete"]);
  await page.getByLabel("Checks while typing, too").check();
  await expect.poll(() => without.at(-1)).toEqual([]);
  await page.getByText("3 entries by 1 person").waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
});
