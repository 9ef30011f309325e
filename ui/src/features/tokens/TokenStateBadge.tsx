import type { TokenEntry } from "@/api/tokens";
import { tokenState } from "@/lib/tokens";

export function TokenStateBadge({ of }: { of: TokenEntry }) {
  const state = tokenState(of);
  return <span className={`badge ${state === "valid" ? "ok" : ""}`}>{state}</span>;
}
