// The graph as far as it was fetched: the root's surroundings first, more when a node is opened.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { fetchLineage } from "@/api/lineage";
import { emptyGraph, type Graph, merge, type Way } from "@/lib/graph";

export interface LineageAsked {
  root: string;
  depth: number;
  level: "dataset" | "column";
  asOf: string | null;
}

/** One hop more is fetched than is shown, so that a closed node can say how much it hides. */
export function useLineage({ root, depth, level, asOf }: LineageAsked) {
  const base = useQuery({
    queryKey: ["lineage", root, depth, level, asOf],
    queryFn: ({ signal }) =>
      fetchLineage({ nodeId: root, direction: "both", depth: Math.min(100, depth + 1), level, asOf }, signal),
    placeholderData: (before) => before,
  });
  const [more, setMore] = useState<Graph>(emptyGraph);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was opened belongs to one question.
  useEffect(() => setMore(emptyGraph()), [root, level, asOf]);
  const [opening, setOpening] = useState<string | null>(null);
  const question = `${root} ${level} ${asOf}`;
  const asked = useRef(question);
  asked.current = question;

  const graph = useMemo(() => {
    const known = base.data ? merge(emptyGraph(), base.data) : emptyGraph();
    return {
      nodes: new Map([...known.nodes, ...more.nodes]),
      edges: new Map([...known.edges, ...more.edges]),
      truncated: known.truncated || more.truncated,
    };
  }, [base.data, more]);

  const open = useCallback(
    async (node: string, way: Way) => {
      setOpening(node);
      try {
        const answer = await fetchLineage({ nodeId: node, direction: way, depth: 2, level, asOf });
        // An answer that comes after another question was asked is of another graph.
        if (asked.current === question) setMore((before) => merge(before, answer));
      } finally {
        setOpening((now) => (now === node ? null : now));
      }
    },
    [level, asOf, question],
  );
  return { graph, base, open, opening };
}
