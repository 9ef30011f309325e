// Service accounts and the directory by the pages: an account with its token, rotated and revoked; a directory that keeps people.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();

const MARK = Date.now().toString(36);
const PROGRAM = `program-${MARK}`;
const DIRECTORY = `directory-${MARK}`;
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";

async function ask(method: string, path: string, body?: string, type = "application/yaml"): Promise<Response> {
  const headers = { Authorization: `Bearer ${tokenOf("admin")}`, "Content-Type": type };
  const answered = await fetch(`${WEIR}/api/v1${path}`, { method, headers, ...(body ? { body } : {}) });
  expect(answered.status, await answered.clone().text()).toBeLessThan(300);
  return answered;
}

async function scim(token: string, method: string, path: string, body?: unknown): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/scim+json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answered = await fetch(`${WEIR}/scim/v2${path}`, { method, headers, ...sent });
  const text = await answered.text();
  expect(answered.status, text).toBeLessThan(300);
  return text ? (JSON.parse(text).id as string) : "";
}

const signsIn = async (token: string) =>
  (await fetch(`${WEIR}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status === 200;

test("a service account from its making to the end of its token", async () => {
  const page = await as("admin", "/admin/service-accounts");
  try {
    await page.getByRole("button", { name: "Add a service account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("ana");
    await dialog.getByText(/ana is the name of a user or a service account already/).waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill(PROGRAM);
    await dialog.getByLabel("Owner", { exact: true }).fill("data-platform");
    await dialog.getByRole("button", { name: "Add, then make a token" }).click();

    // What a token cannot have is answered by its field.
    await page.getByRole("dialog", { name: `Make a token for ${PROGRAM}` }).waitFor();
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.getByText(/Choose at least one scope/).waitFor();
    await dialog.getByRole("checkbox", { name: /^read/ }).check();
    await dialog.getByLabel("Days until it expires").fill("3000");
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.getByText(/A token of a service account must expire/).waitFor();
    await dialog.getByLabel("Days until it expires").fill("30");
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.waitFor({ state: "detached" });

    const shown = page.locator("main code.anywhere");
    const first = (await shown.textContent()) ?? "";
    expect(await signsIn(first)).toBe(true);
    await page.getByRole("button", { name: "Copy the token" }).waitFor();
    await settled(page);
    expect(await seriousFindings(page)).toEqual([]);

    // Rotated without an overlap, only the new one is good.
    const row = page
      .getByRole("table", { name: "Tokens of service accounts" })
      .locator("tbody tr", { hasText: PROGRAM });
    await row.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("Hours in which both are good").fill("800");
    await dialog.getByText("Write a whole number from 0 to 720.").waitFor();
    await dialog.getByLabel("Hours in which both are good").fill("0");
    await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("The one before").waitFor();
    const second = (await shown.textContent()) ?? "";
    expect(second).not.toBe(first);
    expect(await signsIn(first)).toBe(false);
    expect(await signsIn(second)).toBe(true);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await shown.waitFor({ state: "detached" });

    await row.getByRole("button", { name: "Revoke" }).click();
    await row.getByRole("button", { name: "Really revoke it" }).click();
    await row.waitFor({ state: "detached" });
    expect(await signsIn(second)).toBe(false);
  } finally {
    await ask("DELETE", `/declared/ServiceAccount/${PROGRAM}`);
  }
}, 120_000);

test("a directory is connected, and shows whom it keeps and who is out", async () => {
  await ask(
    "POST",
    "/apply",
    `apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: ${DIRECTORY}}\nspec: {owner: it}\n`,
  );
  let token = "";
  const made: string[] = [];
  try {
    const page = await as("admin", "/admin/directory");
    await page.getByText(`${WEIR}/scim/v2`).waitFor();
    await page.getByLabel("Account of the token").selectOption(DIRECTORY);
    await page.getByRole("button", { name: "Make its token" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("checkbox", { name: /^scim/ }).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.waitFor({ state: "detached" });
    const shown = page.getByRole("region", { name: "Connection" }).locator(".notice code");
    token = (await shown.textContent()) ?? "";

    for (const name of [`in-${MARK}`, `out-${MARK}`]) {
      const body = { schemas: [USER], userName: name, active: true };
      made.push(`/Users/${await scim(token, "POST", "/Users", body)}`);
    }
    const members = [{ value: made[1]?.replace("/Users/", "") }];
    const group = { schemas: [GROUP], displayName: `group-${MARK}`, members };
    made.push(`/Groups/${await scim(token, "POST", "/Groups", group)}`);
    const out = { schemas: [USER], userName: `out-${MARK}`, active: false };
    await scim(token, "PUT", made[1] ?? "", out);

    await page.reload();
    await page.getByRole("region", { name: "Connection" }).getByText("on", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Deactivated/ }).click();
    await page.getByLabel("Part of a name").fill(MARK.toUpperCase());
    const people = page.getByRole("table", { name: "People of the directory" }).locator("tbody tr");
    await people.filter({ hasText: `in-${MARK}` }).waitFor({ state: "detached" });
    const person = people.filter({ hasText: `out-${MARK}` });
    await person.locator("time").waitFor();
    await person.getByText(`group-${MARK}`).waitFor();
    await page.getByRole("table", { name: "Groups of the directory" }).getByText(`group-${MARK}`).waitFor();
    await settled(page);
    expect(await seriousFindings(page)).toEqual([]);
  } finally {
    for (const path of made) await scim(token, "DELETE", path);
    // Names of removed people are kept out; these come back to nobody.
    for (const name of [`in-${MARK}`, `out-${MARK}`]) {
      if (made.length > 1) await ask("POST", "/directory/release", JSON.stringify({ name }), "application/json");
    }
    await ask("DELETE", `/declared/ServiceAccount/${DIRECTORY}`);
  }
}, 120_000);

test("an analyst is offered neither", async () => {
  const page = await as("ana", "/admin/service-accounts");
  await page.getByText(/Seeing and changing service accounts needs the permission/).waitFor();
  expect(await page.getByRole("button", { name: "Add a service account" }).count()).toBe(0);
  await page.goto(`${WEIR}/admin/directory`);
  await page.getByText(/Seeing and connecting a directory needs the permission/).waitFor();
  expect(await page.getByRole("button", { name: "Make its token" }).count()).toBe(0);
});
