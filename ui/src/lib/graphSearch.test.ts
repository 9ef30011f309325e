import { expect, test } from "vitest";
import { cardsNamed } from "@/lib/graphSearch";

const card = (id: string, title: string, place = "", fields: string[] = []) => ({
  id,
  title,
  place,
  fields: fields.map((name) => ({ name })),
});
const CARDS = [
  card("1", "audit_of_orders"),
  card("2", "Orders"),
  card("3", "mails", "kafka://orders:9092"),
  card("4", "newsletter", "", ["value.order_id"]),
  card("5", "telemetry"),
];

test("names that begin with the text come first, then names, fields and places that have it", () => {
  expect(cardsNamed(CARDS, "order")).toEqual(["2", "1", "4", "3"]);
  expect(cardsNamed(CARDS, " ORDERS ")).toEqual(["2", "1", "3"]);
});

test("nothing is looked for without a text, and nothing found is nothing", () => {
  expect(cardsNamed(CARDS, " ")).toEqual([]);
  expect(cardsNamed(CARDS, "invoice")).toEqual([]);
});
