// How the audit is narrowed on its page: kinds of actions by the beginnings of their names, and days of the reader's clock.
import type { AuditEntry } from "@/api/types";
import { actionWords } from "@/lib/auditWords";
import { count, plural } from "@/lib/format";

/** The beginning of actions -> what they are about. */
export const AUDIT_KINDS: Readonly<Record<string, string>> = {
  query: "Queries",
  request: "Access requests",
  grant: "Grants",
  breakglass: "Emergency access",
  campaign: "Access reviews",
  classification: "Personal data",
  report: "Reports",
  apply: "Documents",
  scan: "Scans",
  token: "Tokens",
  "sign-in": "Sign-ins",
  rights: "Rights at the brokers",
  view: "Views",
  incident: "Incidents",
  directory: "Directory",
};

/** What the page leaves out unless it is asked for: the editor sends these at every pause of the keys. */
export const WHILE_TYPING: readonly string[] = ["query.check", "query.complete"];

/** The beginning of a day of this clock, `later` days on, in UTC: what a date of a filter means. Null where it is not a date. */
export function dayStart(date: string | null, later = 0): string | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date ?? "");
  if (!parts) return null;
  const [, year, month, day] = parts.map(Number);
  const moment = new Date(year as number, (month as number) - 1, (day as number) + later);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

const FEW = 4;

/** "100 entries by 4 people: 60 × Query, 20 × Access requested and 3 other kinds; 2 denied". */
export function auditSummary(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return "";
  const people = new Set(entries.map((e) => e.actor)).size;
  const kinds = new Map<string, number>();
  for (const { action } of entries) kinds.set(action, (kinds.get(action) ?? 0) + 1);
  const most = [...kinds].sort(([, a], [, b]) => b - a);
  const named = most.slice(0, FEW).map(([action, n]) => `${count(n)} × ${actionWords(action)}`);
  const others = most.length - named.length;
  const refused = entries.filter((e) => e.decision === "deny" || e.decision === "refused").length;
  const rest = others > 0 ? ` and ${plural(others, "other kind")}` : "";
  return `${plural(entries.length, "entry", "entries")} by ${plural(people, "person", "people")}: ${named.join(", ")}${rest}; ${
    refused === 0 ? "none denied" : `${count(refused)} denied`
  }`;
}
