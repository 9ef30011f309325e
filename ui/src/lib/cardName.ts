// Names on cards of the graph: whole, on one line or two, in a card as wide as they need; longer ones have more lines.

/** Pixels of a text in the card's own font. */
export type Measure = (text: string) => number;

export interface CardName {
  lines: string[];
  width: number;
}

/** Lines of a name that two have no room for; what is longer yet is cut after them, and whole in its title. */
const MOST_LINES = 4;

/** The size of names, near and from half afar, and what of a card's width is not theirs. */
const SIZE = 13;
const GROWN = 17;
const BESIDE = 57;
export const MOST_WIDTH = 300;

/** Before these a line may end: after a separator, or between a small and a large letter. */
const ENDS = /(?<=[._\-/:])(?=.)|(?<=[\p{Ll}\d])(?=\p{Lu})/u;
/** Between words of a name a line ends a little less gladly than between its parts. */
const PART_END = /[./:]$/;
const LIKED = 0.8;

/** The parts that a name may be broken between, whatever shows it. */
export const namePieces = (name: string): string[] => name.split(ENDS);

export function cardName(name: string, base: number, measure: Measure): CardName {
  const room = (width: number, size: number) => ((width - BESIDE) * SIZE) / size;
  if (measure(name) <= room(base, GROWN)) return { lines: [name], width: base };
  const most = room(MOST_WIDTH, SIZE);
  let lines = inTwo(name, measure);
  if (lines.some((line) => measure(line) > most)) lines = filled(name, most, measure).slice(0, MOST_LINES);
  const widest = Math.max(...lines.map(measure));
  const width = Math.ceil((widest * GROWN) / SIZE + BESIDE);
  return { lines, width: Math.min(MOST_WIDTH, Math.max(base, width)) };
}

/** The largest size in pixels at which every line fits into a card: from afar names grow up to it. */
export function sizeFor(lines: readonly string[], width: number, measure: Measure): number {
  return Math.floor((SIZE * (width - BESIDE) * 10) / Math.max(1, ...lines.map(measure))) / 10;
}

/** The two lines whose longer one is shortest, or nearly, with whole parts on each; a name without a separator is one line while a card has room for it. */
function inTwo(name: string, measure: Measure): string[] {
  const parts = namePieces(name);
  if (parts.length === 1) return [name];
  let best = [name];
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < parts.length; at++) {
    const lines = [parts.slice(0, at).join(""), parts.slice(at).join("")];
    const widest = Math.max(...lines.map(measure)) * (PART_END.test(lines[0] ?? "") ? LIKED : 1);
    if (widest < least) [best, least] = [lines, widest];
  }
  return best;
}

/** Lines that are filled letter by letter. */
function filled(name: string, room: number, measure: Measure): string[] {
  const letters = [...name];
  const lines: string[] = [];
  while (letters.length > 0) {
    const n = Math.max(
      1,
      longest(letters.length, (n) => measure(letters.slice(0, n).join("")) <= room),
    );
    lines.push(letters.splice(0, n).join(""));
  }
  return lines;
}

/** How a name is one text and yet ends its first line where it should: the widths of its lines, of letters one pixel high. */
export function lineWidths(lines: readonly string[], measure: Measure): { first: number; widest: number } {
  const widths = lines.map((line) => measure(line) / SIZE);
  return { first: widths[0] ?? 0, widest: Math.max(0, ...widths) };
}

/** As much of the end as has room after `first`. */
function end(name: string, room: number, measure: Measure, first = ""): string {
  const letters = [...name];
  const ended = (n: number) => `${first}…${letters.slice(letters.length - n).join("")}`;
  return ended(longest(letters.length, (n) => measure(ended(n)) <= room));
}

/** The largest number up to `most` that fits, by halving. */
function longest(most: number, fits: (n: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A path on one line: of one that has no room the end is kept, by which fields differ, and a little of the beginning. */
export function shortened(path: string, room: number, measure: Measure): string {
  if (measure(path) <= room) return path;
  const letters = [...path];
  const begun = longest(letters.length, (n) => measure(letters.slice(0, n).join("")) <= room / 3);
  return end(path, room, measure, letters.slice(0, Math.max(1, begun)).join(""));
}
