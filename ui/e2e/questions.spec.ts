// A question about a dataset in a real browser: asked, shown as the text it is, answered, accepted, removed.
import { expect, test } from "vitest";
import { visitors } from "./weir";

const as = visitors();
const AT = "/datasets/prod/orders/questions";
const TEXT = `<img src=x onerror="document.title='run'"> Is region ever null? ${Date.now()}`;

test("a question is asked, shown as text, answered, accepted and removed", async () => {
  const page = await as("ana", AT);
  await page.getByLabel("Your question").fill(TEXT);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  const question = page.getByRole("region", { name: "Question of ana" }).filter({ hasText: TEXT });
  await question.waitFor();
  expect(await question.locator("img").count()).toBe(0);
  await question.getByLabel("Your answer").fill("Never.");
  await question.getByRole("button", { name: "Answer", exact: true }).click();
  await question.getByText("Never.").waitFor();
  await question.getByRole("button", { name: "Accept" }).click();
  await question.getByText("accepted").waitFor();
  await question.getByText("closed", { exact: true }).waitFor();
  await question.getByRole("button", { name: "Remove" }).last().click();
  await question.waitFor({ state: "detached" });
  expect(await page.title()).not.toBe("run");
});
