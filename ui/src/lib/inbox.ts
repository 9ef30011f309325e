// The inbox in words and groups.
import type { InboxRow } from "@/api/inbox";
import { ago } from "@/lib/format";

/** Rows of one role of a person. */
export interface InboxGroup {
  duty: InboxRow["duty"];
  title: string;
  rows: InboxRow[];
}

const TITLES: Record<InboxRow["duty"], string> = {
  owner: "As an owner",
  officer: "Personal data",
  administrator: "Operation",
  analyst: "Your work",
};

/** Rows by role, those of a role in their order; a role comes where its first row is. */
export function groups(rows: readonly InboxRow[]): InboxGroup[] {
  const found = new Map<InboxRow["duty"], InboxRow[]>();
  for (const row of rows) found.set(row.duty, [...(found.get(row.duty) ?? []), row]);
  return [...found].map(([duty, of]) => ({ duty, title: TITLES[duty], rows: of }));
}

const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
const DAY = 86_400_000;

/** When something ends, as people say it: "today at 16:00", "tomorrow", "on Friday", "in 3 weeks". */
export function endsWhen(at: string, now: number = Date.now()): string {
  const moment = Date.parse(at);
  if (Number.isNaN(moment)) return at;
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(moment) - midnight(now)) / DAY);
  if (days < 0) return ago(at, now);
  if (days === 0) return `today at ${new Date(moment).toTimeString().slice(0, 5)}`;
  if (days === 1) return "tomorrow";
  return days < 7 ? `on ${weekday.format(moment)}` : ago(at, now);
}

/** Since when something waits: "since yesterday", "since 3 hours ago" is said as "for 3 hours". */
export function sinceWhen(at: string, now: number = Date.now()): string {
  const text = ago(at, now);
  const length = /^(\d+ \w+) ago$/.exec(text)?.[1];
  if (length) return `for ${length}`;
  return text === "just now" ? text : `since ${text}`;
}
