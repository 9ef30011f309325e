import { Search } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useSuggestions } from "@/api/search";
import { LIST, SearchOptions } from "@/components/SearchOptions";
import { useFavourites, useRecent } from "@/lib/kept";
import { useSlash } from "@/lib/keys";
import { links } from "@/lib/links";
import { type SearchOption, searchOptions, stepped } from "@/lib/searchOptions";
import { begunFilter } from "@/lib/typedFilters";
import "@/styles/search.css";

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
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const recent = useRecent();
  const favourites = useFavourites();
  const sought = useLater(text);
  const suggestions = useSuggestions(sought, open).data?.suggestions ?? [];
  const options = open ? searchOptions(text, suggestions, recent.items, favourites.items) : [];
  const chosen = active < options.length ? options[active] : undefined;
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
    setOpen(false);
    recent.add(text);
    ask(text, text.trim() !== "");
  };
  const choose = ({ kind, fills, opens }: SearchOption) => {
    clearTimeout(asking.current);
    setActive(-1);
    setOpen(kind === "filter");
    if (opens) navigate(links.dataset(opens.place, opens.name));
    if (fills === undefined) return;
    setText(fills);
    if (kind === "filter") return; // its value is still to come
    recent.add(fills);
    ask(fills.trim());
  };
  /** The list first; past its end the results. */
  const down = () => {
    if (!open && text.trim() === "") return setOpen(true);
    const next = stepped(active, 1, options.length);
    if (next !== null) return setActive(next);
    setOpen(false);
    document.querySelector<HTMLElement>("[data-hit]")?.focus();
  };
  const leave = () => {
    if (options.length > 0) setOpen(false);
    else input.current?.blur();
  };
  useEffect(() => () => clearTimeout(asking.current), []);

  return (
    <search className="find">
      <Search size={16} aria-hidden />
      <input
        ref={input}
        className="input"
        type="text"
        role="combobox"
        aria-label="Search datasets and fields"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={options.length > 0}
        aria-controls={options.length > 0 ? LIST : undefined}
        aria-activedescendant={chosen?.id}
        placeholder="Search datasets and fields"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          const typed = event.target.value;
          setText(typed);
          setOpen(true);
          setActive(-1);
          if (begunFilter(typed)?.begun !== "") askSoon(typed);
        }}
        onFocus={() => setOpen(text.trim() === "")}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const { key } = event;
          if (key === "Escape") leave();
          else if (key === "Enter") chosen ? choose(chosen) : openFirst();
          else if (key === "ArrowDown") down();
          else if (key === "ArrowUp" && options.length > 0) setActive(stepped(active, -1, options.length) ?? -1);
          else return;
          if (key.startsWith("Arrow")) event.preventDefault();
        }}
      />
      <kbd aria-hidden>/</kbd>
      {options.length > 0 && <SearchOptions options={options} active={active} onChoose={choose} />}
    </search>
  );
}

/** What was typed, once the hand rests a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}
