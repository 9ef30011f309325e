import { describe, expect, it } from "vitest";
import { readText, windowText } from "@/lib/window";

describe("what is withheld is named, not shown as nothing", () => {
  it("of a scan", () => {
    expect(windowText({ withheld: true, records: null, partitions: [], complete: true })).toContain("withheld");
    expect(windowText({ records: 50, complete: true })).toBe("Learned from 50 records: every record that is kept.");
  });

  it("of a query beside a row filter", () => {
    const table = { dataset: "prod/orders", complete: false, since: null, until: null, limit: 10 };
    expect(readText({ tables: [table] })).toBe(
      "The newest records of prod/orders that you may see; how many were read is withheld.",
    );
    expect(readText({ tables: [{ ...table, complete: true, records: 3 }] })).toContain("3 records");
  });
});
