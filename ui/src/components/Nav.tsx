import { NavLink } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { useShowsConnectors } from "@/api/connectors";
import { useShowsDomains } from "@/api/domains";
import { mayOpen } from "@/lib/may";
import { PAGES, pagesFor } from "@/lib/pages";
import { toDecide } from "@/lib/requests";
import { useToken } from "@/lib/session";

export function Nav({ open }: { open: boolean }) {
  const me = useMe(useToken());
  const requests = useRequests({ state: "pending" });
  const waiting = toDecide(requests.data ?? [], me.data?.user).length;
  const connectors = useShowsConnectors();
  const domains = useShowsDomains();
  const shown = pagesFor(PAGES, (one) => mayOpen(me.data, one), connectors, domains);
  return (
    <nav className={`nav ${open ? "open" : ""}`} aria-label="Pages">
      <ul>
        {shown.map(({ to, text, icon: Icon, gap }) => (
          <li key={to} className={gap ? "gap" : ""}>
            <NavLink to={to} end={to === "/"}>
              <Icon size={17} aria-hidden />
              {text}
              {to === "/requests" && waiting > 0 && (
                <span className="waiting">
                  {waiting}
                  <span className="visually-hidden"> to decide</span>
                </span>
              )}
            </NavLink>
          </li>
        ))}
      </ul>
      <p className="muted small nav-foot">
        <kbd>?</kbd> keys
      </p>
    </nav>
  );
}
