// The fields as a tree that folds, filters and stays quick at thousands of fields: only rows in sight are drawn.
// One stop of the Tab key; arrows move, as in any tree (the row in focus is told by aria-activedescendant).
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight, Filter } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import type { Classification, Field } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EntityBadge } from "@/components/EntityBadge";
import { ancestors, buildTree, filterTree, flatten, foldable, type TreeRow } from "@/lib/tree";
import { typeText } from "@/lib/types";

const ROW = 34;

export function SchemaTree({
  fields,
  classifications,
  selected,
  onSelect,
}: {
  fields: Field[];
  classifications: Map<string, Classification[]>;
  selected: string | null;
  onSelect: (path: string) => void;
}) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [personal, setPersonal] = useState(false);
  const tree = useMemo(() => buildTree(fields), [fields]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set());
  // What a filter finds is open, however the whole tree is folded; what is folded then is forgotten with the filter.
  const filter = `${text.trim()} ${personal}`;
  const [within, setWithin] = useState<{ of: string; closed: ReadonlySet<string> }>({ of: "", closed: new Set() });
  const filtering = text.trim() !== "" || personal;
  const nothing = useRef<ReadonlySet<string>>(new Set()).current;
  const closed = filtering ? (within.of === filter ? within.closed : nothing) : folded;
  const setClosed = useCallback(
    (next: ReadonlySet<string>) => (filtering ? setWithin({ of: filter, closed: next }) : setFolded(next)),
    [filtering, filter],
  );
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    if (!wanted && !personal) return tree;
    const holds = (paths: string[]) => paths.some((p) => classifications.get(p)?.some((c) => c.state !== "rejected"));
    return filterTree(tree, (n) => n.path.toLowerCase().includes(wanted) && (!personal || holds(n.paths)));
  }, [tree, text, personal, classifications]);
  const rows = useMemo(() => flatten(shown, closed), [shown, closed]);
  const [cursor, setCursor] = useState(0);
  const at = Math.min(cursor, Math.max(0, rows.length - 1));

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });

  // A link to a field opens what is above it and brings it into sight, once for each link.
  const brought = useRef<string | null>(null);
  useEffect(() => {
    if (!selected || brought.current === selected) return;
    const above = ancestors(tree, selected);
    if (above.some((p) => closed.has(p))) {
      setClosed(new Set([...closed].filter((p) => !above.includes(p))));
      return;
    }
    const index = rows.findIndex((r) => r.node.paths.includes(selected));
    if (index < 0) return;
    brought.current = selected;
    setCursor(index);
    virtual.scrollToIndex(index, { align: "auto" });
  }, [selected, tree, rows, closed, virtual, setClosed]);

  const fold = (path: string, shut: boolean) => {
    const next = new Set(closed);
    shut ? next.add(path) : next.delete(path);
    setClosed(next);
  };
  const go = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCursor(next);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  const choose = (row: TreeRow<Field>) => {
    const path = row.node.paths.at(-1) ?? row.node.path;
    brought.current = path;
    onSelect(path);
  };
  const keys = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row) return;
    const parent = rows.findLastIndex((r, i) => i < at && r.level < row.level);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(at + 12),
      PageUp: () => go(at - 12),
      ArrowRight: () => (row.open === false ? fold(row.node.path, false) : row.open && go(at + 1)),
      ArrowLeft: () => (row.open ? fold(row.node.path, true) : go(parent)),
      Enter: () => choose(row),
      " ": () => choose(row),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  return (
    <section className="panel flush" aria-label="Fields">
      <div className="panel-head">
        <div className="find" style={{ flex: "1 1 180px", maxWidth: 340 }}>
          <Filter size={15} aria-hidden />
          <input
            className="input"
            aria-label="Filter fields"
            placeholder="Filter fields"
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        </div>
        <div className="row">
          <label className="row small">
            <input type="checkbox" checked={personal} onChange={(e) => setPersonal(e.target.checked)} />
            personal data only
          </label>
          <button type="button" className="button quiet small" onClick={() => setClosed(new Set())}>
            Unfold
          </button>
          <button type="button" className="button quiet small" onClick={() => setClosed(new Set(foldable(tree)))}>
            Fold
          </button>
        </div>
      </div>
      {rows.length === 0 && (
        <p className="muted" style={{ padding: 16 }}>
          No field fits.
        </p>
      )}
      <div
        ref={scroller}
        className="tree"
        role="tree"
        aria-label="Schema"
        tabIndex={0}
        aria-activedescendant={rows[at] ? `${id}-${at}` : undefined}
        onKeyDown={keys}
      >
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="presentation">
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <Row
                key={row.node.path}
                id={`${id}-${item.index}`}
                row={row}
                top={item.start}
                here={item.index === at}
                selected={selected !== null && row.node.paths.includes(selected)}
                found={row.node.paths.flatMap((p) => classifications.get(p) ?? [])}
                onFold={() => fold(row.node.path, row.open === true)}
                onChoose={() => {
                  setCursor(item.index);
                  choose(row);
                }}
              />
            );
          })}
        </div>
      </div>
    </section>
  );
}

function Row({
  id,
  row,
  top,
  here,
  selected,
  found,
  onFold,
  onChoose,
}: {
  id: string;
  row: TreeRow<Field>;
  top: number;
  here: boolean;
  selected: boolean;
  found: Classification[];
  onFold: () => void;
  onChoose: () => void;
}) {
  const { node, level, open } = row;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys for its rows.
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={level}
      aria-selected={selected}
      aria-expanded={open ?? undefined}
      className={`tree-row ${here ? "here" : ""} ${selected ? "selected" : ""}`}
      style={{ transform: `translateY(${top}px)`, height: ROW }}
      onClick={onChoose}
    >
      <span className="tree-name" style={{ paddingLeft: (level - 1) * 18 }}>
        {open === null ? (
          <span className="tree-fold" />
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys fold; this is the mouse's way.
          // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys fold; this is the mouse's way.
          <span
            className="tree-fold"
            onClick={(event) => {
              event.stopPropagation();
              onFold();
            }}
          >
            <Chevron size={15} aria-hidden />
          </span>
        )}
        <span className="mono" title={node.path}>
          {node.label}
        </span>
        {found.slice(0, 1).map((c) => (
          <EntityBadge key={c.entity} of={c} />
        ))}
        {found.length > 1 && <span title={found.map((c) => c.entity).join(", ")}>+{found.length - 1}</span>}
      </span>
      <span className="tree-type muted small">{typeText(node.field, node.element)}</span>
      <span className="tree-presence">
        {node.field && node.field.presence !== null && level > 1 && <Bar share={node.field.presence} label="present" />}
      </span>
    </div>
  );
}
