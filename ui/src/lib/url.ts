/** A link that producers sent, only where it leads to the web: `javascript:` and its like never become links. */
export function safeUrl(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
