// Beside the graph: the chosen node, and what is affected when it changes.
import { X } from "lucide-react";
import { Link } from "react-router";
import { usePlaces } from "@/api/places";
import type { LineageNode } from "@/api/types";
import { AskLink } from "@/components/AskLink";
import { ClockAhead } from "@/components/ClockAhead";
import { LongName } from "@/components/LongName";
import { When } from "@/components/When";
import { ImpactList } from "@/features/lineage/ImpactList";
import { type Flow, type Graph, wayBetween } from "@/lib/graph";
import { nodeName } from "@/lib/graphText";
import { jobTitle } from "@/lib/jobTitle";
import { links, nodeLink } from "@/lib/links";
import { isHidden, parseNodeId } from "@/lib/nodeId";

export function SidePanel({
  root,
  from,
  chosen,
  graph,
  flows,
  asOf,
  onChoose,
}: {
  root: string;
  /** The root at the level that is drawn: a field's dataset among datasets. */
  from: string;
  chosen: string | null;
  graph: Graph;
  flows: Flow[];
  asOf: string | null;
  onChoose: (id: string | null) => void;
}) {
  const places = usePlaces();
  const id = chosen ?? root;
  const ref = parseNodeId(id);
  return (
    <aside className="panel stack side" aria-label="Chosen node">
      <div>
        <div className="spread" style={{ flexWrap: "nowrap" }}>
          <span className="muted small">{chosen ? `Chosen ${ref?.kind ?? ""}` : "Selected"}</span>
          {chosen && (
            <button
              type="button"
              className="button quiet icon small"
              aria-label="Choose nothing"
              onClick={() => onChoose(null)}
            >
              <X size={14} aria-hidden />
            </button>
          )}
        </div>
        <h2 className="anywhere">
          {isHidden(id) ? (
            nodeName(id)
          ) : (
            <Link to={nodeLink(id)}>
              <LongName of={nodeName(id)} />
            </Link>
          )}
        </h2>
        <p className="muted small anywhere">
          {isHidden(id) ? "Its owners keep it to others." : (places.get(ref?.namespace ?? "") ?? ref?.namespace)}
        </p>
      </div>
      {ref?.kind === "job" && jobTitle(ref.name) !== ref.name && (
        <p className="small anywhere">
          <span className="muted">Reported as</span> {ref.name}
        </p>
      )}
      <Said node={graph.nodes.get(id)} />
      {chosen && chosen !== from && <Way flows={flows} root={from} chosen={chosen} onChoose={onChoose} />}
      {chosen && !isHidden(chosen) && (
        <div className="row">
          <Link className="button small" to={links.lineage(chosen, ref?.kind === "field" ? { level: "column" } : {})}>
            Start from here
          </Link>
          {ref?.kind === "field" && (
            <AskLink className="button small" dataset={`${ref.namespace}/${ref.name}`} fields={[ref.field ?? ""]} />
          )}
        </div>
      )}
      {!isHidden(id) && <ImpactList node={id} asOf={asOf} onChoose={onChoose} />}
    </aside>
  );
}

/** How data gets from the root to the chosen node, or from it to the root: step by step, and where it is masked. */
function Way({
  flows,
  root,
  chosen,
  onChoose,
}: {
  flows: Flow[];
  root: string;
  chosen: string;
  onChoose: (id: string | null) => void;
}) {
  const down = wayBetween(flows, root, chosen);
  const way = down ?? wayBetween(flows, chosen, root);
  const first = way?.[0];
  if (!way || !first) return null;
  const stops = [
    { id: first.from, masked: false, unfinished: false },
    ...way.map((f) => ({ id: f.to, masked: f.masked, unfinished: f.unfinished })),
  ];
  return (
    <section aria-labelledby="way">
      <h3 id="way">{down ? "How it gets here" : "How it gets from here"}</h3>
      <ol className="way small">
        {stops.map(({ id, masked, unfinished }) => (
          <li key={id}>
            <button type="button" className="link anywhere" onClick={() => onChoose(id)}>
              {nodeName(id)}
            </button>
            {masked && <span className="badge mask">masked here</span>}
            {unfinished && <span className="badge warn">by a run that has not completed</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What producers said of a node. */
function Said({ node }: { node: LineageNode | undefined }) {
  if (!node) return null;
  const owners = (node.owners as unknown as ({ name?: string } | string)[] | undefined) ?? [];
  const facts: [string, string][] = [];
  if (typeof node.state === "string") facts.push(["State", node.state]);
  if (typeof node.processingType === "string") facts.push(["Runs as", String(node.processingType).toLowerCase()]);
  if (typeof node.integration === "string") facts.push(["By", node.integration]);
  if (owners.length > 0)
    facts.push(["Owners", owners.map((o) => (typeof o === "string" ? o : (o.name ?? ""))).join(", ")]);
  const seen = typeof node.seen === "string" ? node.seen : null;
  if (facts.length === 0 && !node.description && !seen && !node.clockAhead) return null;
  return (
    <dl className="facts small">
      {node.description && (
        <>
          <dt>About</dt>
          <dd>{node.description}</dd>
        </>
      )}
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {node.clockAhead && (
        <>
          <dt>Clock</dt>
          <dd>
            <ClockAhead of={node.clockAhead} />
          </dd>
        </>
      )}
      {seen && (
        <>
          <dt>Last seen</dt>
          <dd>
            <When at={seen} />
          </dd>
        </>
      )}
    </dl>
  );
}
