// Lag of consumer groups over time on the page of a topic, and sizes of its records.
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();
const points = (lags: (number | null)[]) =>
  lags.map((lag, n) => ({ at: new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString(), lag }));

test("each group has a small chart, the time is in the address, and a gap is no zero", async () => {
  const page = await as("petra", "/datasets/prod/orders");
  await page.route(/\/orders\/lag/, (route) =>
    route.fulfill({
      json: {
        groups: [
          { name: "billing", points: points([5, null, 12, 3]) },
          { name: "shipping", points: points([0, 0, 0, 0]) },
        ],
        others: 3,
        seconds: 60,
        withheld: false,
      },
    }),
  );
  await page.getByRole("link", { name: "Consumers", exact: true }).click();
  await page.getByRole("img", { name: "billing: 3 records now, 12 records at most in the last 6 hours" }).waitFor();
  await page.getByText("3 groups that were less far behind are left out.").waitFor();
  const line = page.getByRole("img", { name: /^billing/ }).locator("path");
  expect((await line.getAttribute("d"))?.match(/M/g)).toHaveLength(2);
  await page.getByRole("button", { name: "1 day" }).click();
  await page.waitForURL(/lag=24/);
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test("sizes of the newest records are measured when asked for", async () => {
  const page = await as("petra", "/datasets/prod/orders/topic");
  await page.getByRole("button", { name: "Measure the newest records" }).click();
  const sizes = page.getByRole("region", { name: "Message size" });
  await sizes.getByText(/in the middle|who may see every field unmasked/).waitFor({ timeout: 90_000 });
});
