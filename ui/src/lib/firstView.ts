// What of a graph a canvas shows first.
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Of the canvas, left free at each side. */
const MARGIN = 0.06;

/**
 * All of the graph where its names stay legible. Else as much of it as has room around its root: a root at an end of the
 * graph stands at that end of the canvas.
 *
 * `legible`: the smallest zoom; the largest is 1. Returns the canvas's translation in pixels and its zoom.
 */
export function firstView(graph: Rect, root: Rect, canvas: { width: number; height: number }, legible: number) {
  const free = 1 - 2 * MARGIN;
  const whole = Math.min((canvas.width * free) / graph.width, (canvas.height * free) / graph.height);
  const zoom = Math.min(1, Math.max(legible, whole));
  const from = (start: number, length: number, rootCentre: number, pixels: number) => {
    const seen = pixels / zoom;
    const margin = seen * MARGIN;
    const centre =
      length + 2 * margin <= seen
        ? start + length / 2
        : Math.min(start + length + margin - seen / 2, Math.max(start - margin + seen / 2, rootCentre));
    return pixels / 2 - centre * zoom;
  };
  return {
    x: from(graph.x, graph.width, root.x + root.width / 2, canvas.width),
    y: from(graph.y, graph.height, root.y + root.height / 2, canvas.height),
    zoom,
  };
}
