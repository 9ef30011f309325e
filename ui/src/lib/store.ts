// Small lists kept in this browser (query history, last searches). Never a token, never a row of data.

export function readList<T>(key: string): T[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? (kept as T[]) : [];
  } catch {
    return [];
  }
}

export function writeList<T>(key: string, items: T[], most = 50): void {
  try {
    localStorage.setItem(key, JSON.stringify(items.slice(0, most)));
  } catch {
    // A full or forbidden store loses the history, nothing else.
  }
}

/** Puts an item first, once. */
export function remember<T>(key: string, item: T, same: (a: T, b: T) => boolean, most = 50): T[] {
  const items = [item, ...readList<T>(key).filter((other) => !same(other, item))].slice(0, most);
  writeList(key, items, most);
  return items;
}
