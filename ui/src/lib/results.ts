// Results of this page, newest first, kept in its memory until it is left: never in the browser's storage.
import type { QueryAnswer } from "@/api/types";

export interface Result {
  id: number;
  /** As it was written, parameters by their names. */
  written: string;
  asked: { sql: string; purpose: string | null; limit: number };
  answer: QueryAnswer;
  at: string;
  ms: number;
}

/** Results kept, and rows of all together; the newest is kept whatever its size. */
export const MOST_RESULTS = 10;
export const MOST_ROWS = 200_000;

export function withResult(before: readonly Result[], one: Result): Result[] {
  const kept: Result[] = [one];
  let rows = one.answer.rows.length;
  for (const each of before) {
    rows += each.answer.rows.length;
    if (kept.length >= MOST_RESULTS || rows > MOST_ROWS) break;
    kept.push(each);
  }
  return kept;
}
