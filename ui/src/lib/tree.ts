// A schema's flat list of fields as a tree that folds and filters.
import { parsePath, type Step, stepText } from "@/lib/paths";

/** What one row of the tree stands for. An array and its elements share a row; so `paths` may hold two. */
export interface TreeNode<F> {
  path: string;
  paths: string[];
  label: string;
  kind: Step["kind"];
  field: F | null;
  element: F | null;
  children: TreeNode<F>[];
}

export interface TreeRow<F> {
  node: TreeNode<F>;
  level: number;
  open: boolean | null;
}

const ORDER: Record<string, number> = { key: 0, value: 1, headers: 2 };

/** Builds the tree. A parent that the list leaves out gets a node with `field: null`. */
export function buildTree<F extends { path: string }>(fields: readonly F[]): TreeNode<F>[] {
  const roots: TreeNode<F>[] = [];
  const byPath = new Map<string, TreeNode<F>>();
  for (const field of fields) {
    const steps = parsePath(field.path) ?? [{ kind: "root", name: field.path } as Step];
    let path = "";
    let siblings = roots;
    for (const step of steps) {
      path += stepText(step);
      let node = byPath.get(path);
      if (!node) {
        node = {
          path,
          paths: [path],
          label: step.kind === "key" ? stepText(step) : step.name,
          kind: step.kind,
          field: null,
          element: null,
          children: [],
        };
        byPath.set(path, node);
        siblings.push(node);
      }
      siblings = node.children;
    }
    const last = byPath.get(path);
    if (last) last.field = field;
  }
  roots.sort((a, b) => (ORDER[a.label] ?? 3) - (ORDER[b.label] ?? 3));
  return roots.map(joinElements);
}

function joinElements<F>(node: TreeNode<F>): TreeNode<F> {
  const children = node.children.map(joinElements);
  const only = children[0];
  if (children.length === 1 && only?.kind === "elements") {
    return {
      ...node,
      label: `${node.label}${only.label}`,
      paths: [...node.paths, ...only.paths],
      element: only.field ?? only.element,
      children: only.children,
    };
  }
  return { ...node, children };
}

/** The nodes that `keep`, with their ancestors. A kept node keeps what is inside it only where that is kept too. */
export function filterTree<F>(nodes: TreeNode<F>[], keep: (node: TreeNode<F>) => boolean): TreeNode<F>[] {
  const kept: TreeNode<F>[] = [];
  for (const node of nodes) {
    const children = filterTree(node.children, keep);
    if (children.length > 0 || keep(node)) kept.push({ ...node, children });
  }
  return kept;
}

/** The rows to draw: everything whose ancestors are open. `closed` holds the paths that are folded. */
export function flatten<F>(nodes: TreeNode<F>[], closed: ReadonlySet<string>, level = 1): TreeRow<F>[] {
  const rows: TreeRow<F>[] = [];
  for (const node of nodes) {
    const open = node.children.length > 0 ? !closed.has(node.path) : null;
    rows.push({ node, level, open });
    if (open) for (const row of flatten(node.children, closed, level + 1)) rows.push(row);
  }
  return rows;
}

/** Every path with something inside, deepest levels included. */
export function foldable<F>(nodes: TreeNode<F>[]): string[] {
  return nodes.flatMap((n) => (n.children.length > 0 ? [n.path, ...foldable(n.children)] : []));
}

/** The paths above a field, so that it can be shown. */
export function ancestors<F>(nodes: TreeNode<F>[], path: string): string[] {
  for (const node of nodes) {
    if (node.paths.includes(path)) return [];
    const below = ancestors(node.children, path);
    if (below.length > 0 || node.children.some((c) => c.paths.includes(path))) return [node.path, ...below];
  }
  return [];
}
