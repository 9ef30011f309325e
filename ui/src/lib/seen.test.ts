import { expect, test } from "vitest";
import { seenPaths } from "@/lib/seen";

const column = (path: string, effect: string, clearWhen: string | null = null) =>
  ({ path, effect, clearWhen }) as never;
const columns = [column("value.id", "allow"), column("value.email", "mask"), column("value.name", "allow", "own rows")];

test("what is shown as it is counts as seen, what is masked or shown on a condition does not", () => {
  expect([...seenPaths({ effect: "allow", filters: [], columns })]).toEqual(["value.id"]);
});

test("nothing counts where rows are left out, or where reading is denied", () => {
  expect(seenPaths({ effect: "allow", filters: ["region = 'EU'"], columns }).size).toBe(0);
  expect(seenPaths({ effect: "deny", filters: [], columns }).size).toBe(0);
});
