// The value's fields as SQL sees them: columns with fields inside.
import type { Field } from "@/api/types";
import { buildTree, type TreeNode } from "@/lib/tree";
import { typeText } from "@/lib/types";

export interface Column {
  name: string;
  type: string;
  children: Column[];
}

function asColumn(node: TreeNode<Field>): Column {
  return {
    name: node.label.replace(/\[\]$/, ""),
    type: typeText(node.field, node.element),
    // Inside an array or a map SQL needs a function; only structs open with a dot.
    children: node.paths.length > 1 ? [] : node.children.filter((c) => c.kind === "field").map(asColumn),
  };
}

export function columnChildren(fields: readonly Field[]): Column[] {
  const value = buildTree(fields).find((n) => n.label === "value");
  return (value?.children ?? []).filter((c) => c.kind === "field").map(asColumn);
}
