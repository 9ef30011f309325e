// Events in words: what happened, to what, and where to look.
import type { WeirEvent } from "@/api/types";
import { entityWords } from "@/lib/entityWords";
import { plural } from "@/lib/format";
import { links, referenceLink } from "@/lib/links";

export type EventTone = "" | "ok" | "warn" | "bad" | "pii" | "accent";

export interface EventText {
  what: string;
  /** What it is about, by the name that people know: the dataset of a request, the cluster of a scan. */
  about: string;
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

const KNOWN_BY: [RegExp, string][] = [
  [/^(access|request|grant|breakglass)/, "dataset"],
  [/^scan\./, "cluster"],
];

/** Some events have the page about them in `path`, others a field. */
const isAddress = (path: unknown): path is string => typeof path === "string" && path.startsWith("/");

const text = (value: unknown) => (typeof value === "string" ? value : "");

function more(data: Record<string, unknown>): string {
  const parts: string[] = [];
  if (typeof data.version === "number") parts.push(`version ${data.version}`);
  const changes = Array.isArray(data.changes) ? data.changes.length : data.changes;
  if (typeof changes === "number") parts.push(plural(changes, "change"));
  const where = [entityWords(text(data.entity)), isAddress(data.path) ? "" : text(data.path)]
    .filter(Boolean)
    .join(" in ");
  if (where) parts.push(where);
  const kinds = [data.entities, data.classifications].find(Array.isArray) ?? [];
  const names = kinds.map((kind: unknown) => text(kind) || text((kind as { entity?: unknown } | null)?.entity));
  const named = [...new Set(names)].filter(Boolean);
  if (named.length > 0) parts.push(named.slice(0, 4).map(entityWords).join(", ") + (named.length > 4 ? " …" : ""));
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
  if (type.startsWith("breakglass")) return links.request(subject);
  if (type.startsWith("campaign")) return links.accessReview(subject);
  if (type.startsWith("grant")) return links.requests("grants");
  if (type.startsWith("schema.")) return referenceLink(subject, "schema");
  if (type.startsWith("classification.")) return referenceLink(subject, "personal-data");
  return subject.includes("/") ? referenceLink(subject) : null;
}

export function eventText({ type, subject, data }: WeirEvent): EventText {
  const kind = type.replace(/^weir\./, "");
  return {
    about: text(data[KNOWN_BY.find(([fits]) => fits.test(kind))?.[1] ?? ""]) || subject,
    what: kind === "classification.reviewed" ? `detection ${text(data.state) || "reviewed"}` : eventName(type),
    tone: TONES.find(([fits]) => fits.test(kind))?.[1] ?? "",
    more: more(data),
    to: isAddress(data.path) ? data.path : target(kind, subject),
  };
}
