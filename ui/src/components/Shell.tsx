// The frame around every page: skip link, header with search, navigation, the page.
import { Menu } from "lucide-react";
import { Tooltip } from "radix-ui";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "react-router";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { HeaderSearch } from "@/components/HeaderSearch";
import { KeyHelp } from "@/components/KeyHelp";
import { Nav } from "@/components/Nav";
import { ThemeMenu } from "@/components/ThemeMenu";
import { Told } from "@/components/Told";
import { UserMenu } from "@/components/UserMenu";

export function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const [menu, setMenu] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu.
  useEffect(() => setMenu(false), [pathname]);
  return (
    <Tooltip.Provider delayDuration={250}>
      <div className="shell">
        <a className="skip" href="#main">
          Skip to the page
        </a>
        <header className="top">
          <button
            type="button"
            className="button quiet icon menu-button"
            aria-label="Menu"
            aria-expanded={menu}
            onClick={() => setMenu(!menu)}
          >
            <Menu size={18} aria-hidden />
          </button>
          <Link to="/" className="brand" aria-label="Weir, home">
            <img src="/weir.svg" alt="" />
            <span>Weir</span>
          </Link>
          <HeaderSearch />
          <div className="end">
            <ThemeMenu />
            <UserMenu />
          </div>
        </header>
        <Nav open={menu} />
        <KeyHelp />
        <Told />
        <main id="main" className="main" tabIndex={-1}>
          <ErrorBoundary at={pathname}>{children}</ErrorBoundary>
        </main>
      </div>
    </Tooltip.Provider>
  );
}
