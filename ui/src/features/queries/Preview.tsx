// Below the editor, before anything runs: what stands in the way, or how each column would be shown.

import { Ban, CircleAlert, Eye, EyeOff } from "lucide-react";
import type { Checked } from "@/api/types";
import { columnReasons, lookOf } from "@/lib/decision";
import { maskWords } from "@/lib/maskWords";

const ICONS = { clear: Eye, masked: EyeOff, withheld: Ban };
const TONES = { clear: "", masked: "mask", withheld: "bad" };
const MOST = 24;

export function Preview({ of }: { of: Checked | null }) {
  if (!of) return null;
  const problem = of.problems[0];
  if (problem) {
    return (
      <p className="query-preview bad" role="status">
        <CircleAlert size={14} aria-hidden />
        <span className="anywhere">
          Line {problem.line}, column {problem.column}: {problem.message}
        </span>
      </p>
    );
  }
  if (of.columns.length === 0) return null;
  return (
    <ul className="query-preview" aria-label="What the answer would show">
      {of.columns.slice(0, MOST).map((column, i) => {
        const look = lookOf(column.decision);
        const Icon = ICONS[look];
        return (
          <li
            key={i}
            className={`badge ${TONES[look]}`}
            title={columnReasons(column.decision).join("\n") || "unmasked"}
          >
            <Icon size={12} aria-hidden />
            {column.name}
            {look !== "clear" && ` ${maskWords(column.decision?.masks?.join(", ") ?? "left out")}`}
          </li>
        );
      })}
      {of.columns.length > MOST && <li className="muted small">and {of.columns.length - MOST} more</li>}
    </ul>
  );
}
