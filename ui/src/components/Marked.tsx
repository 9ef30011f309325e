import { markedPieces } from "@/lib/highlight";

/** A text with what a search hit marked; `marked` is the API's highlight of it, where there is one. */
export function Marked({ text, marked }: { text: string; marked?: string | undefined }) {
  if (marked === undefined) return text;
  return markedPieces(marked).map((piece, i) => (piece.hit ? <mark key={i}>{piece.text}</mark> : piece.text));
}
