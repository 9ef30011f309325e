import { expect, test } from "vitest";
import { MOST_RESULTS, MOST_ROWS, type Result, withResult } from "@/lib/results";

const result = (id: number, rows: number) => ({ id, answer: { rows: { length: rows } } }) as unknown as Result;

test("the newest results are kept, so many and so many rows, the last whatever its size", () => {
  let kept: Result[] = [];
  for (let id = 0; id < MOST_RESULTS + 3; id++) kept = withResult(kept, result(id, 1));
  expect(kept.map((each) => each.id)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  kept = withResult(kept, result(99, MOST_ROWS - 2));
  expect(kept.map((each) => each.id)).toEqual([99, 12, 11]);
  expect(withResult(kept, result(100, MOST_ROWS * 2)).map((each) => each.id)).toEqual([100]);
});
