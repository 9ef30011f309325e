// From the sources to the readers, as a picture.
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useNeighbours } from "@/api/lineage";
import { useNamespaces } from "@/api/places";
import type { View } from "@/api/types";
import { ViewState } from "@/features/views/ViewState";
import { links, nodeLink, referenceLink } from "@/lib/links";
import { datasetNode, parseNodeId } from "@/lib/nodeId";

/** The dataset that lineage knows as the view's result: its topic, or the view itself where that is private. */
export function resultOf(view: View): { cluster: string; name: string } | null {
  if (view.sink) return { cluster: view.sink.cluster, name: view.sink.topic };
  const first = view.sources[0];
  return first ? { cluster: first.slice(0, first.indexOf("/")), name: view.name } : null;
}

export function ViewFlow({ view }: { view: View }) {
  const result = resultOf(view);
  return (
    <section className="view-flow" aria-label="Flow">
      <Step title={view.sources.length === 1 ? "Source" : "Sources"}>
        {view.sources.length === 0 && <span className="muted">not known yet</span>}
        {view.sources.map((source) => (
          <Link key={source} className="anywhere" to={referenceLink(source)}>
            {source}
          </Link>
        ))}
      </Step>
      <Arrow />
      <Step title="View">
        <strong className="anywhere">{view.name}</strong>
        <ViewState state={view.state} />
        <span className="muted small">as {String(view.runAs.user ?? view.runAs.serviceAccount ?? "")}</span>
      </Step>
      <Arrow />
      <Step title="Topic">
        {view.sink ? (
          <Link className="anywhere" to={links.dataset(view.sink.cluster, view.sink.topic)}>
            {view.sink.cluster}/{view.sink.topic}
          </Link>
        ) : (
          <span className="muted">private</span>
        )}
      </Step>
      <Arrow />
      <Step title="Readers">
        {result ? <Readers of={result} /> : <span className="muted">none known</span>}
        <span className="muted small">and who reads its rows</span>
      </Step>
    </section>
  );
}

function Readers({ of }: { of: { cluster: string; name: string } }) {
  const namespaces = useNamespaces();
  const near = useNeighbours(datasetNode(namespaces.of(of.cluster), of.name));
  const ids = near.data?.downstream ?? [];
  if (ids.length === 0) return <span className="muted">no job is known by lineage</span>;
  return ids.map((id) => (
    <Link key={id} className="anywhere" to={nodeLink(id)}>
      {parseNodeId(id)?.name ?? id}
    </Link>
  ));
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="panel stack-s">
      <h3 className="small muted">{title}</h3>
      {children}
    </div>
  );
}

const Arrow = () => <ArrowRight size={18} aria-hidden className="muted" />;
