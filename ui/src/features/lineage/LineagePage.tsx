// Lineage by itself: choose where to start, then the graph.
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useSearch } from "@/api/catalog";
import { Empty } from "@/components/Empty";
import { LongName } from "@/components/LongName";
import { PageHead } from "@/components/PageHead";
import { LineageView } from "@/features/lineage/LineageView";
import { nodeOf } from "@/features/lineage/NodePicker";
import { Reach } from "@/features/lineage/Reach";
import { links, nodeLink } from "@/lib/links";
import { parseNodeId } from "@/lib/nodeId";
import "@/styles/lineage.css";

export default function LineagePage() {
  const [params] = useSearchParams();
  const node = params.get("node");
  const ref = node ? parseNodeId(node) : null;
  if (!node) return <Start />;
  const name = ref ? [ref.name, ref.field].filter(Boolean).join(" · ") : node;
  return (
    <div className="page wide">
      <PageHead
        title={`Lineage of ${name}`}
        shown={
          <>
            Lineage of{" "}
            <Link to={nodeLink(node)}>
              <LongName of={name} />
            </Link>
          </>
        }
      >
        <Link className="button" to={links.lineage()}>
          Change start
        </Link>
      </PageHead>
      <LineageView root={node} />
    </div>
  );
}

function Start() {
  const [text, setText] = useState("");
  const found = useSearch({ q: text }, 6);
  const hits = found.data?.hits ?? [];
  return (
    <div className="page">
      <PageHead title="Lineage" lead="Where data comes from and where it goes. Start from a dataset or a field." />
      <input
        className="input"
        style={{ maxWidth: 520 }}
        aria-label="A dataset or field to start from"
        placeholder="A dataset or field to start from"
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      <div className="panel flush" style={{ maxWidth: 820 }}>
        {found.data && hits.length === 0 ? (
          <Empty title="Nothing found">
            <p>
              Lineage comes from jobs: point their OpenLineage client at this Weir's <code>/api/v1/lineage</code>.
            </p>
          </Empty>
        ) : (
          <ul className="list">
            {hits.map((hit) => {
              const id = nodeOf(hit);
              return (
                <li key={id}>
                  <Link to={links.lineage(id, hit.path ? { level: "column" } : {})} className="strong">
                    {hit.name}
                    {hit.path && ` · ${hit.path}`}
                  </Link>{" "}
                  <span className="muted small">{hit.cluster ?? hit.namespace}</span>
                </li>
              );
            })}
          </ul>
        )}
      </div>
      <Reach />
    </div>
  );
}
