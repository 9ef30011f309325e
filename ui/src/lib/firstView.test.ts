import { expect, test } from "vitest";
import { firstView, type Rect } from "@/lib/firstView";

const CANVAS = { width: 1000, height: 600 };
const LEGIBLE = 0.65;
const card = (x: number, y: number): Rect => ({ x, y, width: 200, height: 60 });
/** Where a point of the graph is drawn on the canvas. */
const drawn = (view: { x: number; y: number; zoom: number }, x: number, y: number) => ({
  x: x * view.zoom + view.x,
  y: y * view.zoom + view.y,
});

test("a small graph stands in the middle at its own size", () => {
  const view = firstView({ x: 0, y: 0, width: 400, height: 100 }, card(0, 0), CANVAS, LEGIBLE);
  expect(view).toEqual({ x: 300, y: 250, zoom: 1 });
});

test("a graph that fits when its names are still legible is shown whole", () => {
  const view = firstView({ x: 0, y: 0, width: 1200, height: 300 }, card(0, 120), CANVAS, LEGIBLE);
  expect(view.zoom).toBeCloseTo(0.733, 2);
  expect(drawn(view, 0, 0).x).toBeGreaterThan(0);
  expect(drawn(view, 1200, 0).x).toBeLessThan(1000);
});

test("a wide graph without anything upstream begins at the left of the canvas", () => {
  const view = firstView({ x: 0, y: 0, width: 5000, height: 2000 }, card(0, 970), CANVAS, LEGIBLE);
  expect(view.zoom).toBe(LEGIBLE);
  expect(drawn(view, 0, 0).x).toBeCloseTo(60);
  expect(drawn(view, 0, 1000).y).toBeCloseTo(300);
});

test("a root amid a large graph stands in the middle, one at the right end at the right", () => {
  const graph = { x: 0, y: 0, width: 5000, height: 2000 };
  expect(drawn(firstView(graph, card(2400, 970), CANVAS, LEGIBLE), 2500, 1000)).toEqual({ x: 500, y: 300 });
  expect(drawn(firstView(graph, card(4800, 1940), CANVAS, LEGIBLE), 5000, 2000).x).toBeCloseTo(940);
  expect(drawn(firstView(graph, card(4800, 1940), CANVAS, LEGIBLE), 5000, 2000).y).toBeCloseTo(564);
});

test("one that is long one way only is centred the other way", () => {
  const view = firstView({ x: 0, y: 0, width: 5000, height: 60 }, card(0, 0), CANVAS, LEGIBLE);
  expect(drawn(view, 0, 30).y).toBeCloseTo(300);
});
