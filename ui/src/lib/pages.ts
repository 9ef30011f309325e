// The pages of the navigation, in its order, each with the letter that `g` goes to it by.
import {
  Activity,
  ClipboardCheck,
  Database,
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

export const PAGES = [
  { to: "/", text: "Home", key: "h", icon: House },
  { to: "/search", text: "Search", key: "s", icon: Search },
  { to: "/datasets", text: "Datasets", key: "d", icon: Database },
  { to: "/lineage", text: "Lineage", key: "l", icon: Waypoints },
  { to: "/query", text: "Query", key: "q", icon: SquareTerminal },
  { to: "/requests", text: "Requests", key: "r", icon: KeyRound, gap: true },
  { to: "/review", text: "Review", key: "v", icon: ClipboardCheck },
  { to: "/policies", text: "Policies", key: "p", icon: ShieldCheck },
  { to: "/reports", text: "Where is …", key: "w", icon: FileSearch, gap: true },
  { to: "/activity", text: "Activity", key: "t", icon: Activity },
  { to: "/audit", text: "Audit", key: "u", icon: ScrollText },
  { to: "/admin", text: "Admin", key: "a", icon: Settings },
];

export const LETTERS: ReadonlyMap<string, string> = new Map(PAGES.map((page) => [page.key, page.to]));
