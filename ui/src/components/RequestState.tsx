import type { AccessRequest } from "@/api/types";

const TONES: Record<AccessRequest["state"], string> = {
  pending: "accent",
  review: "warn",
  approved: "ok",
  denied: "bad",
  cancelled: "",
  expired: "warn",
};

export function RequestState({ of }: { of: AccessRequest }) {
  return (
    <span className={`badge ${TONES[of.state]}`}>
      {of.state}
      {of.stage && `: ${of.stage}`}
    </span>
  );
}
