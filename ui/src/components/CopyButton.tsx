import { Check, Copy, TriangleAlert } from "lucide-react";
import { COPIED, useCopy } from "@/lib/clipboard";

const ICONS = { copied: Check, failed: TriangleAlert };

export function CopyButton({ text, what }: { text: string | (() => string); what: string }) {
  const [state, copy] = useCopy();
  const Icon = state ? ICONS[state] : Copy;
  return (
    <button
      type="button"
      className="button quiet icon small"
      aria-label={state ? COPIED[state] : `Copy the ${what}`}
      title={state ? COPIED[state] : `Copy the ${what}`}
      onClick={() => void copy(typeof text === "string" ? text : text())}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}
