// Names in SQL, and where a text stands in it.

/** A name as SQL takes it: bare where it can be, else back-quoted. */
export function sqlQuote(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}

/** `prod.orders` */
export function sqlTable(place: string, name: string): string {
  return `${sqlQuote(place)}.${sqlQuote(name)}`;
}

/** True for a push query: it ends with EMIT CHANGES. */
export function isPush(sql: string): boolean {
  return /\bEMIT\s+CHANGES\s*;?\s*$/i.test(sql);
}

const TABLE = /\b(?:FROM|JOIN)\s+((?:`(?:[^`]|``)+`|[\w]+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|[\w]+))?)/gi;
const PART = /`((?:[^`]|``)+)`|(\w+)/g;

export interface TableName {
  place: string | null;
  name: string;
}

/** The tables a text names after FROM and JOIN, each once. Good enough to complete by, not to judge by. */
export function tablesIn(sql: string): TableName[] {
  const found = new Map<string, TableName>();
  for (const match of sql.matchAll(TABLE)) {
    const parts = [...(match[1] ?? "").matchAll(PART)].map((p) => p[1]?.replaceAll("``", "`") ?? p[2] ?? "");
    const name = parts.at(-1);
    if (name) found.set(parts.join("."), { place: parts.length > 1 ? (parts[0] ?? null) : null, name });
  }
  return [...found.values()];
}

/** Weir counts characters as Unicode does; a browser's text counts an emoji as two. */
export function pointsIn(text: string): number {
  let n = 0;
  for (const _ of text) n += 1;
  return n;
}

/** The place in a browser's text that lies `points` characters in. */
export function unitsOf(text: string, points: number): number {
  let at = 0;
  let left = points;
  for (const character of text) {
    if (left <= 0) break;
    left -= 1;
    at += character.length;
  }
  return at;
}

/** The offset of a line and column (both from 1, in characters) in a text, kept inside it. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n");
  const before = lines.slice(0, Math.max(0, line - 1)).reduce((sum, l) => sum + l.length + 1, 0);
  return Math.min(text.length, before + unitsOf(lines[line - 1] ?? "", Math.max(0, column - 1)));
}
