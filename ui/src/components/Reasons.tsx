import type { Reason } from "@/api/types";
import { Sentence } from "@/components/Sentence";
import { plainReason } from "@/lib/plainReason";

/** Reasons as the API gives them: sentences, or {kind, name, text}. */
export function reasonList(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    if (typeof one === "string") return [one];
    const text = (one as Reason | null)?.text;
    return typeof text === "string" ? [text] : [];
  });
}

export function Reasons({ reasons }: { reasons: string[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul className="reasons small">
      {[...new Set(reasons)].map((reason) => (
        <li key={reason} className="anywhere" title={plainReason(reason) === reason ? undefined : reason}>
          <span>
            <Sentence of={plainReason(reason)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
