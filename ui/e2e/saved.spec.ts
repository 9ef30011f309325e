// A query with parameters, drawn, saved, shared, opened by another person, and its results opened again.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();
const NAME = `e2e saved ${Date.now().toString(36)}`;
const SQL = "SELECT region, count(*) AS n FROM prod.orders WHERE region <> :without GROUP BY region";
const RUN = 120_000;

test("a query is run with a parameter, drawn, saved, shared, and opened by another person", {
  timeout: RUN * 3,
}, async () => {
  const page = await as("petra", `/query?${new URLSearchParams({ sql: SQL })}`);
  const value = page.getByRole("group", { name: "Parameters" }).getByLabel(":without");
  await value.fill("it's none");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("table", { name: "Result" }).waitFor({ timeout: RUN });
  await page.waitForURL(/p\.without=/);

  const result = page.getByRole("region", { name: "Result" });
  for (const [button, label] of [
    ["Bar", /^n by region/],
    ["Line", /^n by region/],
    ["Histogram", /^rows by n/],
  ] as const) {
    await result.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("img", { name: label }).waitFor();
  }
  await page.waitForURL(/chart=histogram/);
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
  await result.getByRole("button", { name: "Bar", exact: true }).click();

  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(NAME);
  await dialog.getByLabel("Everyone may open it").check();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/saved=/);
  const saved = new URL(page.url()).searchParams.get("saved") ?? "";

  await page.getByRole("button", { name: "History", exact: true }).click();
  await page.getByRole("region", { name: "Results" }).getByRole("button").first().click();
  await page.getByText(/The result of/).waitFor();

  const ana = await as("ana", `/query?saved=${saved}`);
  await ana.getByText(`${NAME}, saved by petra.`).waitFor();
  await ana.getByRole("group", { name: "Parameters" }).getByLabel(":without").waitFor();
  expect(new URL(ana.url()).searchParams.has("p.without")).toBe(false);
  await ana.getByRole("button", { name: "Saved", exact: true }).click();
  await ana.getByRole("link", { name: NAME }).waitFor();
  expect(await ana.getByRole("button", { name: `Delete ${NAME}` }).count()).toBe(0);

  await page.getByRole("button", { name: "Saved", exact: true }).click();
  await page.getByRole("button", { name: `Delete ${NAME}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("link", { name: NAME }).waitFor({ state: "detached" });
});
