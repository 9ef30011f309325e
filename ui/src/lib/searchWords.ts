// What a search could not match, in words.

/** Which words no result has: none of the query at all, or some of several. `left`: those that the first result lacks. */
export function leftOutText(left: readonly string[], q: string): string {
  const words = left.map((word) => `“${word}”`).join(", ");
  return q.trim().split(/\s+/).length <= left.length
    ? `Nothing matches ${words}. The nearest names:`
    : `No result has every word. The first one lacks ${words}.`;
}
