// Pages of lineage on graphs made here, in the place of the demo's own.
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { type Look, still, visit } from "./weir";

const NS = "kafka://big:9092";
export const dataset = (name: string) => `dataset:${NS}:${name}`;
export const field = (name: string, path: string) => `datasetField:${NS}:${name}:${path}`;

export interface Edge {
  source: string;
  target: string;
  kind?: string;
  job?: string;
  masked?: boolean;
  origin?: string;
  columns?: string;
}

/** A page whose lineage is this, in the place of the API's own. */
export async function lineagePage(
  browser: Browser,
  edges: Edge[],
  look: Look = {},
): Promise<{ page: Page; close: () => Promise<void> }> {
  const { context, page, wrong } = await visit(browser, "admin", look);
  const whole = edges.map((e) => ({ kind: "feeds", masked: false, from: "2026-01-01T00:00:00Z", to: null, ...e }));
  const nodes = [...new Set(edges.flatMap((e) => [e.source, e.target]))].map((id) => ({
    id,
    type: id.startsWith("datasetField:") ? "field" : id.startsWith("job:") ? "job" : "dataset",
    ...(id.startsWith("job:kafka:") ? { jobType: "CONSUMER_GROUP" } : {}),
  }));
  await page.route("**/api/v1/lineage?*", (route) =>
    route.fulfill({ json: { nodes, edges: whole, truncated: false } }),
  );
  await page.route("**/api/v1/impact?*", (route) =>
    route.fulfill({ json: { root: "", affected: [], truncated: false } }),
  );
  return {
    page,
    close: async () => {
      await context.close();
      expect(wrong).toEqual([]);
    },
  };
}

export const card = (page: Page, name: string) => page.locator(".card", { hasText: name });
/** Cards are placed and the view fitted a little after they are known: until the drawing is done with both. */
export async function drawn(page: Page): Promise<void> {
  await page.locator('.drawing[aria-busy="false"]').waitFor();
  await still(page.locator(".card").first());
}
