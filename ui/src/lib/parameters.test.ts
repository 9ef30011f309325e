import { describe, expect, it } from "vitest";
import {
  filled,
  literal,
  type Parameter,
  parametersIn,
  parametersOf,
  placeBefore,
  withParameters,
} from "@/lib/parameters";

const values = (given: Record<string, string | [string, Parameter["type"]]>) =>
  new Map(
    Object.entries(given).map(([name, value]) =>
      typeof value === "string"
        ? [name, { value, type: "text" as const }]
        : [name, { value: value[0], type: value[1] }],
    ),
  );

describe("parameters of a statement", () => {
  it("are found outside of texts, names and comments, and not in casts or paths", () => {
    expect(parametersIn("SELECT a FROM t WHERE r = :region AND n > :n OR r = :region")).toEqual(["region", "n"]);
    const none = [
      "SELECT ':a', \":b\", `:c`, 'it''s :d', 'x\\' :e' FROM t",
      "SELECT 1 -- :a\n/* :b\n :c */ FROM t",
      "SELECT a::int, a:b, f(x):c, xs[1]:d, `a`:e FROM t",
      "SELECT '12:30'",
      ": a",
      "",
    ];
    for (const sql of none) expect(parametersIn(sql)).toEqual([]);
    expect(parametersIn("x=:a,(:b)")).toEqual(["a", "b"]);
  });

  it("become literals that no value can leave", () => {
    const attacks = ["'", "\\", "\\'", "' OR 1=1 --", "'; DROP TABLE x", "\\\\'", "a\n:b", ":n", "*/", "$&", "$1"];
    for (const value of attacks) {
      const sql = filled("SELECT * FROM t WHERE a = :a AND 1 = 1", values({ a: value }));
      // One text and nothing else: with it taken out, the rest is what was written.
      const text = /'(?:[^'\\]|\\[\s\S])*'/.exec(sql)?.[0] ?? "";
      expect(sql.replace(text, () => ":a")).toBe("SELECT * FROM t WHERE a = :a AND 1 = 1");
      expect(text.slice(1, -1).replaceAll(/\\([\s\S])/g, "$1")).toBe(value);
    }
  });

  it("are numbers only where they are numbers", () => {
    for (const good of ["1", "-2.5", "+.5", "1e9", " 7 "])
      expect(literal({ value: good, type: "number" }, "n")).toBe(good.trim());
    for (const bad of ["", "1 OR 1=1", "0x1", "NaN", "1;2", "--1", "1,2"])
      expect(() => literal({ value: bad, type: "number" }, "n")).toThrow(/parameter n/);
    expect(literal({ value: "x", type: "null" }, "n")).toBe("NULL");
  });

  it("stay in the address, of those that the statement has", () => {
    const address = new URLSearchParams("sql=x&p.old=text:1");
    const given = values({ region: "a:b", n: ["1", "number"], gone: "x" });
    withParameters(address, "SELECT :region, :n", given);
    expect([...address.keys()]).toEqual(["sql", "p.region", "p.n"]);
    expect(parametersOf(address).get("region")).toEqual({ value: "a:b", type: "text" });
    expect(parametersOf(new URLSearchParams("p.a=plain")).get("a")).toEqual({ value: "plain", type: "text" });
  });

  it("know the place in the statement that a place in the filled one comes from", () => {
    const sql = "a = :a AND b = :bb AND c";
    const given = values({ a: "long value", bb: ["1", "number"] });
    const full = filled(sql, given);
    for (const mark of ["AND b", "AND c", "c"]) {
      expect(placeBefore(sql, given, full.lastIndexOf(mark))).toBe(sql.lastIndexOf(mark));
    }
    expect(placeBefore(sql, given, full.indexOf("long") + 2)).toBe(sql.indexOf(":a"));
    expect(placeBefore(sql, given, 0)).toBe(0);
  });
});
