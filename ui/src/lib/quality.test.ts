import { expect, test } from "vitest";
import type { QualitySeries } from "@/api/types";
import { drawn, figure, measureName } from "@/lib/quality";

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
