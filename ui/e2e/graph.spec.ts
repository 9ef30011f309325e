// The lineage graph as users of other catalogs wish it, on graphs made here.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { card, dataset, drawn, type Edge, field, lineagePage } from "./madeGraph";
import { bytesOf, launch, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const withLineage = (edges: Edge[]) => lineagePage(browser, edges);
const CHAIN = ["a", "b", "c", "d", "e"].map((name, i, all) => ({
  source: dataset(`topic-${name}`),
  target: dataset(`topic-${all[i + 1] ?? "f"}`),
}));

test("a graph opens one hop each way, more on demand, closes again, and opens whole at once", async () => {
  const { page, close } = await withLineage(CHAIN);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-c"))}`);
  await card(page, "topic-d").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(3);
  await page.getByRole("button", { name: /Open 1 downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor();
  await page.getByRole("button", { name: /Close downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "2", exact: true }).click();
  await card(page, "topic-e").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(5);
  await page.getByRole("button", { name: "all", exact: true }).click();
  await card(page, "topic-f").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(6);
  await close();
});

test("opening a node leaves the view where it was", async () => {
  const { page, close } = await withLineage(CHAIN);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-b"))}`);
  await card(page, "topic-c").waitFor();
  await drawn(page);
  const before = await card(page, "topic-c").boundingBox();
  await page.getByRole("button", { name: /Open 1 downstream of topic-c/ }).click();
  await card(page, "topic-d").waitFor();
  await drawn(page);
  const after = await card(page, "topic-c").boundingBox();
  expect(Math.abs((after?.x ?? 0) - (before?.x ?? 0))).toBeLessThan(3);
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
  await close();
});

test("what a node opens to comes too late for another question, and stays out of its graph", async () => {
  const { page, close } = await withLineage(CHAIN);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const late = /\/lineage\?.*topic-d.*level=dataset/;
  await page.route(late, async (route) => {
    await held;
    await route.fallback();
  });
  const edge = { source: field("topic-c", "value.x"), target: field("topic-d", "value.x"), kind: "transforms" };
  const nodes = [edge.source, edge.target].map((id) => ({ id, type: "field" }));
  const columns = { nodes, edges: [{ ...edge, masked: false, from: "2026-01-01T00:00:00Z", to: null }] };
  await page.route(/\/lineage\?.*level=column/, (route) => route.fulfill({ json: { ...columns, truncated: false } }));
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-c"))}`);
  await card(page, "topic-d").waitFor();
  await page.getByRole("button", { name: /Open 1 downstream of topic-d/ }).click();
  await card(page, "topic-e").waitFor();
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await card(page, "topic-e").waitFor({ state: "detached" });
  const come = page.waitForResponse(late);
  answer();
  await (await come).finished();
  await drawn(page);
  expect(await card(page, "topic-e").count()).toBe(0);
  await close();
});

test("a wide table shows few columns, scrolls inside its card, and a click holds the light on one", async () => {
  const n = (i: number) => String(i).padStart(3, "0");
  const { page, close } = await withLineage(
    Array.from({ length: 120 }, (_, i) => ({
      source: field("wide", `value.column_${n(i)}`),
      target: field("copy", `value.column_${n(i)}`),
      kind: "transforms",
      masked: i === 60,
    })),
  );
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("wide"))}&level=column`);
  const wide = card(page, "wide");
  await wide.getByText("value.column_000").waitFor();
  await drawn(page);
  expect(await wide.locator(".card-field:not(.card-scroll)").count()).toBeLessThanOrEqual(10);
  await wide.getByText("value.column_000").hover();
  await page.mouse.wheel(0, 400);
  await wide.getByText("value.column_000").waitFor({ state: "detached" });
  const listed = wide.locator(".card-field:not(.card-scroll) button");
  const before = (await listed.last().textContent()) ?? "";
  await page.getByRole("button", { name: "Fields after these of wide" }).click();
  await wide.getByText(before).waitFor({ state: "detached" });
  const name = (await listed.nth(2).textContent()) ?? "";
  await wide.getByRole("button", { name, exact: true }).click();
  const lit = page.locator(".card-field.lit");
  await expect.poll(() => lit.allTextContents()).toEqual([name, name]);
  await page.mouse.move(5, 400);
  await drawn(page);
  expect(await lit.allTextContents()).toEqual([name, name]);
  await page.keyboard.press("Escape");
  await lit.first().waitFor({ state: "detached" });
  await close();
});

test("many leaves stand as one card that opens, and names grow when one looks from afar", async () => {
  const { page, close } = await withLineage(
    Array.from({ length: 60 }, (_, i) => ({
      source: dataset("hub"),
      target: dataset(`leaf-${i}`),
      job: `job:shop:copy_${i}`,
    })),
  );
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("hub"))}`);
  await page.getByText("60 datasets").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(2);
  await page.getByRole("button", { name: /Show 60 datasets/ }).click();
  await page.locator(".react-flow__minimap").waitFor();
  for (let i = 0; i < 6; i++) await page.getByRole("button", { name: /zoom out/i }).click();
  await page.locator(".drawing.mid").waitFor();
  await page.getByRole("button", { name: "Group again" }).click();
  await page.getByText("60 datasets").waitFor();
  await close();
});

