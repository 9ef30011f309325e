// The first page of each person: what they look after, and the first steps of an empty catalog.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();

test("an analyst has grants, requests and queries, and nothing to operate", async () => {
  const page = await as("ana", "/");
  for (const name of ["My grants", "My requests", "Recent queries"]) {
    await page.getByRole("region", { name }).waitFor();
  }
  await settled(page);
  expect(await page.getByRole("region", { name: "Operation" }).count()).toBe(0);
  expect(await page.getByRole("region", { name: "Personal data" }).count()).toBe(0);
});

test("an administrator sees health, lag and scans; an owner their datasets", async () => {
  const page = await as("admin", "/");
  await page
    .getByRole("region", { name: "Operation" })
    .getByText(/Weir is/)
    .waitFor();
  await page.getByRole("region", { name: "Personal data" }).getByRole("heading", { name: "Gaps" }).waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
  const otto = await as("otto", "/");
  await otto.getByRole("region", { name: "My datasets" }).getByRole("heading", { name: "Broken contracts" }).waitFor();
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
