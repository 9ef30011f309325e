// Screenshots as PNGs of 256 colours: a third of the size, and the eye sees no difference on pages of flat colours.
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";

interface Indexed {
  width: number;
  height: number;
  palette: number[];
  pixels: string; // base64, one byte a pixel
}

/** Chooses the colours and finds each pixel's nearest. Runs in a page, which knows how to read a PNG. */
async function toPalette(source: string): Promise<Indexed> {
  const blob = await (await fetch(source)).blob();
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const colours = new Uint32Array(width * height);
  const count = new Map<number, number>();
  for (let i = 0; i < colours.length; i++) {
    const at = i * 4;
    const colour = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
    colours[i] = colour;
    count.set(colour, (count.get(colour) ?? 0) + 1);
  }
  const far = (a: number, b: number) =>
    ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
  // The most frequent colours, none nearer to another chosen one than the eye tells apart.
  const palette: number[] = [];
  for (const [colour] of [...count].sort((a, b) => b[1] - a[1])) {
    if (palette.length === 256) break;
    if (palette.every((p) => far(p, colour) > 60)) palette.push(colour);
  }
  const nearest = new Map<number, number>();
  let text = "";
  for (const colour of colours) {
    let index = nearest.get(colour);
    if (index === undefined) {
      index = palette.reduce((best, p, i) => (far(p, colour) < far(palette[best] ?? 0, colour) ? i : best), 0);
      nearest.set(colour, index);
    }
    text += String.fromCharCode(index);
  }
  return { width, height, palette, pixels: btoa(text) };
}

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.from(type, "latin1");
  const whole = Buffer.alloc(12 + body.length);
  whole.writeUInt32BE(body.length, 0);
  head.copy(whole, 4);
  body.copy(whole, 8);
  whole.writeUInt32BE(crc32(Buffer.concat([head, body])), 8 + body.length);
  return whole;
}

/** `scratch` is a blank page: the page of the picture itself lets no image be read (Content-Security-Policy). */
export async function smallPng(scratch: Page, png: Buffer): Promise<Buffer> {
  const { width, height, palette, pixels } = await scratch.evaluate(
    toPalette,
    `data:image/png;base64,${png.toString("base64")}`,
  );
  const bytes = Buffer.from(pixels, "base64");
  const lines = Buffer.alloc((width + 1) * height); // each line begins with its filter: 0, none
  for (let y = 0; y < height; y++) bytes.copy(lines, y * (width + 1) + 1, y * width, (y + 1) * width);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // eight bits a pixel, by palette
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
