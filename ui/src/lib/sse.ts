// Server-sent events over fetch: EventSource cannot send an Authorization header.

export interface ServerEvent {
  event: string;
  data: string;
  id?: string;
}

/** Feeds on text as it arrives, in any cuts, and gives back the events that are whole. */
export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private id: string | undefined;

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    this.rest += text;
    // A carriage return at the very end may be the first half of CRLF: it waits for what follows.
    const ready = this.rest.endsWith("\r") ? this.rest.length - 1 : this.rest.length;
    const lines = this.rest.slice(0, ready).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + this.rest.slice(ready);
    for (const line of lines) {
      const whole = this.line(line);
      if (whole) found.push(whole);
    }
    return found;
  }

  private line(line: string): ServerEvent | null {
    if (line === "") return this.dispatch();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id") this.id = value;
    return null;
  }

  private dispatch(): ServerEvent | null {
    const { event, data, id } = this;
    this.event = "";
    this.data = [];
    if (data.length === 0) return null;
    return { event: event || "message", data: data.join("\n"), ...(id === undefined ? {} : { id }) };
  }
}

/** The events of a response body, until it ends or the request is aborted. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    reader.releaseLock();
  }
}

/** Whether the data of an `error` event means that the session or token is over, so that trying again is of no use. */
export function isSignedOut(data: string): boolean {
  try {
    return (JSON.parse(data) as { code?: string }).code === "not_signed_in";
  } catch {
    return false;
  }
}
