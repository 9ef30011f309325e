// Names in the lineage graph are readable whole, and on a phone the graph is what one sees first.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { card, dataset, drawn, field, lineagePage } from "./madeGraph";
import { launch, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const PHONE = { width: 390, height: 844 };
const LONG = "shop.checkout.order_lines_enriched_v2";
const JOB = "nightly_enrichment_of_order_lines";
const PATH = "value.customer.address.delivery.street_name_and_number";
const EDGES = [
  { source: dataset("orders"), target: dataset(LONG) },
  { source: dataset(LONG), target: dataset("reports-by-region-and-month"), job: `job:shop:${JOB}` },
  { source: `job:shop:${JOB}`, target: dataset(LONG), kind: "reads" },
];

/** Lines of titles that do not fit their card, or stick out of it. */
async function cut(page: Page): Promise<string[]> {
  return page.locator(".card").evaluateAll((cards) =>
    cards.flatMap((one) => {
      const title = one.querySelector<HTMLElement>(".card-title");
      if (!title) return ["a card without a title"];
      const lines = title.children.length > 0 ? [...title.children] : [title];
      const box = one.getBoundingClientRect();
      return [...lines, one.querySelector(".card-place")]
        .filter((line) => line !== null)
        .filter((line) => {
          const at = line.getBoundingClientRect();
          const inside = at.bottom <= box.bottom + 1 && at.right <= box.right + 1 && at.top >= box.top - 1;
          return !inside || (lines.includes(line) && line.scrollWidth > line.clientWidth + 1);
        })
        .map((line) => `${line.textContent}: ${line.scrollWidth} in ${line.clientWidth}`);
    }),
  );
}

for (const [device, look] of [
  ["a desktop", {}],
  ["a phone", PHONE],
] as const)
  test(`long names are whole on ${device}, near and from afar, and in the side panel`, async () => {
    const { page, close } = await lineagePage(browser, EDGES, look);
    await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset(LONG))}&depth=2`);
    await card(page, LONG).first().waitFor();
    await drawn(page);
    const title = card(page, LONG).first().locator(".card-title");
    expect(await title.locator("span").allTextContents()).toEqual(["shop.checkout.", "order_lines_enriched_v2"]);
    expect(await title.textContent()).toBe(LONG);
    expect(await title.getAttribute("title")).toContain(LONG);
    for (const zoom of [null, "mid", "far"]) {
      while (zoom && (await page.locator(`.drawing.${zoom}`).count()) === 0) {
        await page.getByRole("button", { name: /zoom out/i }).click();
        await drawn(page);
      }
      expect(await cut(page), zoom ?? "near").toEqual([]);
    }
    await card(page, JOB).locator(".card-head").click({ force: true });
    await page.getByLabel("Chosen node").getByRole("heading", { name: JOB }).waitFor();
    await close();
  });

test("a field's long path keeps its end, and is whole in the title", async () => {
  const { page, close } = await lineagePage(browser, [
    { source: field("orders", PATH), target: field("copy", PATH), kind: "transforms" },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("orders"))}&level=column`);
  const button = card(page, "copy").getByTitle(PATH, { exact: true });
  await button.waitFor();
  await drawn(page);
  expect(await button.textContent()).toMatch(/^value.*street_name_and_number$/);
  expect(await button.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(1);
  expect(await seriousFindings(page)).toEqual([]);
  await close();
});

test("on a phone the graph is in the first view, and its options are behind one button", async () => {
  const { page, close } = await lineagePage(browser, EDGES, PHONE);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset(LONG))}`);
  await card(page, LONG).first().waitFor();
  await drawn(page);
  const canvas = await page.locator(".canvas").boundingBox();
  expect(canvas?.y ?? 999).toBeLessThan(330);
  expect((canvas?.y ?? 0) + (canvas?.height ?? 999)).toBeLessThanOrEqual(PHONE.height);
  expect(canvas?.height ?? 0).toBeGreaterThan(400);
  const root = await card(page, LONG).first().boundingBox();
  expect((root?.y ?? 999) + (root?.height ?? 0)).toBeLessThan(PHONE.height);
  expect(await page.getByRole("group", { name: "Hops" }).isVisible()).toBe(false);

  const options = page.getByRole("button", { name: /^Options/ });
  expect(await options.textContent()).toContain("datasets, 1 hop");
  expect(await options.getAttribute("aria-expanded")).toBe("false");
  await options.click();
  await page.getByRole("group", { name: "Hops" }).getByText("2", { exact: true }).click();
  await page.waitForURL(/depth=2/);
  await expect.poll(() => options.textContent()).toContain("datasets, 2 hops");
  await drawn(page);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(1);
  await close();
});

test("on a desktop the options are in sight, without the button", async () => {
  const { page, close } = await lineagePage(browser, EDGES);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset(LONG))}`);
  await page.getByRole("group", { name: "Hops" }).waitFor();
  expect(await page.getByRole("button", { name: /^Options/ }).isVisible()).toBe(false);
  await close();
});
