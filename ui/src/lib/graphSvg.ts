// The drawing as an SVG file of its own: cards and arrows where they stand, in the colours of the light theme.
import type { Flow } from "@/lib/graph";
import type { Positions } from "@/lib/layout";
import { containerOf } from "@/lib/nodeId";

export interface DrawnCard {
  id: string;
  kind: string;
  /** The title, a line each. */
  lines: string[];
  fields: { id: string; short: string }[];
  width: number;
  height: number;
  /** Where the first field's line begins, from the card's top. */
  head: number;
  fieldHeight: number;
}

const PAD = 24;
const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\P{C}\n]/gu, "");

export function toSvg(
  cards: DrawnCard[],
  flows: Flow[],
  positions: Positions,
): { svg: string; width: number; height: number } {
  const placed = cards.flatMap((card) => {
    const at = positions.get(card.id);
    return at ? [{ card, at }] : [];
  });
  const left = Math.min(...placed.map((p) => p.at.x)) - PAD;
  const top = Math.min(...placed.map((p) => p.at.y)) - PAD;
  const width = Math.max(...placed.map((p) => p.at.x + p.card.width)) + PAD - left;
  const height = Math.max(...placed.map((p) => p.at.y + p.card.height)) + PAD - top;
  const byId = new Map(placed.map((p) => [p.card.id, p]));
  const middle = (id: string): number => {
    const box = byId.get(containerOf(id));
    if (!box) return 0;
    const field = box.card.fields.findIndex((f) => f.id === id);
    const inside = field < 0 ? box.card.height / 2 : box.card.head + (field + 0.5) * box.card.fieldHeight;
    return box.at.y + inside;
  };
  const arrows = flows.flatMap((flow) => {
    const from = byId.get(containerOf(flow.from));
    const to = byId.get(containerOf(flow.to));
    if (!from || !to || from === to) return [];
    const x1 = from.at.x + from.card.width;
    const x2 = to.at.x - 4;
    const bend = Math.max(24, (x2 - x1) / 2);
    const [y1, y2] = [middle(flow.from), middle(flow.to)];
    const dash = flow.masked
      ? "7 5"
      : flow.kind === "influences"
        ? "2 4"
        : flow.origin === "declared"
          ? "14 3 2 3"
          : "";
    const colour = flow.masked ? "#6d3fc0" : "#8797a0";
    return [
      `<path d="M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}" fill="none" stroke="${colour}"` +
        ` stroke-width="1.5"${dash ? ` stroke-dasharray="${dash}"` : ""} marker-end="url(#arrow)"/>`,
    ];
  });
  const boxes = placed.map(({ card, at }) => {
    const job = card.kind === "job";
    const lines = card.fields.map(
      (field, i) =>
        `<text x="${at.x + 12}" y="${at.y + card.head + i * card.fieldHeight + 16}" font-family="monospace"` +
        ` font-size="11" fill="#52646e">${escaped(field.short)}</text>`,
    );
    const titles = card.lines.map(
      (line, i) =>
        `<text x="${at.x + 12}" y="${at.y + 25 + i * 17}" font-size="13" font-weight="600" fill="#16232a">` +
        `${escaped(line)}</text>`,
    );
    return (
      `<rect x="${at.x}" y="${at.y}" width="${card.width}" height="${card.height}" rx="${job ? 20 : 8}"` +
      ` fill="${job ? "#eef2f4" : "#ffffff"}" stroke="#8797a0"/>` +
      `${titles.join("")}${lines.join("")}`
    );
  });
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}"` +
    ` font-family="system-ui, sans-serif"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"` +
    ` markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#8797a0"/></marker></defs>` +
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#f6f8f9"/>${arrows.join("")}${boxes.join("")}</svg>`;
  return { svg, width, height };
}

/** The same as a PNG, at most 8,000 pixels a side. */
export async function toPng(drawn: { svg: string; width: number; height: number }): Promise<Blob> {
  const scale = Math.min(2, 8000 / Math.max(drawn.width, drawn.height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(drawn.width * scale);
  canvas.height = Math.ceil(drawn.height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be drawn."))), "image/png"),
  );
}
