import { expect, test } from "vitest";
import { leftOutText } from "@/lib/searchWords";

test("a search without any match states so, one with some names the words that lack", () => {
  expect(leftOutText(["zzzzqqq"], " zzzzqqq ")).toBe("Nothing matches “zzzzqqq”. The nearest names:");
  expect(leftOutText(["zzz"], "orders zzz")).toBe("No result has every word. The first one lacks “zzz”.");
});
