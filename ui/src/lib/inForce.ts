// Which declared policies and workflows touch a dataset: by its tags, by its name, by one of its fields.
import type { DeclaredDocument } from "@/api/types";

interface Match {
  tags?: string[];
  datasets?: string[];
  fields?: { dataset: string; path?: string }[];
}

/** What of a dataset a document matches, in words; empty when nothing. */
export function touches(document: DeclaredDocument, reference: string, entities: string[], tags: string[]): string[] {
  const match = (document.spec.match ?? {}) as Match;
  const found: string[] = [];
  for (const tag of match.tags ?? []) {
    if (tag === "PII" ? entities.length > 0 : entities.includes(tag) || tags.includes(tag)) found.push(`tag ${tag}`);
  }
  for (const pattern of match.datasets ?? []) if (fits(pattern, reference)) found.push(`dataset ${pattern}`);
  for (const field of match.fields ?? []) {
    if (fits(field.dataset, reference)) found.push(field.path ? `field ${field.path}` : `dataset ${field.dataset}`);
  }
  return found;
}

/** `*` stands for any text. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
