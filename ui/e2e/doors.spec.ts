// Pages on the newer doors: users, simulation, queries that run, files, the reach question, activity.
import { expect, test } from "vitest";
import { bytesOf, settled, visitors, WEIR } from "./weir";

const as = visitors();

/** For what Spark computes, and is waited for twice or with more beside it: each time 45 seconds are granted. */
const LONG = 150_000;

test("a user is added with a role, and changed in place", async () => {
  const page = await as("admin", "/admin/users");
  const name = `guest-${Date.now().toString(36)}`;
  await page.getByRole("button", { name: "Add a user" }).click();
  await page.fill("#user-name", name);
  await page.getByRole("dialog").getByLabel("analyst", { exact: true }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  const row = page.locator("tr", { hasText: name });
  await row.getByText("analyst").waitFor();
  await row.getByRole("button", { name: `Change ${name}` }).click();
  await page.fill("#user-groups", "visitors");
  await page.getByLabel("disabled: every token is refused").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await row.getByText("visitors").waitFor();
  await row.getByText("disabled").waitFor();
});

test(
  "a change is simulated before it is applied: who would see more",
  async () => {
    const page = await as("admin", "/policies");
    await page.locator("tbody tr", { hasText: "mask-email" }).getByRole("button", { name: "Change" }).click();
    const yaml = await page.inputValue("#yaml");
    await page.fill("#yaml", yaml.replace("MASK_HASH", "MASK_NULL"));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Changes in who sees what").waitFor({ timeout: 45_000 });
    await page.locator(".simulation tbody tr", { hasText: "ana" }).first().waitFor();
    await page.locator(".simulation").getByText("MASK_NULL").first().waitFor();
  },
  LONG,
);

test(
  "what runs is listed and stopped from another tab, and the reader is told",
  async () => {
    // A name of its own: others of ana's queries may run too, left by a run that was cut.
    const name = `followed_${Date.now().toString(36)}`;
    const sql = `SELECT order_id AS ${name} FROM prod.orders EMIT CHANGES`;
    const tail = await as("ana", `/query?sql=${encodeURIComponent(sql)}`);
    await tail.getByRole("button", { name: "Follow" }).click();
    await tail.getByText("live", { exact: true }).waitFor({ timeout: 45_000 });
    const other = await as("ana", "/query");
    await other.getByRole("button", { name: "Running" }).click();
    await other.locator("tr", { hasText: name }).getByRole("button", { name: "Stop" }).click();
    await tail.getByText("cut", { exact: true }).waitFor({ timeout: 30_000 });
    await tail.getByRole("alert").first().waitFor();
  },
  LONG,
);

test(
  "rows are taken along as Parquet, written by Weir",
  async () => {
    const page = await as("ana", `/query?sql=${encodeURIComponent("SELECT order_id FROM prod.orders LIMIT 5")}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".column-head").first().waitFor({ timeout: 45_000 });
    await page.getByRole("button", { name: "Export" }).click();
    const arriving = page.waitForEvent("download", { timeout: 45_000 });
    await page.getByRole("menuitem", { name: "Parquet" }).click();
    const file = await bytesOf(arriving);
    expect(file.subarray(0, 4).toString("latin1")).toBe("PAR1");
  },
  LONG,
);

test("how each column would be shown stands below the statement before it runs", async () => {
  const page = await as("ana", `/query?sql=${encodeURIComponent("SELECT order_id, _key AS who FROM prod.orders")}`);
  const preview = page.getByRole("list", { name: "What the answer would show" });
  await preview.getByText(/^who (hashed|removed|replaced|token)/).waitFor({ timeout: 30_000 });
  await preview.getByText("order_id", { exact: true }).waitFor();
});

test("does it get there: asked with names, answered with the way and where it is masked", async () => {
  const page = await as("ana", "/lineage");
  const pick = async (label: string, text: string, choice: string) => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(`Choices for ${label}`).getByRole("button", { name: choice, exact: true }).click();
  };
  await pick("From", "customer.email", "orders · value.customer.email prod");
  await pick("To", "newsletter-audience", "newsletter-audience prod");
  await page.getByText("Yes, but only masked").waitFor();
  await page.getByText("masked here").waitFor();
  await page.waitForURL(/from=.*to=/);
});

test("activity tells what was reviewed, and leads there", async () => {
  const page = await as("admin", "/activity?kind=personal");
  await page.locator("main .list li").getByRole("link").first().click();
  await page.waitForURL(/\/datasets\//);
});

test("who decides in one's place is named, seen by the delegate, and ended", async () => {
  const page = await as("petra", "/requests?show=away");
  await settled(page);
  const end = page.getByRole("button", { name: "End delegation" });
  if ((await end.count()) > 0) await end.click(); // left by a run that was cut
  await page.fill("#delegates", "otto");
  await page.getByRole("button", { name: "Delegate" }).click();
  await page.getByText("decides access requests in your place").waitFor();
  const other = await as("otto", "/requests?show=away");
  await other.getByText("You decide in the place of petra").waitFor();
  await end.click();
  await page.locator("#delegates").waitFor();
});

test(
  "a mask is tried on values before it is in a policy",
  async () => {
    const page = await as("ana", "/policies");
    await page.locator("tbody tr", { hasText: "mask-phone" }).getByRole("button", { name: "Try the mask" }).click();
    await page.fill("#mask-values", "+49 30 1234567");
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("form td", { hasText: /^\+xx xx xxx4567$/ }).waitFor({ timeout: 45_000 });
    await page.selectOption("#mask", "EMAIL_DOMAIN");
    await page.fill("#mask-values", "ana@example.org");
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("form td", { hasText: /^x+@example\.org$/ }).waitFor({ timeout: 45_000 });
  },
  LONG,
);

test("a document is deleted after a second word, and a refusal says why", async () => {
  const name = `gone-${Date.now().toString(36)}`;
  const page = await as("admin", "/policies?kind=Role");
  await page.getByRole("button", { name: "Try or apply a change" }).click();
  await page.fill("#yaml", `apiVersion: weir/v1\nkind: Role\nmetadata: {name: ${name}}\nspec: {}\n`);
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  // By its place in the page, not by its role: beside a dialog nothing has a role, there or not.
  const remove = page.locator(`[aria-label="Delete ${name}"]`);
  await remove.click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await remove.waitFor({ state: "detached" });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.goto(`${WEIR}/policies?kind=Cluster`);
  await page.getByRole("button", { name: "Delete prod" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByText("delete them first").waitFor();
});

test("a report on a misspelt kind says what it is called, and problems of a schema are sentences", async () => {
  const page = await as("petra", "/reports?entity=EMAIL");
  await page.locator(".empty").getByText("did you mean EMAIL_ADDRESS?").waitFor();
  await page.goto(`${WEIR}/datasets/prod/legacy-feed/schema`);
  await page.getByText(/a key occurs twice in an object/).waitFor();
  await page.goto(`${WEIR}/datasets/prod/returns/schema`);
  await page.getByText("The topic had no records when it was scanned.").waitFor();
  await page.goto(`${WEIR}/datasets/prod/orders/schema?version=4711`);
  await page.getByText("There is no version 4711").waitFor();
});
