import { CHANGE_COLOUR, type FlowChange } from "@/lib/compare";
import type { Flow } from "@/lib/graph";

const CHANGES: [FlowChange, string][] = [
  ["added", "new"],
  ["removed", "gone"],
  ["masked", "masked now"],
  ["unmasked", "unmasked now"],
];

/** What the lines mean, of those that are drawn. */
export function Legend({ shown, columns }: { shown: readonly Flow[]; columns: boolean }) {
  return (
    <ul className="legend small" aria-label="What the lines mean">
      <li>
        <i /> value flows
      </li>
      <li>
        <i className="masked" /> only masked
      </li>
      {columns && (
        <li>
          <i className="influences" /> condition or join
        </li>
      )}
      {shown.some((f) => f.change) &&
        CHANGES.filter(([change]) => shown.some((f) => f.change === change)).map(([change, text]) => (
          <li key={change}>
            <i style={{ borderTopColor: CHANGE_COLOUR[change], borderTopWidth: 3 }} /> {text}
          </li>
        ))}
      {shown.some((f) => f.origin === "declared") && (
        <li>
          <i className="declared" /> declared, not seen to run
        </li>
      )}
      {shown.some((f) => f.stale) && (
        <li>
          <i className="stale" /> not confirmed lately
        </li>
      )}
    </ul>
  );
}