test("masked, declared and raw flows are drawn apart, and the graph is taken along as text and picture", async () => {
  const { page, close } = await withLineage([
    { source: dataset("in"), target: dataset("raw") },
    { source: dataset("in"), target: dataset("hashed"), masked: true },
    { source: dataset("in"), target: dataset("planned"), origin: "declared" },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("in"))}`);
  await card(page, "planned").waitFor();
  const dashes = async () => {
    const paths = page.locator(".react-flow__edge-path");
    return new Set(await paths.evaluateAll((all) => all.map((p) => (p as SVGPathElement).style.strokeDasharray))).size;
  };
  await expect.poll(dashes).toBe(3);
  for (const [item, begins] of [
    ["Mermaid", "flowchart LR"],
    ["Graphviz (DOT)", "digraph lineage"],
    ["Picture (SVG)", "<svg "],
    ["Picture (PNG)", "\u0089PNG"],
  ] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const arriving = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: item }).click();
    const text = (await bytesOf(arriving)).toString("latin1");
    expect(text.startsWith(begins), item).toBe(true);
  }
  await close();
});

test("from afar a job and a consumer group of one name are still told apart", async () => {
  const { page, close } = await withLineage([
    ...Array.from({ length: 8 }, (_, i) => ({ source: dataset(`topic-${i}`), target: dataset(`topic-${i + 1}`) })),
    { source: "job:shop:order_mails", target: dataset("topic-0"), kind: "reads" },
    { source: "job:kafka://big:9092:order_mails", target: dataset("topic-0"), kind: "reads" },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("topic-0"))}&depth=20`);
  await card(page, "topic-8").waitFor();
  await drawn(page);
  for (const zoom of ["mid", "far"]) {
    while ((await page.locator(`.drawing.${zoom}`).count()) === 0) {
      await page.getByRole("button", { name: /zoom out/i }).click();
      await drawn(page);
    }
    const jobs = card(page, "order_mails");
    expect(await jobs.count()).toBe(2);
    for (const each of await jobs.all()) {
      expect(await each.locator(".card-head svg").isVisible(), zoom).toBe(true);
      expect(await each.locator(".card-place").isVisible(), zoom).toBe(true);
      // What is shown is inside its card.
      const inside = await each.evaluate((one) => {
        const place = one.querySelector(".card-place")?.getBoundingClientRect();
        return (place?.bottom ?? 9999) <= one.getBoundingClientRect().bottom + 1;
      });
      expect(inside, zoom).toBe(true);
    }
    const kinds = await jobs.locator(".card-place").allTextContents();
    expect(kinds.sort()).toEqual(["consumer group", "job"]);
  }
  await close();
});

