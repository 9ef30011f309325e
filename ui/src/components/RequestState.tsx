import type { AccessRequest } from "@/api/types";

const TONES: Record<AccessRequest["state"], string> = {
  pending: "accent",
  "asked-back": "warn",
  review: "warn",
  approved: "ok",
  denied: "bad",
  cancelled: "",
  expired: "warn",
};

export function RequestState({ of }: { of: AccessRequest }) {
  return (
    <span className={`badge ${TONES[of.state]}`}>
      {of.state === "asked-back" ? "asked back" : of.state}
      {of.stage && `: ${of.stage}`}
    </span>
  );
}
