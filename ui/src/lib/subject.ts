// Subjects and other small structures in words.

/**
 * {user: grace} -> "grace"; {groups: [privacy]} -> "group privacy"; {everyone: true} -> "everyone";
 * {dataset: prod/clicks, path: value.url} -> "value.url of prod/clicks".
 */
export function sentence(value: unknown): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(sentence).filter(Boolean).join(", ");
  const { dataset, path, ...others } = value as Record<string, unknown>;
  if (dataset && path && Object.keys(others).length === 0) return `${sentence(path)} of ${sentence(dataset)}`;
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