test("among columns jobs are named, and datasets whose columns are unknown are there", async () => {
  const job = "job:shop:copy";
  const { page, close } = await withLineage([
    { source: field("in", "value.email"), target: field("out", "value.email"), kind: "derives", job },
    { source: dataset("in"), target: dataset("out"), job, columns: "known" },
    { source: dataset("in"), target: dataset("dark"), job: "job:shop:riddle", columns: "unknown" },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("in"))}&level=column`);
  await card(page, "dark").waitFor();
  await card(page, "riddle").waitFor();
  await drawn(page);
  await page.locator(".react-flow__edge-text", { hasText: "copy" }).waitFor();
  await close();
});

test("everything of one place stands as one card, and what is lit stays lit", async () => {
  const elsewhere = (name: string) => `dataset:postgres://db:5432:${name}`;
  const { page, close } = await withLineage([
    { source: dataset("in"), target: elsewhere("a") },
    { source: dataset("in"), target: elsewhere("b") },
    { source: elsewhere("a"), target: elsewhere("c") },
  ]);
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("in"))}&depth=20`);
  await card(page, "c").first().waitFor();
  await page.getByRole("button", { name: /^Time and groups/ }).click();
  await page.getByLabel("Group", { exact: true }).selectOption("place");
  await page.getByText("3 datasets").waitFor();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(2);
  await page.getByRole("button", { name: /Show 3 datasets/ }).click();
  await drawn(page);
  expect(await page.locator(".card").count()).toBe(4);
  await page.locator(".card-head", { has: page.getByText("b", { exact: true }) }).click();
  await expect.poll(() => page.locator(".card.dim").count()).toBe(2);
  await page.getByRole("button", { name: /zoom out/i }).click();
  expect(await page.locator(".card.dim").count()).toBe(2);
  await close();
});

test("two times are compared: what is new, gone and masked since then is coloured and counted", async () => {
  const now: Edge[] = [
    { source: dataset("in"), target: dataset("kept") },
    { source: dataset("in"), target: dataset("fresh") },
    { source: dataset("in"), target: dataset("safer"), masked: true },
  ];
  const then: Edge[] = [
    { source: dataset("in"), target: dataset("kept") },
    { source: dataset("in"), target: dataset("lost") },
    { source: dataset("in"), target: dataset("safer") },
  ];
  const { page, close } = await withLineage(now);
  await page.route(/\/api\/v1\/lineage\?.*asOf=/, (route) => {
    const edges = then.map((e) => ({ kind: "feeds", masked: false, from: "2026-01-01T00:00:00Z", to: null, ...e }));
    const nodes = [...new Set(then.flatMap((e) => [e.source, e.target]))].map((id) => ({ id, type: "dataset" }));
    return route.fulfill({ json: { nodes, edges, truncated: false } });
  });
  await page.goto(`${WEIR}/lineage?node=${encodeURIComponent(dataset("in"))}`);
  await card(page, "fresh").waitFor();
  expect(await card(page, "lost").count()).toBe(0);
  await page.getByRole("button", { name: /^Time and groups/ }).click();
  await page.getByLabel("Changes since").selectOption("last week");
  await page.getByText("Flows: 1 new, 1 gone, 1 masked now").waitFor();
  await card(page, "lost").waitFor();
  await drawn(page);
  const stroke = (to: string) =>
    page
      .locator(`.react-flow__edge[aria-label*="${to}"] .react-flow__edge-path`)
      .evaluate((path) => (path as SVGPathElement).style.stroke);
  expect(await stroke("fresh")).toBe("var(--ok)");
  expect(await stroke("lost")).toBe("var(--bad)");
  expect(await stroke("safer")).toBe("var(--mask)");
  expect(await stroke("kept")).toBe("var(--line-strong)");
  await page.waitForURL(/since=/);
  await close();
});
