import { expect, test } from "vitest";
import { maskWords } from "@/lib/maskWords";

test("masks have the words of people, and others their own name", () => {
  expect(maskWords("MASK_HASH")).toBe("hashed");
  expect(maskWords("MASK_NULL, OUR_MASK")).toBe("removed, OUR_MASK");
});
