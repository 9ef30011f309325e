import { expect, test } from "vitest";
import { begunFilter, begunNames, filterText, typedFilters, withoutFilter, wordsOf } from "@/lib/typedFilters";

const values = (q: string) => typedFilters(q).map(({ name, value }) => `${name}=${value}`);

test("filters are found among the words, with and without quotes", () => {
  expect(values('card owner:otto tag:"two words" type:timestamp')).toEqual([
    "owner=otto",
    "tag=two words",
    "type=timestamp",
  ]);
  expect(values("owner:group:team-web")).toEqual(["owner=group:team-web"]);
  expect(values('Owner:otto TAG:PII owner:"two words')).toEqual(["owner=otto", "tag=PII", "owner=two words"]);
});

test("what is no filter is a word: unknown names, addresses, phrases, a name without a value", () => {
  expect(values('nosuch:x http://a notowner:b "owner:otto x" owner:')).toEqual([]);
});

test("one filter is taken away, the same one typed twice only once", () => {
  const q = "owner:otto  card owner:otto tag:PII";
  const [first] = typedFilters(q);
  expect(first && withoutFilter(q, first)).toBe("card owner:otto tag:PII");
  expect(wordsOf(q)).toBe("card");
  expect(wordsOf("owner:otto")).toBe("");
});

test("the filter at the end is being typed until a space", () => {
  expect(begunFilter("card owner:ot")).toEqual({ rest: "card ", name: "owner", begun: "ot" });
  expect(begunFilter("owner:")).toEqual({ rest: "", name: "owner", begun: "" });
  expect(begunFilter('Tag:"two')).toEqual({ rest: "", name: "tag", begun: "two" });
  for (const q of ["owner:otto ", "xowner:ot", "nosuch:x", "card", ""]) expect(begunFilter(q)).toBeNull();
});

test("names of filters are offered for their first letters", () => {
  expect(begunNames("card ow")).toEqual(["owner"]);
  expect(begunNames("T")).toEqual(["tag", "type", "term"]);
  for (const q of ["", "card ", "xow", "owner:"]) expect(begunNames(q)).toEqual([]);
});

test("a filter is written so that it is read again", () => {
  for (const value of ["otto", "two words", "group:team-web"]) {
    const [back] = typedFilters(`card ${filterText("owner", value)} x`);
    expect(back?.value).toBe(value);
  }
});
