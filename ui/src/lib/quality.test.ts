import { expect, test } from "vitest";
import type { QualitySeries } from "@/api/types";
import { drawn, figure, isConstant, measureName, usualWords } from "@/lib/quality";

const point = (at: string, value: number, unusual = false) => ({ at, value, low: value, high: value, unusual });
const series = (more: Partial<QualitySeries>): QualitySeries => ({
  path: null,
  measure: "volume",
  unit: "recordsPerHour",
  usual: null,
  points: [],
  ...more,
});

test("a series is drawn by time, with its usual band and unusual points", () => {
  const points = [
    point("2026-03-01T00:00:00Z", 100),
    point("2026-03-01T01:00:00Z", 50),
    point("2026-03-01T04:00:00Z", 0, true),
  ];
  const one = drawn(series({ points, usual: { low: 50, high: 100 } }), 100, 50);
  expect(one.line).toBe("M0,0L25,25L100,50");
  expect(one.band).toEqual({ y: 0, height: 25 });
  expect(one.unusual).toEqual([{ x: 100, y: 50, title: "2026-03-01T04:00:00Z: 0" }]);
});

test("a series without points, and with one", () => {
  expect(drawn(series({}), 100, 50).line).toBe("");
  const one = drawn(series({ unit: "share", points: [point("2026-03-01T00:00:00Z", 0.5)] }), 100, 50);
  expect([one.line, one.most]).toEqual(["M0,25L0,25", 1]);
});

test("figures and measures read as people write them", () => {
  expect(figure(0.1234, "share")).toBe("12.3 %");
  expect(figure(1234.4, "recordsPerHour")).toBe("1,234");
  expect(figure(2.345, "values")).toBe("2.3");
  expect(measureName("type:int64")).toBe("Of type int64");
  expect(measureName("lateness")).toBe("Age of the newest record");
});

test("one figure that is usual is written once", () => {
  expect(usualWords(series({ unit: "share", usual: { low: 1, high: 1 } }))).toBe("usually 100 %");
  expect(usualWords(series({ usual: { low: 50, high: 100 } }))).toBe("usually 50 to 100");
  expect(usualWords(series({}))).toBeNull();
});

test("a series of one value is constant; one with a point or something unusual is not", () => {
  const [a, b] = ["2026-03-01T00:00:00Z", "2026-03-01T01:00:00Z"];
  expect(isConstant(series({ points: [point(a, 1), point(b, 1)] }))).toBe(true);
  expect(isConstant(series({ points: [point(a, 1), point(b, 2)] }))).toBe(false);
  expect(isConstant(series({ points: [point(a, 1), point(b, 1, true)] }))).toBe(false);
  expect(isConstant(series({ points: [point(a, 1)] }))).toBe(false);
});
