"""Finding nodes: by any name, by namespace, with what producers and the catalog say of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from catalog.columns import column_of
from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId, NodeId
from lineage.model import Direction, Edge, Kind, Node
from lineage.names import Names, Resolve, as_written, field_text
from lineage.parse import run_id_of
from lineage.ports import LineageGraph
from lineage.settings import LineageSettings

_VERSION = re.compile(r"#[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
"""How clients of Marquez name one version of a node; here a node is as it is at a moment (`asOf`)."""


class Finder:
    """The nodes of a graph. Every method may raise Unavailable naming Neo4j.

    owners   the owners of a dataset as the catalog knows them, as texts
    known    whether the catalog knows a dataset (or a field of it): then it is answered for even where no producer
             has said anything of it yet
    resolve  the catalog's names for datasets (cluster aliases)
    """

    def __init__(
        self,
        graph: LineageGraph,
        resolve: Resolve = as_written,
        settings: LineageSettings | None = None,
        owners: Callable[[DatasetId], Sequence[str]] | None = None,
        known: Callable[[DatasetId, str | None], bool] | None = None,
    ) -> None:
        self._graph, self._resolve = graph, resolve
        self._settings = settings or LineageSettings()
        self._owners, self._known = owners, known

    def find(self, node_id: str) -> Node:
        """The node of an id, under any of its names. Raises InvalidInput, NotFound with the nearest ids."""
        exact = self._graph.node(node_id)
        if exact is not None:
            return exact
        parsed = NodeId.parse(node_id)
        if parsed.kind != "job":
            dataset = self._canonical(DatasetId(parsed.namespace, parsed.name))
            parsed = self._as_lineage_names(dataset, parsed)
            wanted = dataset.node_id
            if parsed.field is not None:
                wanted = dataset.field_node_id(field_text(dataset, parsed.field))
            found = self._graph.node(wanted) or self._unspoken(dataset, wanted, parsed.field)
            if found is not None:
                return found
        if _VERSION.search(node_id):
            return self.find(_VERSION.sub("", node_id))
        near = self._graph.search_ids(node_id, 5)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise NotFound(f"Lineage knows no {node_id}.{hint}", details={"nodeId": node_id, "nearest": near})

    def namespaces(self) -> dict[str, tuple[int, int]]:
        """Namespace -> how many datasets and how many jobs lineage knows of it."""
        return self._graph.namespaces()

    def named_in(self, type: str, namespace: str | None, limit: int, offset: int = 0, holding: str = "") -> list[Node]:
        """Datasets or jobs (`type`: dataset | job) of a namespace, under any of its names, or of all; by id.

        `holding` leaves those whose name has this text in it.
        """
        if type == "dataset" and namespace is not None:
            namespace = self._resolve(namespace, "any").namespace
        return self._graph.named_in(type, namespace, limit, offset, holding)

    def job_of_run(self, run_id: str) -> Node | None:
        """The job whose newest run this is; None where there is none. Older runs are found by their job."""
        return self._graph.job_of_run(run_id_of(run_id))

    def dataset(self, node_id: str) -> tuple[Node, list[str]]:
        """A dataset and the fields that lineage knows of it. Raises InvalidInput, NotFound."""
        root = self.find(node_id)
        if root.type != "dataset":
            raise InvalidInput(f"{node_id} is a {root.type}, not a dataset.", details={"nodeId": node_id})
        fields = self._graph.fields_of(root.id, self._settings.node_budget)
        return root, [node.field for node in fields if node.field is not None]

    def _as_lineage_names(self, dataset: DatasetId, asked: NodeId) -> NodeId:
        """A column that was asked for by the catalog's path (`value.email` of a table) by its own name."""
        if asked.field is None or self._graph.node(dataset.field_node_id(field_text(dataset, asked.field))):
            return asked
        column = column_of(dataset, asked.field)
        exists = self._graph.node(dataset.field_node_id(column)) or (self._known and self._known(dataset, column))
        return replace(asked, field=column) if column != asked.field and exists else asked

    def _unspoken(self, dataset: DatasetId, node_id: str, column: str | None) -> Node | None:
        """A node for what exists though no producer spoke of it."""
        path = field_text(dataset, column) if column is not None else None
        exists = self._known is not None and self._known(dataset, path)
        if not exists and path is not None:  # of a dataset without column lineage, any field may be meant
            exists = self._graph.node(dataset.node_id) is not None and not self._graph.fields_of(dataset.node_id, 1)
        if not exists:
            return None
        return Node(node_id, "field" if path else "dataset", dataset.namespace, dataset.name, path)

    def _canonical(self, dataset: DatasetId) -> DatasetId:
        resolved = self._resolve(dataset.namespace, dataset.name)
        context = self._graph.context([resolved])
        return Names(self._resolve, context.links).dataset(dataset.namespace, dataset.name)

    def _id_of(self, dataset: DatasetId) -> str:
        return self._canonical(dataset).node_id

    def _nodes(self, ids: Collection[str]) -> dict[str, Node]:
        return self._graph.nodes(ids) if ids else {}

    def _tagged(self, nodes: Iterable[Node]) -> dict[str, Node]:
        """Fields with the tags that producers gave them with their datasets."""
        fields = [node for node in nodes if node.type == "field" and node.field is not None]
        datasets = self._nodes({DatasetId(node.namespace, node.name).node_id for node in fields})
        tags: dict[tuple[str, str, str], dict[str, str]] = {}
        for found in datasets.values():
            dataset = DatasetId(found.namespace, found.name)
            for column, given in (found.info.get("columnTags") or {}).items():
                tags[found.namespace, found.name, field_text(dataset, column)] = given
        return {
            node.id: replace(node, info={**node.info, "tags": tags[node.namespace, node.name, node.field]})
            for node in fields
            if node.field is not None and (node.namespace, node.name, node.field) in tags
        }

    def _owners_of(self, node: Node | None) -> tuple[str, ...]:
        """Owners as producers say and, for datasets, as the catalog says."""
        if node is None:
            return ()
        said = [str(owner["name"]) for owner in node.info.get("owners") or ()]
        if node.type != "job" and self._owners is not None:
            said = [*self._owners(DatasetId(node.namespace, node.name)), *said]
        return tuple(dict.fromkeys(said))

    def _closure(
        self, starts: Collection[str], kind: Kind, way: Direction, depth: int, at: int
    ) -> tuple[list[Edge], bool]:
        if not starts or depth < 1:
            return [], False
        closure = self._graph.closure(starts, kind, way, depth, at, self._settings.node_budget)
        return closure.edges, closure.truncated
