// Points and spans of charts, without a browser.

/** The points of a line through values, in a box of this size; a missing value parts it. */
export function valuesPath(values: readonly (number | null | undefined)[], width: number, height: number): string {
  const most = Math.max(1, ...values.filter((each): each is number => typeof each === "number"));
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let path = "";
  let drawing = false;
  values.forEach((value, n) => {
    if (typeof value !== "number") {
      drawing = false;
      return;
    }
    const point = `${(n * step).toFixed(1)},${(height - (value / most) * height).toFixed(1)}`;
    path += `${drawing ? "L" : "M"}${point}`;
    // A value between two gaps is a line of no length, which round ends draw as a point.
    if (!drawing && typeof values[n + 1] !== "number") path += `L${point}`;
    drawing = true;
  });
  return path;
}

export interface Span {
  from: number;
  to: number;
  count: number;
}

/** How many values lie in each span of equal width; one span where all are equal. Infinite values and NaN are left out. */
export function histogram(values: readonly number[], spans = 12): Span[] {
  const sound = values.filter(Number.isFinite);
  if (sound.length === 0) return [];
  const least = sound.reduce((a, b) => Math.min(a, b));
  const most = sound.reduce((a, b) => Math.max(a, b));
  if (least === most) return [{ from: least, to: most, count: sound.length }];
  const width = (most - least) / spans;
  const found = Array.from({ length: spans }, (_, n) => ({
    from: least + n * width,
    to: n === spans - 1 ? most : least + (n + 1) * width,
    count: 0,
  }));
  for (const value of sound) {
    const span = found[Math.min(spans - 1, Math.floor((value - least) / width))];
    if (span) span.count += 1;
  }
  return found;
}

/** The last value that is there. */
export function lastOf(values: readonly (number | null | undefined)[]): number | undefined {
  return values.findLast((each): each is number => typeof each === "number");
}
