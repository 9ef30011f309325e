// Does data of this get to that? The way, step by step, and where it is masked.
import { Link, useSearchParams } from "react-router";
import { useReach } from "@/api/lineage";
import type { Reached } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { NodePicker } from "@/features/lineage/NodePicker";
import { nodeName } from "@/lib/graphText";
import { nodeLink } from "@/lib/links";

export function Reach() {
  const [params, setParams] = useSearchParams();
  const from = params.get("from");
  const to = params.get("to");
  const reach = useReach(from, to);
  const set = (name: string, node: string | null) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        node ? next.set(name, node) : next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <section className="panel stack" aria-labelledby="reach">
      <h2 id="reach">Check path</h2>
      <div className="cards">
        <NodePicker label="From" value={from} onChange={(node) => set("from", node)} />
        <NodePicker label="To" value={to} onChange={(node) => set("to", node)} />
      </div>
      {from && to && <Answer of={reach}>{(found) => <Found of={found} />}</Answer>}
    </section>
  );
}

function Found({ of }: { of: Reached }) {
  if (!of.could) return <Notice tone="ok">No: no known way leads from the one to the other.</Notice>;
  const [first] = of.path ?? [];
  const stops = first
    ? [{ id: first.source, edge: null }, ...(of.path ?? []).map((e) => ({ id: e.target, edge: e }))]
    : [];
  return (
    <Notice tone={of.raw ? "warn" : "info"}>
      <p>
        <strong>{of.raw ? "Yes, with its raw value" : "Yes, but only masked"}</strong>
        {of.confirmed === false && ", as declared; no run has confirmed it"}.
      </p>
      <ol className="way small">
        {stops.map(({ id, edge }) => (
          <li key={id}>
            <Link to={nodeLink(id)}>{nodeName(id)}</Link>
            {edge?.job && <span className="muted"> by {nodeName(edge.job)}</span>}
            {edge?.masked && <span className="badge mask">masked here</span>}
            {edge?.seen && (
              <span className="muted">
                {" "}
                seen <When at={edge.seen} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </Notice>
  );
}
