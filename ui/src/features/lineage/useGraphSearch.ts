// Search in the graph: what is typed, the cards that match it, and the one that is brought into the middle.
import { useMemo, useState } from "react";
import type { Flow } from "@/lib/graph";
import { cardsNamed, type Named } from "@/lib/graphSearch";
import type { Group } from "@/lib/group";
import { jobTitle } from "@/lib/jobTitle";
import { containerOf, hiddenName, isHidden, parseNodeId } from "@/lib/nodeId";

/** A group is found by the names of those that it stands together. */
function namedCards(
  drawn: ReadonlySet<string>,
  groups: ReadonlyMap<string, Group>,
  flows: readonly Flow[],
): readonly Named[] {
  const fields = new Map<string, Set<string>>();
  for (const end of flows.flatMap(({ from, to }) => [from, to])) {
    const of = containerOf(end);
    const name = parseNodeId(end)?.field;
    if (of !== end && name) fields.set(of, (fields.get(of) ?? new Set()).add(name));
  }
  return [...drawn].sort().map((id) => {
    const members = groups.get(id)?.members;
    if (members) return { id, title: "", place: "", fields: members.map((each) => ({ name: nameOf(each) })) };
    const inside = [...(fields.get(id) ?? [])].map((name) => ({ name }));
    return { id, title: nameOf(id), place: parseNodeId(id)?.namespace ?? "", fields: inside };
  });
}

function nameOf(id: string): string {
  if (isHidden(id)) return hiddenName(id);
  const ref = parseNodeId(id);
  return ref?.kind === "job" ? jobTitle(ref.name) : (ref?.name ?? id);
}

export function useGraphSearch(drawn: ReadonlySet<string>, groups: ReadonlyMap<string, Group>, flows: readonly Flow[]) {
  const [text, setText] = useState("");
  const [step, setStep] = useState(0);
  const cards = useMemo(() => namedCards(drawn, groups, flows), [drawn, groups, flows]);
  const found = useMemo(() => cardsNamed(cards, text), [cards, text]);
  const matches = useMemo<ReadonlySet<string>>(() => new Set(found), [found]);
  const at = found.length === 0 ? 0 : ((step % found.length) + found.length) % found.length;
  return {
    matches,
    found: found[at] ?? null,
    bar: {
      text,
      number: found.length,
      at,
      onText: (next: string) => {
        setText(next);
        setStep(0);
      },
      onStep: (by: 1 | -1) => setStep(at + by),
    },
  };
}
