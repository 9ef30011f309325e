import { describe, expect, it } from "vitest";
import { histogram, lastOf, valuesPath } from "@/lib/chart";

describe("a line through values", () => {
  it("is parted where a value is missing, and shows one between two gaps", () => {
    expect(valuesPath([2, 1, null, 2], 30, 10)).toBe("M0.0,0.0L10.0,5.0M30.0,0.0L30.0,0.0");
    expect(valuesPath([], 30, 10)).toBe("");
    expect(valuesPath([null, undefined], 30, 10)).toBe("");
    expect(valuesPath([0], 30, 10)).toBe("M0.0,10.0L0.0,10.0");
  });

  it("knows the last value that is there", () => {
    expect(lastOf([1, null, 3, null])).toBe(3);
    expect(lastOf([null])).toBeUndefined();
  });
});

describe("a histogram", () => {
  it("counts every value once, the largest in the last span", () => {
    const spans = histogram([1, 1, 2, 5, 9, 10], 3);
    expect(spans.map((s) => s.count)).toEqual([3, 1, 2]);
    expect(spans[0]?.from).toBe(1);
    expect(spans[2]?.to).toBe(10);
  });

  it("takes values that are equal, negative, none, infinite, and many", () => {
    expect(histogram([7, 7])).toEqual([{ from: 7, to: 7, count: 2 }]);
    expect(histogram([])).toEqual([]);
    expect(histogram([Number.NaN, Number.POSITIVE_INFINITY])).toEqual([]);
    expect(histogram([-5, 5], 2).map((s) => s.count)).toEqual([1, 1]);
    const many = Array.from({ length: 200_000 }, (_, n) => n);
    expect(histogram(many).reduce((sum, s) => sum + s.count, 0)).toBe(200_000);
  });
});
