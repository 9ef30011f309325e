// What happens while a page is open: it follows the events, and the requester reads of a decision wherever they are.
import { X } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "react-router";
import { useMe } from "@/api/access";
import { useFollow } from "@/api/follow";
import type { WeirEvent } from "@/api/types";
import { Notice } from "@/components/Notice";
import { links } from "@/lib/links";
import { useToken } from "@/lib/session";
import { toldRequester } from "@/lib/staleBy";

export function Told() {
  const user = useMe(useToken()).data?.user;
  const [told, setTold] = useState<NonNullable<ReturnType<typeof toldRequester>> | null>(null);
  const take = useCallback(
    (event: WeirEvent) => {
      const next = toldRequester(event, user);
      if (next) setTold(next);
    },
    [user],
  );
  useFollow(take);
  return (
    <div className="told" aria-live="polite">
      {told && (
        <Notice tone={told.good ? "ok" : "warn"}>
          <div className="row-nowrap">
            <span className="grow">
              {told.text} <Link to={links.request(told.request)}>Open it</Link>
            </span>
            <button
              type="button"
              className="button quiet icon small"
              aria-label="Dismiss"
              onClick={() => setTold(null)}
            >
              <X size={14} aria-hidden />
            </button>
          </div>
        </Notice>
      )}
    </div>
  );
}
