// Filters that are typed among the words of a query (`card owner:otto`), as the API reads them.

/** Names that can be typed before a colon, those most used first. */
export const FILTERS = [
  "owner",
  "tag",
  "type",
  "has",
  "is",
  "entity",
  "kind",
  "cluster",
  "namespace",
  "format",
  "source",
  "dataset",
  "term",
  "product",
  "property",
] as const;

export const MEANING: Record<string, string> = {
  owner: "of a person or group",
  tag: "with a tag",
  type: "fields of a type",
  has: "with a description, owner, tag or term",
  is: "broken, certified, deprecated, personal or scanned",
  entity: "with a kind of personal data",
  kind: "datasets or fields",
  cluster: "of a cluster",
  namespace: "of a namespace",
  format: "of a format",
  source: "from lineage or the catalog",
  dataset: "fields of a dataset",
  term: "with a term of the glossary",
  product: "of a data product",
  property: "with a property, as retention=gold",
};

export interface TypedFilter {
  name: string;
  value: string;
  /** As it was typed, with quotes. */
  text: string;
}

const PART = /(?<!\S)([A-Za-z]+):(?:"([^"]*)(?:"|$)|(\S+))|"[^"]*"/g;
const known = (name: string) => (FILTERS as readonly string[]).includes(name);

/** The filters in a query, in their order. What is in quotes is a phrase. */
export function typedFilters(q: string): TypedFilter[] {
  const found: TypedFilter[] = [];
  for (const [text, typed, quoted, plain] of q.matchAll(PART)) {
    const name = typed?.toLowerCase();
    const value = quoted || plain;
    if (name && value && known(name)) found.push({ name, value, text });
  }
  return found;
}

/** The query without one of its filters. */
export function withoutFilter(q: string, filter: TypedFilter): string {
  let done = false;
  const rest = q.replace(PART, (text) => {
    if (done || text !== filter.text) return text;
    done = true;
    return "";
  });
  return rest.replace(/\s+/g, " ").trim();
}

/** The words of a query without its filters. */
export function wordsOf(q: string): string {
  return typedFilters(q).reduce(withoutFilter, q).replace(/\s+/g, " ").trim();
}

export interface Begun {
  rest: string;
  name: string;
  begun: string;
}

/** The filter whose value is being typed at the end: `card owner:ot`. */
export function begunFilter(q: string): Begun | null {
  const found = /(^|.*\s)([A-Za-z]+):("?[^\s"]*)$/s.exec(q);
  const [, rest = "", typed = "", begun = ""] = found ?? [];
  const name = typed.toLowerCase();
  return found && known(name) ? { rest, name, begun: begun.replace(/^"/, "") } : null;
}

/** Names of filters that the last word may become. */
export function begunNames(q: string): string[] {
  const last = /(?:^|\s)([A-Za-z]+)$/.exec(q)?.[1]?.toLowerCase();
  return last ? FILTERS.filter((name) => name.startsWith(last)) : [];
}

/** `owner:otto`, `tag:"two words"`. */
export function filterText(name: string, value: string): string {
  return /\s/.test(value) ? `${name}:"${value}"` : `${name}:${value}`;
}
