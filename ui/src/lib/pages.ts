// The pages of the navigation, in its order, each with the letter that `g` goes to it by.
import {
  Activity,
  BookOpen,
  Boxes,
  Cable,
  ClipboardCheck,
  Database,
  FileSearch,
  House,
  KeyRound,
  Layers,
  type LucideIcon,
  Package,
  ScrollText,
  Search,
  ServerCog,
  Settings,
  ShieldCheck,
  SquareTerminal,
  TriangleAlert,
  UserCheck,
  Waypoints,
} from "lucide-react";
import type { Permission } from "@/lib/may";

interface Page {
  to: string;
  text: string;
  key: string;
  icon: LucideIcon;
  gap?: boolean;
  needs?: readonly Permission[];
  /** Left out while there is none, but for those who may manage. */
  where?: "connectors" | "domains";
}

/** `needs`: any of these permissions; the page is left out of the navigation of others. */
export const PAGES: Page[] = [
  { to: "/", text: "Home", key: "h", icon: House },
  { to: "/search", text: "Search", key: "s", icon: Search },
  { to: "/datasets", text: "Datasets", key: "d", icon: Database },
  { to: "/lineage", text: "Lineage", key: "l", icon: Waypoints },
  { to: "/query", text: "Query", key: "q", icon: SquareTerminal },
  { to: "/views", text: "Views", key: "e", icon: Layers },
  { to: "/connectors", text: "Connectors", key: "c", icon: Cable, where: "connectors" },
  { to: "/products", text: "Data products", key: "P", icon: Package },
  { to: "/glossary", text: "Glossary", key: "z", icon: BookOpen },
  { to: "/domains", text: "Domains", key: "m", icon: Boxes, where: "domains" },
  { to: "/incidents", text: "Incidents", key: "x", icon: TriangleAlert },
  { to: "/requests", text: "Requests", key: "r", icon: KeyRound, gap: true },
  { to: "/review", text: "Review", key: "v", icon: ClipboardCheck },
  { to: "/access-reviews", text: "Access reviews", key: "i", icon: UserCheck },
  { to: "/policies", text: "Policies", key: "p", icon: ShieldCheck },
  { to: "/reports", text: "Data locations", key: "w", icon: FileSearch, gap: true, needs: ["report:read"] },
  {
    to: "/rights",
    text: "Rights at brokers",
    key: "f",
    icon: ServerCog,
    needs: ["report:read", "audit:read", "manage"],
  },
  { to: "/activity", text: "Activity", key: "t", icon: Activity },
  { to: "/audit", text: "Audit", key: "u", icon: ScrollText, needs: ["audit:read"] },
  { to: "/admin", text: "Admin", key: "a", icon: Settings, needs: ["manage", "scan"] },
];

/** Places that `g` goes to without a line of their own in the navigation. */
const PLACES: Omit<Page, "icon">[] = [
  { to: "/notifications", text: "Notifications", key: "n" },
  { to: "/agents", text: "Agents", key: "b" },
  { to: "/query?pane=saved", text: "Saved queries", key: "y" },
  { to: "/policies/documents?kind=Purpose", text: "Purposes", key: "o" },
  { to: "/admin/clusters?add=cluster", text: "Add a cluster", key: "k", needs: ["manage"] },
];

export const GOES: readonly Omit<Page, "icon">[] = [...PAGES, ...PLACES];

/** Those that somebody is shown. `may`: what they may do; `connectors`, `domains`: whether there is any. */
export function pagesFor<T extends Pick<Page, "needs" | "where">>(
  pages: readonly T[],
  may: (permission: Permission) => boolean,
  connectors: boolean,
  domains: boolean,
): T[] {
  const there = { connectors, domains };
  return pages.filter(({ needs, where }) => (!where || there[where]) && (!needs || needs.some(may)));
}
