// Why a hit has its place, in words.
import type { Held, Why } from "@/api/types";

const PLACES: Record<string, string> = {
  name: "its name",
  path: "its path",
  text: "its description",
  entity: "its kind of personal data",
  term: "a glossary term",
  tag: "a tag",
  dataset: "the name of its dataset",
  owner: "its owner",
  about: "what its dataset is about",
  inside: "the names of its fields",
};

const HOWS: Record<string, string> = {
  word: "",
  beginning: "a beginning of a word",
  slip: "spelled a little differently",
  stem: "another form of the word",
  meaning: "a word for the same",
};

const REASONS: Record<string, string> = {
  words: "how well the words fit",
  name: "how much of its name was asked for",
  context: "words around it",
  meaning: "near in meaning",
  dataset: "the query asks for datasets",
  hint: "it answers such a question",
  exact: "spelled out in full",
  used: "how often it is queried",
  state: "deprecated, for trials, or a server's own (comes later)",
  fields: "several of its fields fit",
  clicks: "opened for this query before",
};

/** `email: in its name`. */
export function heldText(held: Held): string {
  if (held.missing) return `${held.needle}: not in it`;
  const how = HOWS[held.how ?? ""] ?? held.how;
  return `${held.needle}: in ${PLACES[held.in ?? ""] ?? held.in}${how ? `, ${how}` : ""}`;
}

/** The numbers that made the score, the largest first; factors (1.03) as `× 1.03`. */
export function reasonRows(why: Why): { name: string; text: string; value: string }[] {
  const numbers = Object.entries(why).filter((pair): pair is [string, number] => typeof pair[1] === "number");
  return numbers
    .filter(([name, value]) => value !== 0 || name === "words")
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => ({
      name,
      text: REASONS[name] ?? name,
      value: name === "clicks" || name === "state" ? `× ${value.toFixed(3)}` : `+ ${value.toFixed(2)}`,
    }));
}
