// What a mask leaves of a value, as people name it. The declared name is a detail beside it.
const WORDS: Readonly<Record<string, string>> = {
  MASK_NONE: "unmasked",
  GENERALIZE: "rounded",
  TRUNCATE_GEO: "place rounded",
  TRUNCATE_IP: "network only",
  EMAIL_DOMAIN: "domain only",
  MASK_DATE_SHOW_YEAR: "year only",
  MASK_SHOW_FIRST_4: "first 4 shown",
  MASK_SHOW_LAST_4: "last 4 shown",
  TOKEN: "token",
  MASK_HASH: "hashed",
  MASK: "replaced",
  MASK_NULL: "removed",
  DROP: "left out",
  CUSTOM: "own expression",
};

export const MASK_NAMES = Object.keys(WORDS);

/** One name or several with commas between; a mask of another package keeps its name. */
export function maskWords(names: string): string {
  return names
    .split(", ")
    .map((name) => WORDS[name] ?? name)
    .join(", ");
}
