"""Spark's JSON of plans and expressions, as trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Node = Mapping[str, Any]


@dataclass(slots=True)
class Tree:
    """A node of a plan or an expression with its children."""

    node: Node
    children: list[Tree]

    @property
    def kind(self) -> str:
        return str(self.node.get("class", "")).rsplit(".", 1)[-1].rstrip("$")


def tree_of(nodes: Sequence[Node]) -> Tree:
    """Spark writes a tree as its nodes in order, each with the number of its children."""
    rest = iter(nodes)

    def build() -> Tree:
        node = next(rest)
        return Tree(node, [build() for _ in range(int(node.get("num-children", 0)))])

    return build()


def id_of(node: Node) -> str:
    expression_id = node.get("exprId") or {}
    return f"{expression_id.get('jvmId')}:{expression_id.get('id')}"


def several(expressions: Any) -> list[Any]:
    """One expression is a list of nodes, several are a list of those."""
    if not isinstance(expressions, list) or not expressions:
        return []
    return [expressions] if isinstance(expressions[0], Mapping) else expressions


def attributes(expressions: Any) -> list[tuple[str, str]]:
    trees = [each[0] for each in several(expressions) if each and isinstance(each[0], Mapping)]
    return [(str(node.get("name", "")), id_of(node)) for node in trees]
