// Subjects and other small structures in words.

/** {user: grace} -> "grace"; {groups: [privacy]} -> "group privacy"; {everyone: true} -> "everyone". */
export function sentence(value: unknown): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(sentence).filter(Boolean).join(", ");
  return Object.entries(value)
    .flatMap(([name, inner]) => {
      const text = sentence(inner);
      if (!text) return [];
      if (inner === true) return [name];
      const kind = name.replace(/s$/, "");
      return [kind === "user" ? text : `${kind} ${text}`];
    })
    .join("; ");
}
