import { expect, test } from "vitest";
import { cardName, MOST_WIDTH, shortened, sizeFor } from "@/lib/cardName";

/** Every letter is eight pixels wide, as on a page at 13 pixels. */
const measure = (text: string) => [...text].length * 8;

test("a short name is one line in a card of the usual width", () => {
  expect(cardName("orders", 208, measure)).toEqual({ lines: ["orders"], width: 208 });
});

test("a long name breaks after a separator, into two lines of nearly one length, in a wider card", () => {
  const { lines, width } = cardName("shop.checkout.order_lines_enriched", 208, measure);
  expect(lines).toEqual(["shop.checkout.", "order_lines_enriched"]);
  expect(width).toBeGreaterThan(208);
  expect(width).toBeLessThanOrEqual(MOST_WIDTH);
  expect(sizeFor(lines, width, measure)).toBeGreaterThanOrEqual(16.9);
  expect(cardName("ordersByRegionAndMonth", 164, measure).lines).toEqual(["ordersBy", "RegionAndMonth"]);
  expect(cardName("shop.checkout.order_lines_enriched_v2", 208, measure).lines[0]).toBe("shop.checkout.");
  expect(cardName("payments-by-month", 164, measure).lines.join("")).toBe("payments-by-month");
});

test("a name that two lines have no room for fills more of them", () => {
  const name = `prod.${"very_long_part_".repeat(6)}end_v2`;
  const { lines, width } = cardName(name, 208, measure);
  expect(width).toBe(MOST_WIDTH);
  expect(lines.join("")).toBe(name);
  expect(cardName("x_".repeat(500), 208, measure).lines).toHaveLength(4);
  for (const line of lines) expect(measure(line)).toBeLessThanOrEqual(MOST_WIDTH - 57);
});

test("a name without a separator takes the width that it needs", () => {
  expect(cardName("abcdefghijklmnopqrst", 208, measure).lines).toEqual(["abcdefghijklmnopqrst"]);
  expect(cardName("😀".repeat(50), 208, measure).lines).toHaveLength(2);
});

test("a path that has no room keeps its end", () => {
  expect(shortened("value.email", 100, measure)).toBe("value.email");
  const short = shortened("value.customer.address.delivery.street_name", 160, measure);
  expect(short).toMatch(/^value\.…/);
  expect(short.endsWith("street_name")).toBe(true);
  expect(measure(short)).toBeLessThanOrEqual(160);
});
