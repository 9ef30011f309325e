// The report as Weir itself writes it, with time, author and the hash of its inputs: the one that is opened and printed.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef } from "react";
import { type WhereIsAsked, whereIsHtml } from "@/api/reports";

interface Asked {
  html: string;
  what: "open" | "print";
}

/** Fetches the report when it is opened or printed; each one made is an entry of the audit. */
export function usePaper(asked: WhereIsAsked, subject: string | null) {
  const paper = useMutation({
    mutationFn: async (what: Asked["what"]): Promise<Asked> => {
      // A window that opens after an answer is one that nobody asked for, to browsers.
      const tab = what === "open" ? window.open("", "_blank") : null;
      try {
        const html = await whereIsHtml(asked);
        if (tab) tab.location.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
        return { html, what };
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  const { data, mutate, reset } = paper;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was printed belongs to one question.
  useEffect(() => reset(), [JSON.stringify(asked), reset]);
  useEffect(() => {
    if (data?.what === "print") window.print();
  }, [data]);
  // The browser's own key prints the same report as the button.
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!subject || event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      mutate("print");
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [subject, mutate]);
  return paper;
}

/** The report, on paper only. It has styles of its own, and lives apart from those of the pages. */
export function Paper({ html }: { html: string | null }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = host.current;
    if (!element || html === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    // Weir escapes every text of a report, and scripts have no place in these pages.
    const document = new DOMParser().parseFromString(html, "text/html");
    root.replaceChildren(...document.querySelectorAll("style"), ...document.body.childNodes);
  }, [html]);
  return <div ref={host} className={html === null ? "paper" : "paper ready"} />;
}
