// A dataset's declared document, changed where people edited it and otherwise kept as it stands.
import type { Dataset, DeclaredDocument } from "@/api/types";

export interface Described {
  description: string;
  owners: { user?: string; group?: string }[];
  tags: string[];
}

export function wordsFromText(text: string): string[] {
  return [...new Set(text.split(/[,\s]+/).filter(Boolean))];
}

/** `otto, group:team-orders` -> [{user: otto}, {group: team-orders}] */
export function ownersFromText(text: string): Described["owners"] {
  return wordsFromText(text).map((word) =>
    word.startsWith("group:") ? { group: word.slice("group:".length) } : { user: word },
  );
}

export function describedDocument(
  dataset: Pick<Dataset, "name" | "cluster">,
  known: DeclaredDocument | undefined,
  described: Described,
): DeclaredDocument {
  return {
    apiVersion: "weir/v1",
    kind: "Dataset",
    metadata: known?.metadata ?? { name: dataset.name, cluster: dataset.cluster },
    spec: { ...known?.spec, ...described, owners: withRoles(described.owners, known?.spec?.owners) },
  };
}

/** Owners that stay keep their roles: the text names people alone. */
function withRoles(owners: Described["owners"], before: unknown): Described["owners"] {
  const known: Described["owners"] = Array.isArray(before) ? before : [];
  return owners.map((each) => known.find((old) => old.user === each.user && old.group === each.group) ?? each);
}
