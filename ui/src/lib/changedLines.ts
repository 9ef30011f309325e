/** The lines of a unified difference without its heads, which name files and line numbers of a text that nobody sees. */
export function changedLines(diff: string): string {
  const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line) && !/^@@ .* @@/.test(line));
  return lines.join("\n").trimEnd();
}
