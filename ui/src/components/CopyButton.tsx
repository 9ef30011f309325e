import { Check, Copy } from "lucide-react";
import { useState } from "react";

export function CopyButton({ text, what }: { text: string | (() => string); what: string }) {
  const [done, setDone] = useState(false);
  const Icon = done ? Check : Copy;
  return (
    <button
      type="button"
      className="button quiet icon small"
      aria-label={done ? "Copied" : `Copy the ${what}`}
      title={`Copy the ${what}`}
      onClick={async () => {
        await navigator.clipboard?.writeText(typeof text === "string" ? text : text());
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      }}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}
