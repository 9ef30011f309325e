import { ShieldAlert } from "lucide-react";
import type { Classification } from "@/api/types";
import { entityWords } from "@/lib/entityWords";
import { evidenceText } from "@/lib/evidence";

/** A kind of personal data on a field. Dashed while only suggested. */
export function EntityBadge({ of }: { of: Classification }) {
  return (
    <span className={`badge pii ${of.state}`} title={`${of.entity}, ${of.state}: ${evidenceText(of)}`}>
      <ShieldAlert size={12} aria-hidden />
      {entityWords(of.entity)}
      {of.state !== "confirmed" && <span className="visually-hidden"> ({of.state})</span>}
    </span>
  );
}

/** The same where only its name is known. */
export function EntityName({
  name,
  count,
  suggested = false,
}: {
  name: string;
  /** How many there are. */
  count?: number;
  suggested?: boolean;
}) {
  return (
    <span
      className={`badge pii ${suggested ? "suggested" : ""}`}
      title={suggested ? `${name}, suggested, not judged yet` : name}
    >
      <ShieldAlert size={12} aria-hidden />
      {entityWords(name)}
      {count !== undefined && ` ${count}`}
    </span>
  );
}
