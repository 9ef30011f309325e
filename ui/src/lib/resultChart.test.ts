import { describe, expect, it } from "vitest";
import { chartOf, drawn, MOST_BARS, numberOf, usualChart, withChart } from "@/lib/resultChart";

const columns = [
  { name: "region", type: "string" },
  { name: "n", type: "bigint" },
  { name: "total", type: "decimal(10,2)" },
];

describe("a result as a chart", () => {
  it("takes texts that are numbers, and leaves out what is none, counted", () => {
    expect(["1.5", 2, "", "x", null, Number.NaN, "1e3"].map(numberOf)).toEqual([1.5, 2, null, null, null, null, 1000]);
    const made = drawn(
      columns,
      [
        ["EU", 1, "1.50"],
        [null, 2, "***"],
        ["US", 3, "2.00"],
      ],
      {
        kind: "bar",
        x: "region",
        y: "total",
      },
    );
    expect(made).toEqual({ labels: ["EU", "US"], values: [1.5, 2], leftOut: ["1 rows have no number in total."] });
  });

  it("puts a line in the order of its x, by number or by time", () => {
    const rows = [
      ["b", 10, 1],
      ["a", 9, 2],
      ["c", 100, 3],
    ];
    expect(drawn(columns, rows, { kind: "line", x: "n", y: "total" })?.labels).toEqual(["9", "10", "100"]);
    expect(drawn(columns, rows, { kind: "line", x: "region", y: "total" })?.values).toEqual([2, 1, 3]);
  });

  it("tells when there are more than can be drawn", () => {
    const rows = Array.from({ length: MOST_BARS + 5 }, (_, n) => [`r${n}`, n, n]);
    const made = drawn(columns, rows, { kind: "bar", x: "region", y: "n" });
    expect(made?.values).toHaveLength(MOST_BARS);
    expect(made?.leftOut[0]).toMatch(/first 200 of 205/);
  });

  it("counts values in spans", () => {
    const made = drawn(
      columns,
      [
        ["a", 1, 1],
        ["b", 1, 1],
        ["c", null, 1],
      ],
      { kind: "histogram", x: "n", y: null },
    );
    expect(made).toEqual({ labels: ["1"], values: [2], leftOut: ["1 rows have no number there."] });
  });

  it("draws nothing of a column that is not there", () => {
    expect(drawn(columns, [], { kind: "bar", x: "gone", y: "n" })).toBeNull();
    expect(drawn(columns, [], { kind: "bar", x: "region", y: "gone" })).toBeNull();
  });

  it("has a usual choice", () => {
    expect(usualChart(columns, "bar")).toEqual({ kind: "bar", x: "region", y: "total" });
    expect(usualChart(columns, "histogram")).toEqual({ kind: "histogram", x: "total", y: null });
    expect(usualChart([{ name: "a", type: "string" }], "bar")).toBeNull();
    expect(usualChart([{ name: "n", type: "int" }], "line")).toEqual({ kind: "line", x: "n", y: "n" });
  });

  it("is in the address", () => {
    const address = new URLSearchParams("sql=x&y=old");
    withChart(address, { kind: "bar", x: "a b", y: "n" });
    expect(chartOf(address)).toEqual({ kind: "bar", x: "a b", y: "n" });
    withChart(address, null);
    expect(address.toString()).toBe("sql=x");
    expect(chartOf(new URLSearchParams("chart=pie"))).toBeNull();
  });
});
