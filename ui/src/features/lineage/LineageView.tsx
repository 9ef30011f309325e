// The graph with what belongs beside it: level, depth, time, the chosen node, what is affected.
import { Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { useNamespaces } from "@/api/places";
import type { Basis } from "@/api/types";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { ErrorNotice, Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { GraphSearch } from "@/features/lineage/GraphSearch";
import { ALL, LineageBar } from "@/features/lineage/LineageBar";
import { SidePanel } from "@/features/lineage/SidePanel";
import { useGraphSearch } from "@/features/lineage/useGraphSearch";
import { useLineage, useLineageThen } from "@/features/lineage/useLineage";
import { changesText, compared } from "@/lib/compare";
import { earliest, flows, inSight, path, toggleKey, type Way } from "@/lib/graph";
import { grouped } from "@/lib/group";
import { isTyping } from "@/lib/keys";
import { containerOf, nodeIdOf, parseNodeId } from "@/lib/nodeId";
import { useFetched } from "@/lib/part";
import { Canvas } from "@/parts";
import "@/styles/lineage.css";

const BASES: readonly Basis[] = ["last_run", "contents"];
const BY = ["leaves", "place", "none"] as const;
const WAYS: Record<string, Way[]> = {
  both: ["upstream", "downstream"],
  upstream: ["upstream"],
  downstream: ["downstream"],
};

/** `root` may name its cluster: lineage itself writes the namespace. */
export function LineageView({ root }: { root: string }) {
  useFetched(Canvas);
  const namespaces = useNamespaces();
  const ref = parseNodeId(root);
  if (!namespaces.known) return <Loading />;
  return <View root={ref ? nodeIdOf({ ...ref, namespace: namespaces.of(ref.namespace) }) : root} />;
}

function View({ root }: { root: string }) {
  const [params, setParams] = useSearchParams();
  const column = root.startsWith("datasetField:");
  const level = (params.get("level") ?? (column ? "column" : "dataset")) as "dataset" | "column";
  const depth = Math.max(1, Number(params.get("depth")) || 1);
  const direction = params.get("direction") ?? "both";
  const asOf = params.get("asOf");
  const basis = BASES.find((one) => one === params.get("basis"));
  const chosen = params.get("chosen");
  const set = useCallback(
    (changes: Record<string, string | null>) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            value === null ? next.delete(name) : next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );

  // A field has no place among datasets: at that level its dataset is the root.
  const from = level === "dataset" ? containerOf(root) : root;
  const { graph, base, open, opening, failed } = useLineage({
    root: from,
    depth: Math.min(depth, ALL),
    level,
    asOf,
    basis,
  });
  const [toggles, setToggles] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [anchor, setAnchor] = useState(containerOf(root));
  const since = params.get("since");
  const then = useLineageThen({ root: from, depth: Math.min(depth, ALL), level, basis }, since);
  const comparison = useMemo(() => {
    const now = flows(graph, level === "column");
    return since && then.data ? compared(now, flows(then.data, level === "column")) : { flows: now, counts: null };
  }, [graph, level, since, then.data]);
  const all = comparison.flows;
  const known = useMemo(
    () => (since && then.data ? { ...graph, nodes: new Map([...then.data.nodes, ...graph.nodes]) } : graph),
    [graph, since, then.data],
  );
  const ways = WAYS[direction] ?? WAYS.both;
  const sight = useMemo(() => inSight(all, from, depth, ways ?? [], toggles), [all, from, depth, ways, toggles]);
  const lit = useMemo(() => (chosen ? path(all, chosen) : null), [all, chosen]);
  const shown = useMemo(
    () => all.filter((f) => sight.nodes.has(containerOf(f.from)) && sight.nodes.has(containerOf(f.to))),
    [all, sight],
  );

  const by = BY.find((one) => one === params.get("group")) ?? "leaves";
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const whole = useMemo(() => {
    const keep = new Set([containerOf(from), ...(chosen ? [containerOf(chosen)] : [])]);
    return grouped(shown, sight.nodes, keep, opened, by);
  }, [shown, sight, from, chosen, opened, by]);
  const search = useGraphSearch(whole.nodes, whole.groups, whole.shown);
  const openGroup = useCallback((group: string) => {
    if (/^group:(upstream|downstream):/.test(group)) setAnchor(group.replace(/^group:\w+:/, ""));
    setOpened((before) => new Set(before).add(group));
  }, []);

  const toggle = useCallback(
    (node: string, way: Way, opened: boolean) => {
      setAnchor(node);
      setToggles((before) => new Map(before).set(toggleKey(node, way), opened));
      if (opened) void open(node, way);
    },
    [open],
  );
  const choose = useCallback((id: string | null) => set({ chosen: id }), [set]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A menu or a dialog takes Escape for itself.
      if (event.key === "Escape" && !event.defaultPrevented && !isTyping(event.target)) choose(null);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [choose]);

  return (
    <div className="lineage">
      <LineageBar
        level={level}
        depth={depth}
        direction={direction}
        asOf={asOf}
        basis={basis ?? "last_run"}
        first={earliest(graph)}
        onChange={(changes) => {
          if ("depth" in changes || "direction" in changes) setToggles(new Map());
          set(changes);
        }}
        ungrouped={opened.size > 0}
        by={by}
        since={since}
        onGroup={() => setOpened(new Set())}
      >
        <GraphSearch {...search.bar} />
      </LineageBar>
      {base.isError && <ErrorNotice error={base.error} retry={() => void base.refetch()} />}
      {failed && <ErrorNotice error={failed.error} retry={failed.again} />}
      {then.isError && <ErrorNotice error={then.error} retry={() => void then.refetch()} />}
      {comparison.counts && (
        <Notice>
          <p>
            <strong>{changesText(comparison.counts)}</strong> since <When at={since} />.
          </p>
        </Notice>
      )}
      {graph.truncated && (
        <Notice tone="warn">The graph has more nodes than one answer can have; open nodes to see them.</Notice>
      )}
      <div className="lineage-columns">
        <div className="panel flush canvas" aria-busy={base.isFetching}>
          {base.isPending ? (
            <div style={{ padding: 20 }}>
              <Loading lines={5} label="Reading the graph" />
            </div>
          ) : base.data && all.length === 0 && base.data.columnsUnknown?.length ? (
            <Empty title="No columns are known here">
              <p>
                {[...new Set(base.data.columnsUnknown.map((flow) => flow.job ?? "A declaration"))].join(", ")} reported
                none. To get them: {base.data.columnsUnknown[0]?.way}.
              </p>
            </Empty>
          ) : base.data && all.length === 0 ? (
            <Empty title="No lineage is known here">
              <p>
                {asOf ? "Nothing was known at that time. " : ""}
                Jobs report it: point their OpenLineage client at this Weir's <code>/api/v1/lineage</code>.
              </p>
            </Empty>
          ) : (
            <Suspense fallback={<Loading label="Drawing" />}>
              <Canvas
                graph={known}
                shown={whole.shown}
                sight={sight}
                drawn={whole.nodes}
                groups={whole.groups}
                ways={ways ?? []}
                root={from}
                columns={level === "column"}
                chosen={chosen}
                lit={lit}
                anchor={anchor}
                opening={opening}
                matches={search.matches}
                found={search.found}
                fetching={base.isFetching}
                asked={`${depth} ${direction} ${asOf ?? ""} ${by} ${since ?? ""}`}
                onToggle={toggle}
                onChoose={choose}
                onOpen={openGroup}
              />
            </Suspense>
          )}
        </div>
        <SidePanel root={root} from={from} chosen={chosen} graph={known} flows={all} asOf={asOf} onChoose={choose} />
      </div>
    </div>
  );
}
