import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { links } from "@/lib/links";

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The search box of every page. `/` jumps into it; typing opens the search page as you type. */
export function HeaderSearch() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const asked = pathname === "/search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);

  useEffect(() => {
    const jump = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    document.addEventListener("keydown", jump);
    return () => document.removeEventListener("keydown", jump);
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
