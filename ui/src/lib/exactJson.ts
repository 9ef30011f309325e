// JSON whose whole numbers stay as they were sent. A number of the browser holds 53 bits; an id of a record may have 64.

/** Texts, in which nothing is a number; or a whole number of 16 digits and more. */
const PART = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|(?<![\w.+-])-?\d{16,}(?![\d.eE])/g;

/** The parsed text. A whole number that the browser would round is its digits, as a text. */
export function exactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const exact = text.replace(PART, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`,
  );
  return JSON.parse(exact);
}
