import { useState } from "react";
import { useNavigate } from "react-router";
import { useExtend } from "@/api/access";
import type { Grant } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";
import { links } from "@/lib/links";

const DAYS = [7, 14, 30, 90];

/** Asks that a grant of one's own ends later; the same people decide as on a new request. */
export function ExtendDialog({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const extend = useExtend();
  const navigate = useNavigate();
  const [days, setDays] = useState(7);
  const until = new Date(new Date(grant.validTo).getTime() + days * 86_400_000).toISOString();
  return (
    <ReasonDialog
      title={`Extend ${grant.name}`}
      lead="A request for a later end. The end moves when it is approved."
      action="Send request"
      busy={extend.isPending}
      error={extend.error}
      onClose={onClose}
      onDo={(reason) =>
        extend.mutate({ name: grant.name, until, reason }, { onSuccess: (r) => navigate(links.request(r.id)) })
      }
    >
      <div className="field">
        <label htmlFor="extend-days">Longer by</label>
        <select
          id="extend-days"
          className="select"
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {DAYS.map((n) => (
            <option key={n} value={n}>{`${n} days`}</option>
          ))}
        </select>
        <span className="hint">New end: {until.slice(0, 10)}</span>
      </div>
    </ReasonDialog>
  );
}
