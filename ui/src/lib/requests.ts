// Which access requests are whose. The API lists one's own and those one may decide.
import type { AccessRequest } from "@/api/types";

/** Pending requests that this user may decide, as Weir says; by who has spoken where it does not say. */
export function toDecide(requests: AccessRequest[], user: string | undefined): AccessRequest[] {
  if (user === undefined) return [];
  return requests.filter((r) => {
    if (r.state !== "pending") return false; // one that was asked back waits for its requester
    if (typeof r.canDecide === "boolean") return r.canDecide;
    return r.requester !== user && !r.decisions.some((d) => d.by === user && d.stage === r.stage);
  });
}

export function mine(requests: AccessRequest[], user: string | undefined): AccessRequest[] {
  return requests.filter((r) => r.requester === user);
}
