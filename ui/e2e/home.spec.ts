// The first page of each person: what they look after, and the first steps of an empty catalog.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();

/** The rows of the inbox as the API has them for somebody; their sentences are on the page. */
async function inboxOf(user: string): Promise<{ subject: string; text: string; link: string; duty: string }[]> {
  const headers = { Authorization: `Bearer ${tokenOf(user)}` };
  const answered = await fetch(`${WEIR}/api/v1/inbox`, { headers });
  expect(answered.status).toBe(200);
  return ((await answered.json()) as { rows: { subject: string; text: string; link: string; duty: string }[] }).rows;
}

test("an analyst has grants, requests and queries, and nothing to operate", async () => {
  const page = await as("ana", "/");
  for (const name of ["My grants", "My requests", "Recent queries", "Inbox"]) {
    await page.getByRole("region", { name }).waitFor();
  }
  await settled(page);
  expect((await inboxOf("ana")).filter(({ duty }) => duty === "administrator" || duty === "officer")).toEqual([]);
});

test("each row of the inbox has a number with a link to its list, and one action", async () => {
  for (const user of ["admin", "petra", "otto"]) {
    const page = await as(user, "/");
    const inbox = page.getByRole("region", { name: "Inbox" });
    await inbox.getByRole("listitem").first().waitFor();
    await settled(page);
    const rows = await inboxOf(user);
    expect(rows.length).toBeGreaterThan(0);
    for (const { subject, text, link } of rows) {
      // Several rows may count as many people.
      const row = inbox.getByRole("listitem").filter({ hasText: subject }).filter({ hasText: text }).first();
      expect(await row.getByRole("link").count()).toBe(2);
      expect(await row.getByRole("link").first().getAttribute("href")).toBe(link);
    }
    expect(await seriousFindings(page)).toEqual([]);
  }
});

test("the row of detections leads to the list that it counts", async () => {
  const page = await as("petra", "/");
  const row = page.getByRole("region", { name: "Inbox" }).getByRole("link", { name: /^[\d,]+ detections?$/ });
  const count = ((await row.textContent()) ?? "").replace(/\D/g, "");
  await row.click();
  await page.waitForURL(/\/review\?state=suggested/);
  await page.locator("tbody tr").first().waitFor();
  const headers = { Authorization: `Bearer ${tokenOf("petra")}` };
  const listed = await fetch(`${WEIR}/api/v1/classifications?state=suggested&limit=1`, { headers });
  expect(String(((await listed.json()) as { total: number }).total)).toBe(count);
});

test("on a phone the inbox is in the first view", async () => {
  const page = await as("petra", "/");
  await page.setViewportSize({ width: 390, height: 844 });
  const inbox = page.getByRole("region", { name: "Inbox" });
  await inbox.getByRole("listitem").first().waitFor();
  const box = await inbox.boundingBox();
  expect(box?.y ?? 10_000).toBeLessThan(844 / 2);
});

test("an empty catalog leads to the first step, and offers others nothing they may not do", async () => {
  for (const user of ["admin", "ana"]) {
    const page = await as(user, "/query");
    await page.route(/\/api\/v1\/datasets\?/, (route) => route.fulfill({ json: { datasets: [], total: 0 } }));
    await page.route(/\/api\/v1\/clusters$/, (route) => route.fulfill({ json: { clusters: [] } }));
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Home" }).click();
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByText("Connect a cluster").waitFor();
    await settled(page);
    expect(await steps.getByRole("link", { name: "Add a cluster" }).count()).toBe(user === "admin" ? 1 : 0);
    expect(await seriousFindings(page)).toEqual([]);
  }
});
