// A declared document in one line, for those who do not read YAML.
import type { DeclaredDocument } from "@/api/types";
import { sentence } from "@/lib/subject";

export function inWords({ kind, spec }: DeclaredDocument): string {
  const { match, subjects, except, mask, requires, where, stages, type } = spec as Record<string, unknown>;
  const what = sentence(match) || "everything";
  const who = `for ${sentence(subjects) || "everyone"}${except ? `, except ${sentence(except)}` : ""}`;
  if (kind === "Workflow" && Array.isArray(stages)) {
    const steps = stages.map((s: { name?: string; approvers?: unknown }) => `${s.name} (${sentence(s.approvers)})`);
    return `opening ${what} takes ${steps.join(", then ")}`;
  }
  if (kind !== "Policy") {
    const text = spec.description || spec.definition;
    if (typeof text === "string") return text;
    return kind === "Role" ? roleInWords(spec) : "";
  }
  if (type === "mask") return `${String((mask as { type?: string } | undefined)?.type ?? "masks")} on ${what}, ${who}`;
  if (type === "access") return `reading ${what} requires ${sentence(requires)}`;
  return `${String(type)}: ${what}${where ? ` where ${String(where)}` : ""}, ${who}`;
}

/** What holders of a role read and may do. */
function roleInWords({ read, inherits, permissions }: DeclaredDocument["spec"]): string {
  const parts = [
    ["reads", sentence(read).replaceAll("dataset ", "")],
    ["inherits", sentence(inherits)],
    ["may", sentence(permissions)],
  ];
  return parts
    .filter(([, text]) => text)
    .map((part) => part.join(" "))
    .join("; ");
}
