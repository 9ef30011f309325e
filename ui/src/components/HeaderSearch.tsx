import { Search } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useSlash } from "@/lib/keys";
import { links } from "@/lib/links";

/** The search box of every page but the first, which has its own. Typing opens the search page as you type. */
export function HeaderSearch() {
  const { pathname } = useLocation();
  return pathname === "/" ? <span className="find" /> : <Box />;
}

/** Milliseconds after a letter until its answer is asked for. */
const PAUSE = 40;

function Box() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  const [params] = useSearchParams();
  const asked = pathname === "/search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
  const asking = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address follows what is typed, a little later; it never takes letters back from somebody who writes.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(asked);
  }, [asked]);
  useSlash(input);

  // Somebody began to type on the first page: the letters to come belong here.
  const typing = useRef((state as { typing?: boolean } | null)?.typing === true);
  useLayoutEffect(() => {
    if (typing.current) input.current?.focus();
  }, []);

  const ask = (q: string, open = false) => {
    const { pathname, search } = window.location;
    const keep = pathname === "/search" ? Object.fromEntries(new URLSearchParams(search)) : {};
    navigate(links.search({ ...keep, q, page: null }), { replace: pathname === "/search", state: { open } });
  };
  const askSoon = (q: string) => {
    const typedAt = window.location.pathname;
    clearTimeout(asking.current);
    asking.current = setTimeout(() => {
      // Whoever went on to another page meanwhile is left there. The address knows it before the page is drawn.
      if ([typedAt, "/search"].includes(window.location.pathname)) ask(q);
    }, PAUSE);
  };
  const openFirst = () => {
    clearTimeout(asking.current);
    ask(text, text.trim() !== "");
  };
  useEffect(() => () => clearTimeout(asking.current), []);

  return (
    <search className="find">
      <Search size={16} aria-hidden />
      <input
        ref={input}
        className="input"
        type="text"
        aria-label="Search datasets and fields"
        placeholder="Search datasets and fields"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          askSoon(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") input.current?.blur();
          if (event.key === "ArrowDown") document.querySelector<HTMLElement>("[data-hit]")?.focus();
          if (event.key === "Enter") openFirst();
        }}
      />
      <kbd aria-hidden>/</kbd>
    </search>
  );
}
