// What the records of a part are wrapped in, as a sentence.
import type { Envelope } from "@/api/types";

/** `value is an envelope (connect around debezium); the data is in value.payload.after and value.payload.before.` */
export function envelopeText(part: string, envelope: Envelope): string {
  const layers = envelope.layers.join(" around ");
  const inside = envelope.payload.join(" and ");
  const others = (envelope.records ?? 0) - (envelope.fits ?? 0);
  const fits = others > 0 ? ` ${others.toLocaleString("en")} of the records read are not in it.` : "";
  const hidden = envelope.unlisted.length;
  const unlisted = hidden > 0 ? ` Not listed: ${hidden} that only describe the data.` : "";
  return inside === part
    ? `The ${part} comes with an envelope (${layers}) in the headers or around its fields.${fits}`
    : `The ${part} is an envelope (${layers}); the data is in ${inside}.${fits}${unlisted}`;
}
