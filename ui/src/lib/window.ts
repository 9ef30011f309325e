// What a scan looked at, and what it did not, in words.
import type { QueryWindow, ScanWindow } from "@/api/types";
import { plural } from "@/lib/format";

const day = (at: string) => at.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");

export function windowText(window: ScanWindow): string {
  if (window.strategy === "reported") return "As producers of lineage report it; no record was looked at.";
  if (window.withheld) return "Learned from a sample; how much was read is withheld, as you may not read every record.";
  const parts = [`Learned from ${plural(window.records ?? 0, "record")}`];
  const partitions = window.partitions ?? [];
  if (partitions.length > 0) parts.push(`of ${plural(partitions.length, "partition")}`);
  if (window.timeFrom && window.timeTo) parts.push(`written between ${day(window.timeFrom)} and ${day(window.timeTo)}`);
  const text = parts.join(" ");
  if (window.complete) return `${text}: every record that is kept.`;
  const kept = partitions.reduce((sum, p) => sum + (p.end - p.begin), 0);
  return kept > 0
    ? `${text}: a ${window.strategy ?? ""} sample of about ${plural(kept, "record")} that are kept.`
    : `${text}: a ${window.strategy ?? ""} sample.`;
}

/** What a query read of each topic: how many records, and whether that is all there are. */
export function readText(window: QueryWindow | null | undefined): string {
  const tables = window?.tables ?? [];
  return tables
    .map((t) =>
      t.records == null
        ? `${t.complete ? "All" : "The newest"} records of ${t.dataset} that you may see; how many were read is withheld.`
        : t.complete
          ? `${plural(t.records, "record")} of ${t.dataset} read, all that are kept.`
          : `The newest ${plural(t.records, "record")} of ${t.dataset} read; older ones are kept and were not.`,
    )
    .join(" ");
}
