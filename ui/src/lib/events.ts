// Events in words: what happened, to what, and where to look.
import type { WeirEvent } from "@/api/types";
import { plural } from "@/lib/format";
import { links, referenceLink } from "@/lib/links";

export type EventTone = "" | "ok" | "warn" | "bad" | "pii" | "accent";

export interface EventText {
  what: string;
  tone: EventTone;
  /** A few words more, of the event's own data: names and counts. */
  more: string;
  to: string | null;
}

const TONES: [RegExp, EventTone][] = [
  [/failed|denied|cut|revoked|broken/, "bad"],
  [/changed|expir|recheck/, "warn"],
  [/^classification\.|^mask/, "pii"],
  [/approved|finished|done|granted|created|found/, "ok"],
  [/^scan\.|^access\.|^request/, "accent"],
];

/** `weir.schema.changed` -> "schema changed" */
export function eventName(type: string): string {
  return type.replace(/^weir\./, "").replace(/[._-]+/g, " ");
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

function more(data: Record<string, unknown>): string {
  const parts: string[] = [];
  if (typeof data.version === "number") parts.push(`version ${data.version}`);
  const changes = Array.isArray(data.changes) ? data.changes.length : data.changes;
  if (typeof changes === "number") parts.push(plural(changes, "change"));
  const where = [text(data.entity), text(data.path)].filter(Boolean).join(" in ");
  if (where) parts.push(where);
  for (const name of ["datasets", "topics", "purpose", "requester", "user", "problem"]) {
    const value = data[name];
    if (typeof value === "number") parts.push(plural(value, name.replace(/s$/, "")));
    else if (text(value)) parts.push(text(value));
  }
  if (text(data.by)) parts.push(`by ${text(data.by)}`);
  return parts.join(" · ");
}

function target(type: string, subject: string): string | null {
  if (type.startsWith("scan.")) return `/admin/scans/${encodeURIComponent(subject)}`;
  if (/^(access|request)/.test(type)) return subject.startsWith("req-") ? links.request(subject) : links.requests();
  if (type.startsWith("grant")) return links.requests("grants");
  if (type.startsWith("schema.")) return referenceLink(subject, "schema");
  if (type.startsWith("classification.")) return referenceLink(subject, "personal-data");
  return subject.includes("/") ? referenceLink(subject) : null;
}

export function eventText({ type, subject, data }: WeirEvent): EventText {
  const kind = type.replace(/^weir\./, "");
  return {
    what: kind === "classification.reviewed" ? `find ${text(data.state) || "reviewed"}` : eventName(type),
    tone: TONES.find(([fits]) => fits.test(kind))?.[1] ?? "",
    more: more(data),
    to: target(kind, subject),
  };
}
