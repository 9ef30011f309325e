// Names in the lineage graph are readable whole, and on a phone the graph is what one sees first.
import type { Browser, Locator, Page } from "playwright-core";
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

/** The lines that the browser makes of a text. */
const linesOf = (of: Locator) =>
  of.evaluate((one) => {
    const text = one.firstChild as Text;
    const range = document.createRange();
    const lines: string[] = [];
    let last = Number.NaN;
    for (let at = 0; at < text.length; at++) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { top } = range.getBoundingClientRect();
      const letter = text.data.charAt(at);
      if (Math.abs(top - last) < 2) lines.push((lines.pop() ?? "") + letter);
      else lines.push(letter);
      last = top;
    }
    return lines;
  });

/** Lines of titles that do not fit their card, or stick out of it. */
async function cut(page: Page): Promise<string[]> {
  return page.locator(".card").evaluateAll((cards) =>
    cards.flatMap((one) => {
      const title = one.querySelector<HTMLElement>(".card-title");
      if (!title) return ["a card without a title"];
      const lines: Element[] = [title];
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
    expect(await title.evaluate((one) => one.childNodes.length)).toBe(1);
    expect(await title.textContent()).toBe(LONG);
    expect(await linesOf(title)).toEqual(["shop.checkout.", "order_lines_enriched_v2"]);
    expect(
      await page.evaluate((name) => (window as unknown as { find: (text: string) => boolean }).find(name), LONG),
    ).toBe(true);
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
  expect(await button.textContent()).toBe(PATH);
  // Its end is in sight, its beginning gives way.
  const [inside, whole] = await Promise.all([button.boundingBox(), button.locator("bdi").boundingBox()]);
  expect(Math.abs((inside?.x ?? 0) + (inside?.width ?? 0) - (whole?.x ?? 0) - (whole?.width ?? 99))).toBeLessThan(2);
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

const stage = (n: number, at: number) => dataset(`stage-${String(n).padStart(2, "0")}-${at % 4}`);
const MANY = Array.from({ length: 36 }, (_, i) =>
  [0, 1].map((next) => ({
    source: stage(Math.floor(i / 4), i),
    target: stage(Math.floor(i / 4) + 1, i + next),
  })),
).flat();

test("forty nodes have names of a legible size, and nothing lies over them", async () => {
  const { page, close } = await lineagePage(browser, MANY, { width: 1440, height: 900 });
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("stage-00-0"))}&depth=20&group=none`);
  await card(page, "stage-00-0").waitFor();
  await drawn(page);
  const height = await card(page, "stage-00-0")
    .locator(".card-title")
    .evaluate(
      (one) =>
        (one.getBoundingClientRect().height / one.clientHeight) * Number.parseFloat(getComputedStyle(one).fontSize),
    );
  expect(height).toBeGreaterThanOrEqual(10.5);
  const legend = await page.getByLabel("What the lines mean").boundingBox();
  const graph = await page.locator(".drawing-graph").boundingBox();
  expect(legend?.y ?? 0).toBeGreaterThanOrEqual((graph?.y ?? 9999) + (graph?.height ?? 9999));
  const bar = await page.locator(".lineage-bar").boundingBox();
  expect(bar?.height ?? 999).toBeLessThan(50);
  await close();
});

test("a part of a name finds its card and brings it into the middle, and Enter goes to the next", async () => {
  const { page, close } = await lineagePage(browser, MANY, { width: 1440, height: 900 });
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("stage-00-0"))}&depth=20&group=none`);
  await card(page, "stage-00-0").waitFor();
  await drawn(page);
  const search = page.getByRole("searchbox", { name: "Search in the graph" });
  const shown = page.locator(".card.match.now");
  await search.fill("stage-09-");
  await page.getByText(/^1 of [2-9]$/).waitFor();
  const first = await shown.locator(".card-title").textContent();
  expect(first).toContain("stage-09-");
  const middle = async () => {
    const [one, graph] = [await shown.boundingBox(), await page.locator(".drawing-graph").boundingBox()];
    if (!one || !graph) return 9999;
    return Math.hypot(
      one.x + one.width / 2 - graph.x - graph.width / 2,
      one.y + one.height / 2 - graph.y - graph.height / 2,
    );
  };
  await expect.poll(middle).toBeLessThan(30);
  await search.press("Enter");
  await page.getByText(/^2 of [2-9]$/).waitFor();
  expect(await shown.locator(".card-title").textContent()).not.toBe(first);
  await expect.poll(middle).toBeLessThan(30);
  await search.fill("nothing_of_that_name");
  await page.getByText("not in the graph").waitFor();
  expect(await shown.count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await close();
});
