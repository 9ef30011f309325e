import { expect, test } from "vitest";
import { EventParser, isSignedOut, type ServerEvent, serverEvents } from "@/lib/sse";

const STREAM =
  'event: columns\ndata: {"columns":[]}\n\n: a comment\n\nevent: rows\r\ndata: {"rows":[[1]]}\r\n\r\ndata: a\ndata: b\n\n';
const EVENTS: ServerEvent[] = [
  { event: "columns", data: '{"columns":[]}' },
  { event: "rows", data: '{"rows":[[1]]}' },
  { event: "message", data: "a\nb" },
];

test("events are the same however the text is cut", () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const parser = new EventParser();
    const found: ServerEvent[] = [];
    for (let at = 0; at < STREAM.length; at += size) found.push(...parser.push(STREAM.slice(at, at + size)));
    expect(found).toEqual(EVENTS);
  }
});

test("an event that never ends is never given", () => {
  expect(new EventParser().push("data: half")).toEqual([]);
});

test("the id is kept, a colon in the data stays", () => {
  expect(new EventParser().push("id: 7\ndata: a: b\n\n")).toEqual([{ event: "message", data: "a: b", id: "7" }]);
});

test("letters of several bytes cut in two are whole again", async () => {
  const bytes = new TextEncoder().encode("data: größe 漢字\n\n");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const found: ServerEvent[] = [];
  for await (const event of serverEvents(body)) found.push(event);
  expect(found).toEqual([{ event: "message", data: "größe 漢字" }]);
});

test("a stream ends for good with the session only", () => {
  expect(isSignedOut('{"code":"not_signed_in","message":"ended"}')).toBe(true);
  expect(isSignedOut('{"code":"unavailable","message":"company does not answer"}')).toBe(false);
  expect(isSignedOut("no JSON")).toBe(false);
});
