// Small things in words: numbers, SQL names, subjects, shapes, YAML, highlights.
import { expect, test } from "vitest";
import { columnReasons, lookOf } from "@/lib/decision";
import { describedDocument, ownersFromText } from "@/lib/declare";
import { ago, csv, duration, percent, rateText } from "@/lib/format";
import { markedPieces } from "@/lib/highlight";
import { referenceLink } from "@/lib/links";
import { opens } from "@/lib/opens";
import { shapeNames } from "@/lib/shapes";
import { isPush, offsetOf, pointsIn, sqlTable, tablesIn, unitsOf } from "@/lib/sql";
import { sentence } from "@/lib/subject";
import { safeUrl } from "@/lib/url";
import { toYaml } from "@/lib/yaml";

test("nearly all is not all, nearly none is not none", () => {
  expect(percent(0.99999)).toBe(">99.9%");
  expect(percent(0.00001)).toBe("<0.1%");
  expect(percent(1)).toBe("100%");
  expect(percent(0)).toBe("0%");
  expect(percent(0.984)).toBe("98%");
  expect(percent(0.014)).toBe("1.4%");
});

test("times", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(ago("2026-11-21T11:58:00Z", now)).toBe("2 minutes ago");
  expect(ago("2026-11-23T12:00:00Z", now)).toBe("in 2 days");
  expect(ago(null)).toBe("never");
  expect(duration(604_800_000)).toBe("7 days");
  expect(duration(-1)).toBe("for ever");
});

test("CSV quotes, and defuses what a spreadsheet would run", () => {
  expect(
    csv(
      ["a", "b"],
      [
        ["x,y", '"'],
        ["=1+1", -1],
        [null, { k: 1 }],
      ],
    ),
  ).toBe('a,b\r\n"x,y",""""\r\n\'=1+1,-1\r\n,"{""k"":1}"\r\n');
});

test("tables of a statement", () => {
  expect(tablesIn("select * from prod.orders o JOIN `clicks.mobile` c ON true")).toEqual([
    { place: "prod", name: "orders" },
    { place: null, name: "clicks.mobile" },
  ]);
  expect(sqlTable("prod", "clicks.mobile")).toBe("prod.`clicks.mobile`");
  expect(isPush("SELECT 1 FROM x EMIT  changes ; ")).toBe(true);
  expect(isPush("SELECT 'EMIT CHANGES' FROM x")).toBe(false);
});

test("the offset of a place in a text stays inside it", () => {
  expect(offsetOf("ab\ncd", 2, 2)).toBe(4);
  expect(offsetOf("ab", 9, 9)).toBe(2);
});

test("subjects", () => {
  expect(sentence({ user: "grace" })).toBe("grace");
  expect(sentence({ groups: ["privacy", "legal"], roles: ["dpo"] })).toBe("group privacy, legal; role dpo");
  expect(sentence({ everyone: true })).toBe("everyone");
  expect(sentence({ owners: true })).toBe("owners");
});

test("shapes are named by what tells them, else by what sets them apart", () => {
  expect(shapeNames([{ share: 1, paths: ["value.a"], when: { path: "value.type", value: "x" } }])).toEqual([
    "type = x",
  ]);
  expect(
    shapeNames([
      { share: 0.8, paths: ["value.a"] },
      { share: 0.2, paths: ["value.a", "value.gift", "value.gift.to"] },
    ]),
  ).toEqual(["without gift", "with gift"]);
});

test("a highlight is pieces of plain text, never HTML", () => {
  expect(markedPieces("a &lt;b&gt; <em>e&amp;mail</em>!")).toEqual([
    { text: "a <b> ", hit: false },
    { text: "e&mail", hit: true },
    { text: "!", hit: false },
  ]);
});

test("decisions on columns", () => {
  const masked = {
    effect: "masked" as const,
    text: "value.a: MASK by p (X: 1; of 2); value.b: MASK by q",
    masks: ["MASK"],
  };
  expect(lookOf(masked)).toBe("masked");
  expect(columnReasons(masked)).toEqual(["value.a: MASK by p (X: 1; of 2)", "value.b: MASK by q"]);
  expect(lookOf({ effect: "derived", text: "derived from unmasked fields" })).toBe("clear");
  expect(lookOf({ effect: "derived", text: "…", masks: ["MASK"] })).toBe("masked");
  expect(lookOf({ effect: "withheld", text: "…" })).toBe("withheld");
});

test("what asked fields open", () => {
  const find = (path: string, entity: string) => ({
    path,
    entity,
    score: 1,
    state: "confirmed" as const,
    evidence: {},
  });
  const all = [find("value.customer.email", "EMAIL_ADDRESS"), find("value.customers", "PERSON")];
  expect(opens(all, ["value.customer"])).toEqual([all[0]]);
  expect(opens(all, ["PERSON"])).toEqual([all[1]]);
  expect(opens(all, ["*"])).toEqual(all);
});

test("an edited description keeps the rest of the declared document", () => {
  const known = {
    apiVersion: "weir/v1",
    kind: "Dataset",
    metadata: { name: "orders", cluster: "prod" },
    spec: { description: "old", fields: [{ path: "key", tags: ["PERSON"] }] },
  };
  const next = describedDocument({ name: "orders", cluster: "prod" }, known, {
    description: "new",
    owners: ownersFromText("otto, group:team-orders"),
    tags: [],
  });
  expect(next.spec).toEqual({
    description: "new",
    owners: [{ user: "otto" }, { group: "team-orders" }],
    tags: [],
    fields: known.spec.fields,
  });
});

test("a producer's link is a link only when it leads to the web", () => {
  expect(safeUrl("https://git.example.com/a")).toBe("https://git.example.com/a");
  expect(safeUrl("javascript:alert(1)")).toBeUndefined();
  expect(safeUrl("data:text/html,x")).toBeUndefined();
  expect(safeUrl(7)).toBeUndefined();
});

test("addresses carry names whole", () => {
  expect(referenceLink("prod/orders")).toBe("/datasets/prod/orders");
  expect(referenceLink("kafka://a:9092/x y")).toBe("/datasets/kafka%3A%2F%2Fa%3A9092/x%20y");
});

test("YAML that reads back as it was", () => {
  expect(
    toYaml({ kind: "Policy", spec: { match: { tags: ["A", "yes"] }, empty: [], list: [{ a: 1, b: "x: y" }] } }),
  ).toBe(
    'kind: Policy\nspec:\n  match:\n    tags:\n      - A\n      - "yes"\n  empty: []\n  list:\n    - a: 1\n      b: "x: y"\n',
  );
});

test("a rate is told in the unit that makes it a number to remember", () => {
  const of = (retained: number, hours: number) => ({
    topic: { retained },
    scan: { timeFrom: "2026-01-01T00:00:00Z", timeTo: new Date(Date.UTC(2026, 0, 1, hours)).toISOString() },
  });
  expect(rateText(of(1500, 24 * 14))).toBe("about 4.5 an hour");
  expect(rateText(of(72_000, 1))).toBe("about 20 a second");
  expect(rateText(of(1, 24))).toBeNull();
  expect(rateText({ topic: {}, scan: {} })).toBeNull();
});

test("places are counted in characters, as Weir counts them", () => {
  expect(pointsIn("a😀b")).toBe(3);
  expect(unitsOf("a😀b", 2)).toBe(3);
  expect(offsetOf("x\n'😀' bad", 2, 5)).toBe(7);
});
