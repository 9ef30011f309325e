// Quality over time in a real browser: a time is marked, and the mark is taken back.
import { expect, test } from "vitest";
import { settled, visitors } from "./weir";

const as = visitors();
const NOTE = `of the pages' test ${Date.now()}`;

test("a marked time is taken back", async () => {
  const page = await as("admin", "/datasets/prod/orders/quality");
  await page.getByLabel(/^A deploy begins now/).fill(NOTE);
  await page.getByRole("button", { name: "Mark it" }).click();
  await page.getByText(/^Marked times: /).click();
  const mark = page.getByRole("listitem").filter({ hasText: NOTE });
  await mark.getByRole("button", { name: /^Remove/ }).click();
  await mark.getByRole("button", { name: /^Really remove it/ }).click();
  await mark.waitFor({ state: "detached" });

  const reader = await as("ana", "/datasets/prod/orders/quality");
  await settled(reader);
  expect(await reader.getByRole("button", { name: "Mark it" }).count()).toBe(0);
});
