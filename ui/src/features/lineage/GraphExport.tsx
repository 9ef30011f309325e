import { Download } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type Card, FIELD_HEIGHT } from "@/features/lineage/cards";
import { download, downloadBlob } from "@/lib/download";
import type { Flow, Graph } from "@/lib/graph";
import { toPng, toSvg } from "@/lib/graphSvg";
import { toCsv, toDot, toMermaid } from "@/lib/graphText";
import type { Positions } from "@/lib/layout";

/** Taking the graph along: what is in sight as a picture or a text, what is known as JSON. */
export function GraphExport({
  graph,
  cards,
  shown,
  positions,
}: {
  graph: Graph;
  cards: Card[];
  shown: Flow[];
  positions: Positions;
}) {
  const picture = () =>
    toSvg(
      cards.map((card) => ({ ...card, fieldHeight: FIELD_HEIGHT })),
      shown,
      positions,
    );
  const json = () => JSON.stringify({ nodes: [...graph.nodes.values()], edges: [...graph.edges.values()] }, null, 2);
  const items: [string, () => unknown][] = [
    ["Picture (SVG)", () => download("lineage.svg", picture().svg, "image/svg+xml")],
    ["Picture (PNG)", async () => downloadBlob("lineage.png", await toPng(picture()))],
    ["Mermaid", () => download("lineage.mmd", toMermaid(shown), "text/plain")],
    ["Graphviz (DOT)", () => download("lineage.dot", toDot(shown), "text/vnd.graphviz")],
    ["CSV, one line per arrow", () => download("lineage.csv", toCsv(shown), "text/csv")],
    ["JSON", () => download("lineage.json", json(), "application/json")],
  ];
  return (
    <div className="graph-export">
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="button small" disabled={positions.size === 0}>
          <Download size={13} aria-hidden /> Export
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start" sideOffset={6}>
            <div className="caption">The visible graph</div>
            {items.map(([text, act]) => (
              <DropdownMenu.Item key={text} onSelect={() => void act()}>
                {text}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </div>
  );
}
