// What the first page has for a person: by what they may do and what they own. One person may be several.
import type { Dataset, Grant, Me, Problem, Scan } from "@/api/types";
import { mayDo } from "@/lib/may";
import { sentence } from "@/lib/subject";

export type Duty = "owner" | "officer" | "administrator";

/** What somebody has to look after besides their own questions, those closest to data first. */
export function dutiesOf(me: Me | undefined, datasets: readonly Pick<Dataset, "owners">[]): Duty[] {
  if (!me) return [];
  const duties: Duty[] = [];
  if (ownedBy(me, datasets).length > 0) duties.push("owner");
  if (mayDo(me, "report:read") || mayDo(me, "review")) duties.push("officer");
  if (mayDo(me, "manage") || mayDo(me, "scan")) duties.push("administrator");
  return duties;
}

/** Datasets that somebody owns, alone or by a group. */
export function ownedBy<D extends Pick<Dataset, "owners">>(me: Me | undefined, datasets: readonly D[]): D[] {
  if (!me) return [];
  const names = new Set([me.user, ...(me.groups ?? []).map((group) => `group:${group}`)]);
  return datasets.filter((dataset) => dataset.owners.some((owner) => names.has(owner)));
}

/** Grants of a person, or of a group of theirs, that open something now, the one that ends first in front. */
export function myGrants(grants: readonly Grant[], me: Pick<Me, "user" | "groups"> | undefined): Grant[] {
  if (!me) return [];
  const subjects = new Set([me.user, ...(me.groups ?? []).map((group) => `group ${group}`)]);
  return grants
    .filter((grant) => grant.status === "approved" && subjects.has(sentence(grant.subject)))
    .sort((a, b) => (a.validTo ?? "9").localeCompare(b.validTo ?? "9"));
}

type Scanned = Pick<Dataset, "scan" | "scannedAt" | "deletedAt">;

/** Where records do not fit what was declared or registered of them. */
export function brokenContracts<D extends Scanned>(datasets: readonly D[]): { dataset: D; problems: Problem[] }[] {
  return datasets.flatMap((dataset) => {
    const problems = (dataset.scan.problems ?? []).filter((problem) => problem.reason === "departs");
    return problems.length > 0 ? [{ dataset, problems }] : [];
  });
}

/** What nobody can vouch for: never scanned, last scan failed, fields that no detector finished. */
export function gapsOf<D extends Scanned>(datasets: readonly D[]): { unscanned: D[]; failed: D[]; unfinished: D[] } {
  const there = datasets.filter((dataset) => !dataset.deletedAt);
  return {
    unscanned: there.filter((dataset) => !dataset.scannedAt),
    failed: there.filter((dataset) => Boolean(dataset.scan.error)),
    unfinished: there.filter((dataset) => (dataset.scan.unscanned ?? []).length > 0),
  };
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

/** Names with their counts, the most first. */
export function most(counts: Readonly<Record<string, number>> | undefined, few: number): [string, number][] {
  return Object.entries(counts ?? {})
    .filter(([, n]) => n > 0)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .slice(0, few);
}
