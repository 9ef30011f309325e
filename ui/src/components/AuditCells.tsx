// Cells of entries of the audit: of the whole of it, and of a domain's part.
import { actionWords } from "@/lib/auditWords";
import { localTime } from "@/lib/times";

/** What was done, in words; the code that filters and exports have is its title. */
export function Action({ of: action }: { of: string }) {
  return <span title={action}>{actionWords(action)}</span>;
}

/** The badge of a decision; nothing where an entry has none. */
export function Decision({ of: decision }: { of: string | null | undefined }) {
  if (!decision) return null;
  return <span className={`badge ${/deny|denied|refus|reject/.test(decision) ? "bad" : "ok"}`}>{decision}</span>;
}

/** The time of an entry to the second, by the clock of the browser; on hover as the audit has it. */
export function AuditTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {localTime(at, "second")}
    </time>
  );
}
