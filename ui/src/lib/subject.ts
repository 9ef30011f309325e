// Subjects and other small structures in words.
import { entityWords } from "@/lib/entityWords";

/**
 * {user: grace} -> "grace"; {groups: [privacy]} -> "group privacy"; {everyone: true} -> "everyone";
 * {dataset: prod/clicks, path: value.url} -> "value.url of prod/clicks"; {tag: [PHONE_NUMBER, gold]} -> "phone number, tag gold".
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
      if (kind === "tag") return [tagsText(inner)];
      return [kind === "user" ? text : `${kind} ${text}`];
    })
    .join("; ");
}

/** Tags: kinds of personal data by their words, others by their names. */
function tagsText(tags: unknown): string {
  const names = [tags].flat().map(sentence);
  const plain = names.filter((name) => entityWords(name) === name);
  const kinds = names.filter((name) => entityWords(name) !== name).map(entityWords);
  return [...kinds, ...(plain.length > 0 ? [`tag ${plain.join(", ")}`] : [])].join(", ");
}
