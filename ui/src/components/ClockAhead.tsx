// An event that was dated after it arrived: its producer's clock is ahead.
import type { ClockAhead as Times } from "@/api/types";
import { When } from "@/components/When";

export function ClockAhead({ of }: { of: Times }) {
  return (
    <span>
      <span className="badge warn">producer's clock ahead</span> dated <When at={of.claimed} />, arrived{" "}
      <When at={of.arrived} />
    </span>
  );
}
