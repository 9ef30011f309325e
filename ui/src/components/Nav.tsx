import {
  ClipboardCheck,
  FileSearch,
  House,
  KeyRound,
  ScrollText,
  Search,
  Settings,
  ShieldCheck,
  SquareTerminal,
  Waypoints,
} from "lucide-react";
import { NavLink } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { toDecide } from "@/lib/requests";
import { useToken } from "@/lib/session";

const PAGES = [
  { to: "/", text: "Home", icon: House },
  { to: "/search", text: "Search", icon: Search },
  { to: "/lineage", text: "Lineage", icon: Waypoints },
  { to: "/query", text: "Query", icon: SquareTerminal },
  { to: "/requests", text: "Requests", icon: KeyRound, gap: true },
  { to: "/review", text: "Review", icon: ClipboardCheck },
  { to: "/policies", text: "Policies", icon: ShieldCheck },
  { to: "/reports", text: "Where is …", icon: FileSearch, gap: true },
  { to: "/audit", text: "Audit", icon: ScrollText },
  { to: "/admin", text: "Admin", icon: Settings },
];

export function Nav({ open }: { open: boolean }) {
  const me = useMe(useToken());
  const requests = useRequests({ state: "pending" });
  const waiting = toDecide(requests.data ?? [], me.data?.user).length;
  return (
    <nav className={`nav ${open ? "open" : ""}`} aria-label="Pages">
      <ul>
        {PAGES.map(({ to, text, icon: Icon, gap }) => (
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
    </nav>
  );
}
