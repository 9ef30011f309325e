/**
 * Of a quick run (`weir test`) every `of`-th entry, from one on that WEIR_TEST_SEED chooses; in any other run all of them.
 *
 * So each entry is looked at every few runs, and all of them by `weir test --all`.
 */
export function sampled<T>(entries: readonly T[], of: number): T[] {
  if (process.env.WEIR_TEST_DEPTH !== "quick") return [...entries];
  const first = Number(process.env.WEIR_TEST_SEED ?? 0) % of;
  return entries.filter((_, index) => index % of === first);
}
