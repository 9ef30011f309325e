import { Link } from "react-router";
import type { WeirEvent } from "@/api/types";
import { When } from "@/components/When";
import { eventText } from "@/lib/events";

/** What happened, one line each, newest first. */
export function EventList({ events, withSubject = true }: { events: WeirEvent[]; withSubject?: boolean }) {
  return (
    <ul className="list">
      {events.map((event) => {
        const { what, about, tone, more, to } = eventText(event);
        return (
          <li key={event.id} className="spread nowrap-row">
            <span className="grow anywhere">
              <span className={`badge ${tone}`}>{what}</span>{" "}
              {withSubject &&
                (to ? (
                  <Link to={to} className="strong" title={event.subject}>
                    {about}
                  </Link>
                ) : (
                  <strong>{about}</strong>
                ))}{" "}
              {more && <span className="muted small">{more}</span>}
            </span>
            <span className="muted small nowrap">
              <When at={event.time} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
