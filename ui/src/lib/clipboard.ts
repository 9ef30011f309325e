// Copying a text. A page that is served over plain HTTP from another machine has no `navigator.clipboard`.
import { useState } from "react";

/** Whether the browser took the text. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    const taken = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (taken) return true;
  }
  return copySelected(text);
}

/** The browser's older way: a selection, and what is copied in its place. */
function copySelected(text: string): boolean {
  const selection = window.getSelection();
  if (!selection) return false;
  const before = Array.from({ length: selection.rangeCount }, (_, n) => selection.getRangeAt(n));
  const place = document.createElement("span");
  place.textContent = "copy";
  place.style.cssText = "position: fixed; top: 0; opacity: 0; user-select: text";
  document.body.append(place);
  selection.removeAllRanges();
  selection.selectAllChildren(place);
  const take = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", take, { capture: true, once: true });
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    document.removeEventListener("copy", take, { capture: true });
    place.remove();
    selection.removeAllRanges();
    for (const range of before) selection.addRange(range);
  }
}

export type Copied = "copied" | "failed" | null;

/** How the last copy ended, for a moment; and what copies. */
export function useCopy(): [Copied, (text: string) => Promise<void>] {
  const [state, setState] = useState<Copied>(null);
  const copy = async (text: string) => {
    const next = (await copyText(text)) ? "copied" : "failed";
    setState(next);
    setTimeout(() => setState((now) => (now === next ? null : now)), next === "copied" ? 1500 : 5000);
  };
  return [state, copy];
}

export const COPIED = { copied: "Copied", failed: "Not copied: select the text" } as const;
