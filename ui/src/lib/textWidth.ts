// How wide a text is on the page, by the browser's own measure; where there is none, by the usual width of a letter.
import type { Measure } from "@/lib/cardName";

const LETTER = 0.6;

/** `size` in pixels; `mono`: in the font of code, else in the page's own. */
export function textMeasure(weight: number, size: number, mono = false): Measure {
  const drawn = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  if (drawn) {
    const style = getComputedStyle(document.documentElement);
    drawn.font = `${weight} ${size}px ${mono ? style.getPropertyValue("--mono") : style.fontFamily}`;
  }
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const width = drawn ? drawn.measureText(text).width : [...text].length * size * LETTER;
    if (known.size > 5000) known.clear();
    known.set(text, width);
    return width;
  };
}
