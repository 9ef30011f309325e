// What the owners of things downstream are written about a change: who is concerned, by what, and where to look.
import type { Affected } from "@/api/types";
import { plural } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { CHANGES, type Change, effects } from "@/lib/impact";

export const NOBODY = "no owner known";
const WORDS = { breaks: "breaks", may_break: "may break", changes: "other values" } as const;

interface Concerned {
  owner: string;
  lines: string[];
}

/** By owner what the change does to their things; without a change everything downstream. What is safe is left out. */
export function concerned(all: Affected[], touched: Affected[] | null): Concerned[] {
  const lines = new Map<string, string[]>();
  const note = (row: Affected, does: string) => {
    const owners = row.owners?.length ? row.owners : [NOBODY];
    for (const owner of owners) lines.set(owner, [...(lines.get(owner) ?? []), nodeName(row.id) + does]);
  };
  if (touched === null) for (const row of all) note(row, "");
  else
    for (const { effect, rows } of effects(all, touched))
      if (effect !== "safe") for (const row of rows) note(row, `: ${WORDS[effect]}`);
  return [...lines]
    .map(([owner, of]) => ({ owner, lines: of }))
    .sort((a, b) => Number(a.owner === NOBODY) - Number(b.owner === NOBODY) || a.owner.localeCompare(b.owner));
}

export function ownersMessage(node: string, change: Change | null, of: Concerned[], link: string): string {
  const head =
    change === null
      ? `A change of ${nodeName(node)} is planned. Downstream of it:`
      : `A change of ${nodeName(node)} is planned. ${CHANGES[change].does}:`;
  const parts = of.map(({ owner, lines }) => [
    `${owner} (${plural(lines.length, "thing")})`,
    ...lines.map((line) => `- ${line}`),
  ]);
  return [head, "", ...parts.flatMap((part) => [...part, ""]), `As it is now: ${link}`].join("\n");
}
