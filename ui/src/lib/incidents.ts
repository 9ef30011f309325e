// What the pages state of incidents, in words.
import type { Incident, IncidentStep } from "@/api/types";
import { count } from "@/lib/format";

export const STATE_TONES: Record<Incident["state"], string> = {
  open: "badge bad",
  acknowledged: "badge warn",
  resolved: "badge ok",
};

export const RESOLUTIONS: Record<NonNullable<Incident["resolution"]>, string> = {
  recovered: "a check saw nothing wrong any more",
  withdrawn: "what it was about is gone",
  fixed: "fixed",
  accepted: "accepted",
  falseAlarm: "a false alarm",
};

const STEPS: Record<IncidentStep["kind"], string> = {
  opened: "Opened",
  again: "Opened again",
  notified: "Downstream",
  acknowledged: "Acknowledged",
  assigned: "Assigned",
  commented: "Comment",
  resolved: "Resolved",
};

export function stepText(step: IncidentStep): string {
  const by = step.by ? ` by ${step.by}` : "";
  const to = step.kind === "assigned" ? ` to ${step.text || "nobody"}` : "";
  return `${STEPS[step.kind]}${to}${by}`;
}

/** `5 records (0.2 %), partition 0 offset 50 to partition 0 offset 99`; empty where nothing is known. */
export function figuresText(of: Pick<Incident, "records" | "share" | "first" | "last">): string {
  const records = of.records === null ? "" : `${count(of.records)} ${of.records === 1 ? "record" : "records"}`;
  const share = of.share === null || of.share === undefined ? "" : ` (${Number((of.share * 100).toPrecision(2))} %)`;
  const first = placeText(of.first);
  const last = placeText(of.last);
  const places = first && last && first !== last ? `${first} to ${last}` : first;
  return [records + (records && share), places].filter(Boolean).join(", ");
}

function placeText(place: Incident["first"]): string {
  return place ? `partition ${place.partition} offset ${place.offset}` : "";
}
