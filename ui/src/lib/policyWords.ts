// A declared document in one line, for those who do not read YAML.
import type { DeclaredDocument } from "@/api/types";
import { maskWords } from "@/lib/maskWords";
import { sentence } from "@/lib/subject";

export function inWords({ kind, spec }: DeclaredDocument): string {
  const { match, subjects, except, mask, requires, where, stages, type } = spec as Record<string, unknown>;
  const what = sentence(match) || "everything";
  const who = `for ${sentence(subjects) || "everyone"}${except ? `, except ${sentence(except)}` : ""}`;
  if (kind === "Workflow" && Array.isArray(stages)) {
    const steps = stages.map((s: { name?: string; approvers?: unknown }) => `${s.name} (${sentence(s.approvers)})`);
    return `Requests for ${what} are decided by ${steps.join(", then ")}`;
  }
  if (kind !== "Policy") {
    const text = spec.description || spec.definition;
    if (typeof text === "string") return text;
    return kind === "Role" ? roleInWords(spec) : "";
  }
  if (type === "mask") return `${maskOf(mask)}: ${what}, ${who}`;
  if (type === "access") return `Reading ${what} requires ${required(requires)}`;
  return `${String(type)}: ${what}${where ? ` where ${String(where)}` : ""}, ${who}`;
}

/** What a mask leaves of a value. */
function maskOf(mask: unknown): string {
  const name = (mask as { type?: string } | undefined)?.type;
  return name === undefined ? "masked" : maskWords(name);
}

/** What a policy of access asks for: a grant, and for which purposes. */
export function required(requires: unknown): string {
  const { purpose = [] } = (requires ?? {}) as { purpose?: string | string[] };
  const purposes = [purpose].flat().map(String);
  return purposes.length === 0 ? "a grant" : `a grant for the purpose ${purposes.join(" or ")}`;
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
