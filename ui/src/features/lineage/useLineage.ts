// The graph as far as it was fetched: the root's surroundings first, more when a node is opened.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { fetchLineage } from "@/api/lineage";
import type { Basis, LineageAnswer } from "@/api/types";
import { emptyGraph, type Graph, merge, type Way } from "@/lib/graph";
import { containerOf } from "@/lib/nodeId";

export interface LineageAsked {
  root: string;
  depth: number;
  level: "dataset" | "column";
  asOf: string | null;
  basis: Basis | undefined;
}

/** Among columns, what is known of whole datasets comes too: flows of which nobody said which columns they take. */
async function fetchAround(asked: Parameters<typeof fetchLineage>[0], signal?: AbortSignal): Promise<LineageAnswer> {
  if (asked.level === "dataset") return fetchLineage(asked, signal);
  const whole = { ...asked, nodeId: containerOf(asked.nodeId), level: "dataset" as const };
  const [columns, datasets] = await Promise.all([
    fetchLineage(asked, signal).catch((error: unknown) => {
      // A field that no job names by column has no lineage of its own; its dataset may have.
      if (error instanceof ApiError && error.status === 404) return { nodes: [], edges: [], truncated: false };
      throw error;
    }),
    fetchLineage(whole, signal),
  ]);
  return {
    ...columns,
    nodes: [...columns.nodes, ...datasets.nodes],
    edges: [...columns.edges, ...datasets.edges.filter((e) => e.kind === "reads" || e.columns === "unknown")],
    truncated: columns.truncated || datasets.truncated,
  };
}

/** One hop more is fetched than is shown, so that a closed node can say how much it hides. */
export function useLineage({ root, depth, level, asOf, basis }: LineageAsked) {
  const base = useQuery({
    queryKey: ["lineage", root, depth, level, asOf, basis],
    queryFn: ({ signal }) =>
      fetchAround({ nodeId: root, direction: "both", depth: Math.min(100, depth + 1), level, asOf, basis }, signal),
    placeholderData: (before) => before,
  });
  const [more, setMore] = useState<Graph>(emptyGraph);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was opened belongs to one question.
  useEffect(() => setMore(emptyGraph()), [root, level, asOf, basis]);
  const [opening, setOpening] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ question: string; error: unknown; again: () => void } | null>(null);
  const question = `${root} ${level} ${asOf} ${basis}`;
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
      setFailed(null);
      try {
        const answer = await fetchAround({ nodeId: node, direction: way, depth: 2, level, asOf, basis });
        // An answer that comes after another question was asked is of another graph.
        if (asked.current === question) setMore((before) => merge(before, answer));
      } catch (error) {
        setFailed({ question, error, again: () => void open(node, way) });
      } finally {
        setOpening((now) => (now === node ? null : now));
      }
    },
    [level, asOf, basis, question],
  );
  return { graph, base, open, opening, failed: failed?.question === question ? failed : null };
}

/** The same surroundings at an earlier time, to compare with; null where none is asked for. */
export function useLineageThen({ root, depth, level, basis }: Omit<LineageAsked, "asOf">, since: string | null) {
  return useQuery({
    queryKey: ["lineage", root, depth, level, since, basis, "then"],
    enabled: since !== null,
    queryFn: async ({ signal }) =>
      merge(
        emptyGraph(),
        await fetchAround(
          { nodeId: root, direction: "both", depth: Math.min(100, depth + 1), level, asOf: since, basis },
          signal,
        ).catch((error: unknown) => {
          // Nothing was known of it then: everything is new.
          if (error instanceof ApiError && error.status === 404) return { nodes: [], edges: [], truncated: false };
          throw error;
        }),
      ),
  });
}
