// What a search marked. The API escapes its texts and puts `<em>` around hits; here they become pieces, never HTML.

export interface Piece {
  text: string;
  hit: boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
}

export function markedPieces(marked: string): Piece[] {
  return marked
    .split(/(<em>.*?<\/em>)/s)
    .filter((part) => part !== "")
    .map((part) => {
      const hit = part.startsWith("<em>");
      return { text: plain(hit ? part.slice(4, -5) : part), hit };
    });
}
