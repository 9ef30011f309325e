import { expect, test } from "vitest";
import { withoutRepeats } from "@/lib/columns";

const column = (name: string) => ({ name, type: "string", decision: { effect: "clear" as const, text: "clear" } });

test("a column that `*` names again stands where it was named first", () => {
  const answer = {
    columns: ["_offset", "_key", "id", "_key", "_offset", "email"].map(column),
    rows: [[7, "k", 1, "k", 7, "a@example.com"]],
  };
  const shown = withoutRepeats(answer);
  expect(shown.columns.map((c) => c.name)).toEqual(["_offset", "_key", "id", "email"]);
  expect(shown.rows).toEqual([[7, "k", 1, "a@example.com"]]);
});

test("an answer without repeats is left as it is", () => {
  const answer = { columns: ["_key", "id"].map(column), rows: [["k", 1]] };
  expect(withoutRepeats(answer)).toEqual(answer);
});
