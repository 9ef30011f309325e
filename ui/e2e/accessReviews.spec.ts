// An access review from its start to its evidence, by the pages: the officer starts it, the owner decides, the officer closes.
import { expect, test } from "vitest";
import { bytesOf, settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();

const NAME = `pages-${Date.now().toString(36)}`;
const REVIEW = `apiVersion: weir/v1
kind: AccessReview
metadata: {name: ${NAME}}
spec:
  description: Declared by a test of the pages.
  scope: {datasets: ["prod/orders"], people: [${NAME}]}
  reviewers: {users: [otto]}
  onNoAnswer: revoke
`;
const PERSON = `apiVersion: weir/v1
kind: User
metadata: {name: ${NAME}}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: Grant
metadata: {name: ${NAME}}
spec:
  subject: {user: ${NAME}}
  dataset: prod/orders
  purpose: a-test
  validFrom: 2020-01-01T00:00:00Z
  validTo: 2999-01-01T00:00:00Z
  status: approved
`;

async function ask(method: string, path: string, body?: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${tokenOf("admin")}`, "Content-Type": "application/yaml" };
  const answered = await fetch(`${WEIR}/api/v1${path}`, { method, headers, ...(body ? { body } : {}) });
  expect(answered.status, await answered.clone().text()).toBeLessThan(300);
  return answered;
}

test("a campaign from its start to its evidence", async () => {
  await ask("POST", "/apply", PERSON);
  await ask("POST", "/apply", REVIEW);
  try {
    // The officer starts it.
    const officer = await as("admin", "/access-reviews");
    await officer.getByRole("button", { name: "Start a review" }).click();
    await officer.selectOption("#review", NAME);
    await officer.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click();
    await officer.waitForURL(new RegExp(`/access-reviews/${NAME}-`));
    const id = decodeURIComponent(new URL(officer.url()).pathname.split("/")[2] ?? "");
    await officer.getByRole("heading", { name: "Who decides, and how far they are" }).waitFor();

    // The owner is led there by the first page, and decides.
    const owner = await as("otto", "/");
    await owner
      .getByRole("region", { name: "Inbox" })
      .getByRole("link", { name: /^\d+ rights?$/ })
      .click();
    await owner.getByRole("link", { name: id }).click();
    await settled(owner);
    const grant = owner.locator("tbody tr", { hasText: `grant ${NAME}` });
    await grant.getByText("unused").waitFor();
    await grant.getByRole("button", { name: "Revoke" }).click();
    const dialog = owner.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Revoke" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("the test is over");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await grant.getByText("revoked by otto").waitFor();
    await grant.getByRole("button", { name: "Take back" }).click();
    await dialog.getByRole("button", { name: "Take back" }).click();
    await grant.getByRole("button", { name: "Keep" }).waitFor();

    // Many at once, with one reason.
    await owner.getByLabel(/^all \d+ on this page$/).check();
    await owner.locator(".panel-head").getByRole("button", { name: "Keep" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await owner.getByLabel(/rights? chosen$/).waitFor();
    await owner.locator(".panel-head").getByRole("button", { name: "Keep" }).click();
    await dialog.getByLabel("Reason").fill("needed for the fraud work");
    await dialog.getByRole("button", { name: "Keep" }).click();
    await grant.getByText("kept by otto").waitFor();
    await owner.getByLabel("Person").fill("nobody-of-this-name");
    await owner.getByLabel("Person").press("Enter");
    await owner.getByText("No rights here").waitFor();

    // Who is no reviewer has neither the review nor its rights.
    const stranger = await as("ana", `/access-reviews/${encodeURIComponent(id)}`);
    await stranger.getByText("that you may see").waitFor();

    // The officer closes it, and takes the evidence along.
    await officer.reload();
    await officer.getByRole("button", { name: "Close now" }).click();
    await officer.getByLabel("Keep what nobody confirmed").check();
    const why = officer.getByLabel("Why not as declared?");
    if (await why.count()) await why.fill("The next review comes soon");
    await officer.getByRole("dialog").getByRole("button", { name: "Close the review" }).click();
    await officer.getByText("Hash of the evidence").waitFor();
    const arriving = officer.waitForEvent("download");
    await officer.getByRole("button", { name: "JSON" }).click();
    const report = JSON.parse((await bytesOf(arriving)).toString("utf8"));
    expect(report.holds).toBe(true);
    expect(report.items.map((item: { by: string }) => item.by)).toEqual(report.items.map(() => "otto"));
    expect(report.items[0].reason).toBe("needed for the fraud work");
    const opening = officer.waitForEvent("popup");
    await officer.getByRole("button", { name: "Evidence to print" }).click();
    await (await opening).getByText("needed for the fraud work").first().waitFor();
  } finally {
    for (const [kind, name] of [
      ["AccessReview", NAME],
      ["Grant", NAME],
      ["User", NAME],
    ]) {
      await ask("DELETE", `/declared/${kind}/${name}`);
    }
  }
}, 150_000);
