// Cells of entries of the audit: of the whole of it, and of a domain's part.
import { actionWords } from "@/lib/auditWords";

/** What was done, in words; the code that filters and exports have is its title. */
export function Action({ of: action }: { of: string }) {
  return <span title={action}>{actionWords(action)}</span>;
}

/** The badge of a decision; nothing where an entry has none. */
export function Decision({ of: decision }: { of: string | null | undefined }) {
  if (!decision) return null;
  return <span className={`badge ${/deny|denied|refus|reject/.test(decision) ? "bad" : "ok"}`}>{decision}</span>;
}

/** A time of an entry, RFC 3339 in UTC, to the second and without its zone. */
export const auditTime = (at: string): string => at.replace("T", " ").replace(/(\.\d+)?Z$/, "");
