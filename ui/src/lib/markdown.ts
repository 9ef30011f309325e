// What of a text is Markdown, and its first line where there is room for one.

const SIGNS = /[*_`#[\]<>~|\\&]|^\s*(?:[-+]|\d+[.)])\s|^\s{4}|\n/m;

/** Whether a text may look other than it is written. */
export function isMarkdown(text: string): boolean {
  return SIGNS.test(text);
}

/** The first line without its signs, for a place with room for one line. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return line
    .trim()
    .replace(/^(?:#{1,6}|[-+*]|\d+[.)]|>)\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1/g, "$2");
}
