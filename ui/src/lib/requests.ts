// Which access requests are whose. The API lists one's own and those one may decide.
import type { AccessRequest } from "@/api/types";

/** Pending requests of others whose present stage this user has not yet spoken on. */
export function toDecide(requests: AccessRequest[], user: string | undefined): AccessRequest[] {
  if (user === undefined) return [];
  return requests.filter(
    (r) =>
      r.state === "pending" && r.requester !== user && !r.decisions.some((d) => d.by === user && d.stage === r.stage),
  );
}

export function mine(requests: AccessRequest[], user: string | undefined): AccessRequest[] {
  return requests.filter((r) => r.requester === user);
}
