import { expect, test } from "vitest";
import type { DeclaredPurpose } from "@/api/types";
import { purposeOptions, purposeTerms } from "@/lib/purposeOptions";

function purpose(path: string[], more: Partial<DeclaredPurpose> = {}): DeclaredPurpose {
  const name = path[path.length - 1] ?? "";
  return {
    name,
    path,
    parent: path[path.length - 2] ?? null,
    title: "",
    description: "",
    legalBasis: null,
    retention: null,
    owner: null,
    deprecated: false,
    yours: false,
    users: null,
    uses: null,
    ...more,
  };
}

const TREE = [
  purpose(["fraud"], { legalBasis: "legitimate-interests", retention: "90d", owner: "otto" }),
  purpose(["fraud", "cards"], { yours: true, title: "Card fraud" }),
  purpose(["fraud", "eu"]),
  purpose(["support"]),
];

test("what may be chosen is offered, under what it is a part of, and nothing else", () => {
  const options = purposeOptions(TREE, (each) => each.yours);
  expect(options.map((each) => [each.name, each.choosable])).toEqual([
    ["fraud", false],
    ["cards", true],
  ]);
  expect(options[1]?.text).toBe("\u00a0\u00a0\u00a0cards – Card fraud");
});

test("terms are named in a sentence", () => {
  expect(purposeTerms(TREE[0])).toBe("legal basis: legitimate interests; kept for 90d; owner: otto.");
  expect(purposeTerms(TREE[3])).toBe("");
  expect(purposeTerms(undefined)).toBe("");
});
