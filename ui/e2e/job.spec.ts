// Runs of a job over time: duration and state as bars and in the table, one of them opened by its address.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();
const run = (n: number, state: string, seconds: number | null) => ({
  id: `0000000${n}-0000-4000-8000-000000000000`,
  state,
  started: new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString(),
  updated: new Date(Date.UTC(2026, 2, 1, 12, n, seconds ?? 1)).toISOString(),
  ended: seconds === null ? null : new Date(Date.UTC(2026, 2, 1, 12, n, seconds)).toISOString(),
  processing: "BATCH",
  parent: null,
  clockAhead: null,
});

test("runs are bars and rows, and one of them is in the address", async () => {
  const page = await as("petra", "/");
  await page.route(/\/api\/v1\/jobs\/shop\/order_mails$/, async (route) => {
    const answer = await route.fetch();
    const runs = [run(3, "RUNNING", null), run(2, "FAIL", 5), run(1, "COMPLETE", 30)];
    await route.fulfill({ json: { ...(await answer.json()), runs } });
  });
  await page.goto(new URL("/jobs/shop/order_mails", page.url()).href);
  await page.getByText("2 ended, 1 of them failed; 30 s in the middle, 30 s at most.", { exact: false }).waitFor();
  await page.getByRole("list", { name: "Runs over time" }).getByRole("button").nth(1).click();
  await page.waitForURL(/run=00000002/);
  await page.getByRole("region", { name: "Run 00000002" }).getByText("fail").waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
});
