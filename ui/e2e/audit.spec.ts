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
  await page.route("**/api/v1/audit?*", (route) => {
    asked.push(new URL(route.request().url()).searchParams.get("action"));
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

  await page.getByLabel("action", { exact: true }).fill("Grant revoked");
  await page.keyboard.press("Enter");
  await page.waitForURL(/action=grant\.revoke/);
  await expect.poll(() => asked.at(-1)).toBe("grant.revoke");
  await page.getByLabel("action", { exact: true }).fill("request");
  await page.keyboard.press("Enter");
  await page.waitForURL(/action=request$/);
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
});
