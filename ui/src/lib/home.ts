// What the first page has for a person beside the inbox: their grants, and the first steps of a new catalog.
import type { Dataset, Grant, Me, Scan } from "@/api/types";
import { sentence } from "@/lib/subject";

/** Grants of a person, or of a group of theirs, that open something now, the one that ends first in front. */
export function myGrants(grants: readonly Grant[], me: Pick<Me, "user" | "groups"> | undefined): Grant[] {
  if (!me) return [];
  const subjects = new Set([me.user, ...(me.groups ?? []).map((group) => `group ${group}`)]);
  return grants
    .filter((grant) => grant.status === "approved" && subjects.has(sentence(grant.subject)))
    .sort((a, b) => (a.validTo ?? "9").localeCompare(b.validTo ?? "9"));
}

export interface Step {
  name: "connect" | "scan" | "review" | "invite";
  done: boolean;
}

/** How far a new catalog has come. */
export function firstSteps(of: {
  clusters: number;
  scans: readonly Pick<Scan, "state">[];
  datasets: readonly Pick<Dataset, "scannedAt">[];
  reviewed: number;
  people: number;
}): Step[] {
  const scanned = of.scans.some((scan) => scan.state === "done") || of.datasets.some((dataset) => dataset.scannedAt);
  return [
    { name: "connect", done: of.clusters > 0 },
    { name: "scan", done: scanned },
    { name: "review", done: of.reviewed > 0 },
    { name: "invite", done: of.people > 1 },
  ];
}
