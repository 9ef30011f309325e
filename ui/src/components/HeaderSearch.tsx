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

function Box() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  const [params] = useSearchParams();
  const asked = pathname === "/search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
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

  useEffect(() => {
    if (text === asked) return;
    const wait = setTimeout(() => {
      const keep = pathname === "/search" ? Object.fromEntries(params) : {};
      navigate(links.search({ ...keep, q: text, page: null }), { replace: pathname === "/search" });
    }, 40);
    return () => clearTimeout(wait);
  }, [text, asked, pathname, params, navigate]);

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
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") input.current?.blur();
          if (event.key === "ArrowDown") document.querySelector<HTMLElement>("[data-hit]")?.focus();
          if (event.key === "Enter") document.querySelector<HTMLElement>("[data-hit]")?.click();
        }}
      />
      <kbd aria-hidden>/</kbd>
    </search>
  );
}
