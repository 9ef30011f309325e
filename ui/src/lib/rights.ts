// Rights at the brokers in words.
import type { PossibleOperation, RightsEntry, RightsFinding, RightsHolder } from "@/api/types";

const KINDS = { user: "", group: "group ", serviceAccount: "service account " } as const;

/** "ana", "group fraud", "service account orders-app". */
export const holderWords = (who: RightsHolder) => `${KINDS[who.kind]}${who.name}`;

/** "read", "read from 10.0.0.7", "write but from 10.0.0.9", "read (not known)". */
export function operationWords({ operation, from, hosts, but }: PossibleOperation): string {
  const word = operation.replaceAll("_", " ");
  if (from === "notKnown") return `${word} (not known)`;
  if (from === "hosts") return `${word} from ${hosts.join(", ")}`;
  return but.length > 0 ? `${word} but from ${but.join(", ")}` : word;
}

const MAPPING: Record<string, string> = {
  mapped: "",
  everyone: "",
  unmapped: "not mapped",
  ambiguous: "two at once",
  weir: "Weir itself",
};

/** Why a principal is nobody in particular, in a few words. */
export const mappingWords = (mapping: string) => MAPPING[mapping] ?? mapping;

/** Findings of a page by their cause: one ACL on every topic is one row, with the first of its datasets and the others. */
export function byCause(findings: RightsFinding[]): { first: RightsFinding; others: RightsFinding[] }[] {
  const causes = new Map<string, { first: RightsFinding; others: RightsFinding[] }>();
  findings.forEach((each, at) => {
    const { kind, severity, cluster, principal, acls, fix } = each;
    const same = each.dataset && acls.length > 0;
    const key = JSON.stringify(same ? [kind, severity, cluster, principal, acls, fix] : at);
    const there = causes.get(key);
    if (there) there.others.push(each);
    else causes.set(key, { first: each, others: [] });
  });
  return [...causes.values()];
}

const SHOWS = { clear: "unmasked", partly: "partly masked", masked: "masked", none: "nothing" } as const;

/** What Weir shows the principal, in a few words. */
export function grantedWords({ mapping, granted }: Pick<RightsEntry, "mapping" | "granted">): string {
  if (mapping === "everyone" || mapping === "weir") return "–";
  if (granted === null) return "not known";
  if (granted.gone) return `nothing: the person ${granted.gone}`;
  return granted.hidesRows ? `${SHOWS[granted.shows]}, some rows` : SHOWS[granted.shows];
}

/** Whether values can be read at the brokers that Weir would mask or hide. */
export function readsMore({ mapping, granted, possible, superUser }: RightsEntry): boolean {
  const reads = possible.some(({ operation, from }) => operation === "read" && from !== "notKnown");
  if (!reads || superUser || mapping === "weir") return false;
  return granted === null || granted.shows !== "clear" || granted.hidesRows;
}

const USED = { used: "used", unused: "not used", notKnown: "not known" } as const;

/** Whether the right is used, and by which groups. */
export function usedWords({ state, groups, perhaps }: RightsEntry["used"]): string {
  const theirs = groups.map(({ name, active }) => (active ? name : `${name} (no members)`));
  const maybe = perhaps.length > 0 ? [`perhaps ${perhaps.join(", ")}`] : [];
  return [USED[state], ...theirs, ...maybe].join("; ");
}

const CHANGES: Record<string, string> = {
  topicRead: "open a topic",
  topicReadAgain: "open a topic again",
  groupRead: "open a consumer group",
  transactionalWrite: "open a transactional id",
  installationMark: "mark of this Weir",
  rightEnded: "the right ended",
  personGone: "the person is gone",
  principalUnknown: "the principal is nobody's",
  topicGone: "the topic is gone",
  notCatalogued: "not in the catalog",
  notDeclared: "not declared any more",
  backAgain: "made again by hand",
};

/** A kind of change in a few words. */
export function changeWords(kind: string, action: "create" | "delete"): string {
  const words = CHANGES[kind];
  if (words === undefined) return action;
  return action === "delete" ? `delete: ${words}` : words;
}
