// What a domain is in words.
import type { OneDomain } from "@/api/types";

type Power = OneDomain["may"][number];

const WORDS: Record<Power, string> = {
  edit: "edit descriptions, tags and terms",
  review: "review detections",
  scan: "scan its topics",
  "report:read": "see data locations and who has access",
  "audit:read": "read the audit of its datasets",
  decide: "ask for decisions about others",
  approve: "decide on requests and end grants",
  certify: "run access reviews",
  declare: "declare policies and visibility",
};

/** What the reader may do with each dataset of the domain, in an order that does not change. */
export function mayWords(may: readonly Power[]): string[] {
  return (Object.keys(WORDS) as Power[]).filter((power) => may.includes(power)).map((power) => WORDS[power]);
}

/** "ada, stan, group hr-leads"; empty for nobody. */
export function peopleText(people: { users: readonly string[]; groups: readonly string[] }): string {
  return [...people.users, ...people.groups.map((group) => `group ${group}`)].join(", ");
}

/** What a new domain's document begins as. */
export const FIRST = `apiVersion: weir/v1
kind: Domain
metadata: {name: my-team}
spec:
  description: What the team does.
  datasets: ["CLUSTER/my-team.*"]
  admins: {users: []}
  stewards: {users: []}
`;

/** What a new policy of a domain begins as. */
export function firstPolicy(name: string, pattern: string): string {
  return `apiVersion: weir/v1
kind: Policy
metadata: {name: ${name}.mask, domain: ${name}}
spec:
  type: mask
  match: {datasets: [${JSON.stringify(pattern)}]}
  subjects: {everyone: true}
  mask: {type: MASK_HASH}
`;
}
