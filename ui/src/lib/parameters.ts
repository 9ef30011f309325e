// Parameters of a statement: `:name` outside of texts, quoted names and comments. Their values become literals of the
// statement in the browser; they are never kept with a saved query or in the history.

export type ParameterType = "text" | "number" | "null";

export interface Parameter {
  value: string;
  type: ParameterType;
}

/** Texts, quoted names and comments, in which nothing is a parameter; or a parameter. */
const PART =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w:)\]`'"]):([A-Za-z_]\w*)/g;

/** Names of the parameters of a statement, each once, in their order. */
export function parametersIn(sql: string): string[] {
  return [...new Set([...sql.matchAll(PART)].flatMap((found) => found[1] ?? []))];
}

/** A value as Spark SQL writes it. Throws an error of one sentence for what is no number. */
export function literal({ value, type }: Parameter, name: string): string {
  if (type === "null") return "NULL";
  if (type === "number") {
    const number = value.trim();
    if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(number))
      throw new Error(`The parameter ${name} is to be a number, and ${value.trim() ? "is none" : "has no value yet"}.`);
    return number;
  }
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** The statement with literals in the place of its parameters. One without a value is an empty text. */
export function filled(sql: string, values: ReadonlyMap<string, Parameter>): string {
  return sql.replace(PART, (part: string, name: string | undefined) =>
    name === undefined ? part : literal(values.get(name) ?? { value: "", type: "text" }, name),
  );
}

/** The place in a statement that a place in its filled form comes from. */
export function placeBefore(sql: string, values: ReadonlyMap<string, Parameter>, at: number): number {
  let grown = 0;
  for (const found of sql.matchAll(PART)) {
    const name = found[1];
    if (name === undefined) continue;
    const start = found.index + grown;
    const long = literal(values.get(name) ?? { value: "", type: "text" }, name).length;
    if (at <= start) break;
    if (at < start + long) return found.index;
    grown += long - found[0].length;
  }
  return at - grown;
}

const PREFIX = "p.";

/** Values as an address holds them: `p.region=text:EU`. */
export function parametersOf(address: URLSearchParams): Map<string, Parameter> {
  const found = new Map<string, Parameter>();
  for (const [key, given] of address) {
    if (!key.startsWith(PREFIX)) continue;
    const [, type = "text", value = given] = /^(text|number|null):([\s\S]*)$/.exec(given) ?? [];
    found.set(key.slice(PREFIX.length), { type: type as ParameterType, value });
  }
  return found;
}

export function withParameters(address: URLSearchParams, sql: string, values: ReadonlyMap<string, Parameter>): void {
  for (const key of [...address.keys()]) if (key.startsWith(PREFIX)) address.delete(key);
  for (const name of parametersIn(sql)) {
    const given = values.get(name);
    if (given) address.set(PREFIX + name, `${given.type}:${given.value}`);
  }
}
