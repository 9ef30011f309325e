// Clusters and policies by form: what is wrong is said, what would change is shown, and nothing is offered to others.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();

test("a cluster by form: a connection that fails says why, and the document is shown", async () => {
  const page = await as("admin", "/admin/clusters");
  await page.getByRole("button", { name: "Add a cluster" }).click();
  await page.waitForURL(/add=cluster/);
  const form = page.getByRole("region", { name: "Add a cluster" });
  await form.getByLabel("Name", { exact: true }).fill("elsewhere");
  await form.getByLabel("Bootstrap servers").fill("127.0.0.1:1");
  await form.getByLabel("Sign-in (SASL)").selectOption("PLAIN");
  await form.getByLabel("User name").fill("weir");
  await form.getByLabel("Where the password is", { exact: true }).fill("hunter2");
  await form
    .getByText(/The secret itself is never written here/)
    .first()
    .waitFor();
  expect(await form.getByRole("button", { name: "Test connection" }).isDisabled()).toBe(true);
  await form.getByLabel("Sign-in (SASL)").selectOption("");
  await form.getByLabel("Where the password is", { exact: true }).waitFor({ state: "detached" });
  await form.getByRole("button", { name: "Test connection" }).click();
  await form.getByText(/Nobody listens at 127\.0\.0\.1:1/).waitFor({ timeout: 60_000 });
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test("while a cluster is added, no second form asks for an address", async () => {
  const page = await as("admin", "/admin/clusters?add=cluster");
  const form = page.getByRole("region", { name: "Add a cluster" });
  await form.getByLabel("Bootstrap servers").waitFor();
  await settled(page);
  expect(await page.getByRole("heading", { name: "Scan topics" }).count()).toBe(0);
  await form.getByRole("button", { name: "Close" }).click();
  await page.getByRole("heading", { name: "Scan topics" }).waitFor();
});

test("an analyst is offered no form", async () => {
  const page = await as("ana", "/admin/clusters?add=cluster");
  await page.getByText(/Adding and changing clusters needs the permission/).waitFor();
  expect(await page.getByRole("region", { name: "Add a cluster" }).count()).toBe(0);
  await page.goto(new URL("/policies?change=form", page.url()).href);
  await settled(page);
  expect(await page.getByRole("region", { name: "Add a policy" }).count()).toBe(0);
});

test("a policy by form shows its YAML and who gains and loses, before it is applied", async () => {
  const page = await as("admin", "/policies?change=form");
  const form = page.getByRole("region", { name: "Add a policy" });
  await form.getByLabel("Name", { exact: true }).fill("e2e-form");
  await form.getByLabel("Datasets").fill("prod/orders");
  await form.getByLabel("Mask", { exact: true }).selectOption("MASK_NULL");
  await form.getByLabel("Except").fill("role:admin");
  const yaml = form.getByLabel("Documents (YAML)");
  expect(await yaml.inputValue()).toMatch(/MASK_NULL/);
  await form.getByRole("button", { name: "Check", exact: true }).click();
  await form.getByText("This would happen:").waitFor();
  await form.getByText(/Changes in who sees what|Nobody would see anything/).waitFor({ timeout: 60_000 });
  expect(await seriousFindings(page)).toEqual([]);
});

test("a role by form: rights with their meaning, its YAML, and who gains and loses before it is applied", async () => {
  const page = await as("admin", "/policies?kind=Role");
  const declared = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "data-owner" }) });
  await declared.getByText("reads prod/orders, prod/revenue-by-region; may review, scan").waitFor();
  await declared.getByRole("button", { name: "Change" }).click();
  await page.waitForURL(/edit=data-owner/);
  const form = page.getByRole("region", { name: "Change the role data-owner" });
  expect(await form.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
  expect(await form.getByLabel("Datasets to read").inputValue()).toBe("prod/orders\nprod/revenue-by-region");
  expect(await form.getByRole("checkbox", { name: /^scan start scans/ }).isChecked()).toBe(true);
  await form.getByRole("checkbox", { name: /^audit:read/ }).check();
  await form.getByLabel("Datasets to read").fill("prod/orders");
  const yaml = form.getByLabel("Documents (YAML)");
  await expect.poll(() => yaml.inputValue()).toMatch(/permissions:\n\s+- review\n\s+- scan\n\s+- "audit:read"/);
  expect(await yaml.inputValue()).not.toMatch(/revenue/);
  await form.getByRole("button", { name: "Check", exact: true }).click();
  await form.getByText("This would happen:").waitFor();
  await form.getByText(/Changes in who sees what|Nobody would see anything/).waitFor({ timeout: 60_000 });
  expect(await seriousFindings(page)).toEqual([]);

  await form.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Add a role" }).click();
  const added = page.getByRole("region", { name: "Add a role" });
  await added.getByText("Give the role a name.").waitFor();
  await added.getByLabel("Datasets to read").fill("orders");
  await added.getByText(/“orders” is not a dataset/).waitFor();
});
