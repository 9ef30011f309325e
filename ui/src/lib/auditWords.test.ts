import { expect, test } from "vitest";
import { actionNamed, actionWords } from "@/lib/auditWords";

test("an action is shown in words, one of a newer server as it is", () => {
  expect(actionWords("grant.revoke")).toBe("Grant revoked");
  expect(actionWords("query.stream")).toBe("Query followed live");
  expect(actionWords("moon.landing")).toBe("moon.landing");
  expect(actionWords("constructor")).toBe("constructor");
});

test("the filter takes words as well as the beginning of an action", () => {
  expect(actionNamed("grant revoked ")).toBe("grant.revoke");
  expect(actionNamed("grant")).toBe("grant");
  expect(actionNamed("")).toBe("");
});
