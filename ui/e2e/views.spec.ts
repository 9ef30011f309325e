// A stream view from a query to its rows, in a real browser: saved, followed while it changes, deleted.
import { expect, test } from "vitest";
import { produce } from "./produce";
import { painted, settled, visitors } from "./weir";

const as = visitors();
const NAME = `e2e_views_${Date.now().toString(36)}`;
const SQL = "SELECT region, count(*) AS n FROM prod.orders GROUP BY region";
/** Spark starts a stream, reads the topic and catches up. */
const BUILT = 240_000;

test("a query is saved as a view, followed while it changes, and deleted", { timeout: BUILT * 2 }, async () => {
  const page = await as("admin", `/query?${new URLSearchParams({ sql: SQL })}`);
  await page.getByRole("button", { name: "Save as view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(NAME);
  await dialog.getByLabel("Runs as").fill("petra");
  await dialog.getByRole("button", { name: "What would be built" }).click();
  await dialog.getByText("this would be its first generation").waitFor({ timeout: BUILT });
  await dialog.getByRole("button", { name: "Check", exact: true }).click();
  await dialog.getByText("This would happen:").waitFor();
  await dialog.getByRole("button", { name: "Apply", exact: true }).click();
  await dialog.getByText("Done:").waitFor();

  const petra = await as("petra", `/views/${NAME}`);
  await petra.getByText("running", { exact: true }).first().waitFor({ timeout: BUILT });
  await petra.getByRole("link", { name: "prod/orders" }).waitFor();
  expect(await petra.getByRole("button", { name: "Pause", exact: true }).count()).toBe(0);

  await petra.getByRole("link", { name: "Live", exact: true }).click();
  const live = petra.getByRole("region", { name: "Live rows" });
  await live.getByText(/generation 1/).waitFor({ timeout: BUILT });
  await produce("prod", "orders", NAME, { order_id: NAME, region: NAME, amount: 1 });
  await live.getByText(NAME).waitFor({ timeout: BUILT });

  await petra.getByRole("link", { name: "Rows", exact: true }).click();
  await petra.getByLabel("Rows by prefix").fill(NAME);
  await petra.getByRole("button", { name: "Find" }).click();
  await petra.getByText("1 row of generation 1").waitFor();

  await page.goto(new URL(`/views/${NAME}`, page.url()).href);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByText(new RegExp(`With ${NAME} go`)).waitFor();
  await dialog.getByText(/petra, last/).waitFor();
  await dialog.getByRole("button", { name: "Delete the view and its rows" }).click();
  await page.waitForURL(/\/views$/);
  await painted(page);
  expect(await page.getByRole("link", { name: NAME }).count()).toBe(0);
});

test("who may not manage gets the document, and no way to operate views", async () => {
  const page = await as("ana", `/query?${new URLSearchParams({ sql: SQL })}`);
  await page.getByRole("button", { name: "Save as view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/needs the permission to manage/).waitFor();
  await dialog.getByText(/kind: View/).waitFor();
  expect(await dialog.getByRole("button", { name: "Apply", exact: true }).count()).toBe(0);
  await page.goto(new URL("/views", page.url()).href);
  await settled(page);
  expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
});

test("rows that one may not read have a link to request access", async () => {
  const page = await as("admin", "/views/shop.revenue_5m/rows");
  await page.getByText("You may not read the view shop.revenue_5m.").waitFor();
  await page.locator("main").getByRole("link", { name: "Request access", exact: true }).click();
  await expect.poll(() => page.getByLabel("Dataset", { exact: true }).inputValue()).toBe("prod/shop.revenue_5m");
}, 60_000);
