// An agent of a person: listed with its limits and its calls, and ended by a button.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();
const NAME = `e2e-${Date.now().toString(36)}`;

async function call(token: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${WEIR}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "X-Weir-Tool": "list_datasets" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

test("a person sees what their agent did and ends it", async () => {
  const limits = {
    name: NAME,
    purpose: "support",
    datasets: ["prod/orders"],
    rows: 10,
    rowsADay: 50,
    maskedOnly: true,
  };
  const made = await call(tokenOf("ana"), "/agents", { ...limits, expiresIn: "1h" });
  expect(made.status).toBe(201);
  const { id, token } = (await made.json()) as { id: string; token: string };
  expect((await call(token, "/datasets")).status).toBe(200);
  await call(token, "/query/explain", { sql: "SELECT order_id FROM prod.orders" });

  const page = await as("ana", "/agents");
  const row = page.getByRole("row", { name: new RegExp(NAME) });
  await row.getByText("10 rows an answer, 50 a day, masked values only").waitFor();
  await row.getByText("0 of 50").waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);

  await row.getByRole("link", { name: NAME }).click();
  await page.waitForURL(new RegExp(`/agents/${id}`));
  const calls = page.getByRole("table", { name: "What it did lately" });
  await calls.getByText("list_datasets").first().waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "End this agent" }).click();
  await page.getByRole("button", { name: /Really/ }).click();
  await page.getByText("ended", { exact: true }).waitFor();
  expect((await call(token, "/datasets")).status).toBe(401);
  expect(await page.getByRole("button", { name: "End this agent" }).count()).toBe(0);
});

test("the audit is searched by agent and by tool", async () => {
  const page = await as("admin", `/audit?agent=${NAME}`);
  const table = page.getByRole("table", { name: "Entries of the audit" });
  await table.getByText(`by agent ${NAME}, list_datasets`).first().waitFor();
  await page.getByLabel("Tool", { exact: true }).fill("run_query");
  await page.keyboard.press("Enter");
  await page.waitForURL(/tool=run_query/);
  await page.getByText("No matches. Remove a filter.").waitFor();
});
