// Times as a person's own clock has them, alone and inside sentences of the API.

const SHORT: Intl.DateTimeFormatOptions = {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};
const minutes = new Intl.DateTimeFormat("en-GB", SHORT);
const seconds = new Intl.DateTimeFormat("en-GB", { ...SHORT, second: "2-digit" });

/** "3 Dec 2026, 16:00" in the zone of the browser; what is no time stays as it is. */
export function localTime(at: string, to: "minute" | "second" = "minute"): string {
  const moment = Date.parse(at);
  if (Number.isNaN(moment)) return at;
  return (to === "minute" ? minutes : seconds).format(moment);
}

/** The same to the millisecond, where there is one: "3 Dec 2026, 16:00:15.045". What a record or a row holds is not rounded. */
export function exactLocalTime(at: string): string {
  const fraction = /\.(\d+)/.exec(at)?.[1]?.replace(/0+$/, "");
  return localTime(at, "second") + (fraction && !Number.isNaN(Date.parse(at)) ? `.${fraction}` : "");
}

/** `2026-12-03 15:00:15 UTC` as the API writes it in sentences, and `2026-12-03T15:00:15Z`. */
const TIME = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z\b| UTC\b)/g;

/** A sentence in parts: text, and the times in it as RFC 3339 in UTC. */
export function timesIn(sentence: string): { text: string; at?: string }[] {
  const parts: { text: string; at?: string }[] = [];
  let done = 0;
  for (const found of sentence.matchAll(TIME)) {
    if (found.index > done) parts.push({ text: sentence.slice(done, found.index) });
    parts.push({ text: found[0], at: `${found[1]}T${found[2]}Z` });
    done = found.index + found[0].length;
  }
  if (done < sentence.length) parts.push({ text: sentence.slice(done) });
  return parts;
}
