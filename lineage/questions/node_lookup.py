"""Finding nodes: by any name, by namespace, with what producers and the catalog know of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from catalog.columns import column_of
from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId, NodeId
from catalog.near_names import did_you_mean
from lineage.ingest.parse import run_id_of
from lineage.model import Basis, Direction, Edge, Kind, Node, parts_of
from lineage.names import Names, Resolve, as_written
from lineage.ports import LineageGraph
from lineage.settings import LineageSettings

_VERSION = re.compile(r"#[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
"""How clients of Marquez name one version of a node; here a node is as it is at a moment (`asOf`)."""


AT_ONCE = 500
"""Datasets that the graph is asked for in one question."""


class Finder:
    """The nodes of a graph. Every method may raise Unavailable naming Neo4j.

    owners   the owners of a dataset as the catalog knows them, as texts
    known    whether the catalog knows a dataset (or a field of it): then it has an answer even where no producer
             has reported anything of it yet
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
        """The node of an id, under any of its names. Raises InvalidInput, NotFound with the nearest ids.

        A typed id that can be split in several ways means the node that exists.
        """
        exact = self._graph.node(node_id)
        if exact is not None:
            return exact
        strict, problem = None, None
        try:
            strict = NodeId.parse(node_id)
        except InvalidInput as error:
            problem = error
        node = self._named(strict) if strict is not None else None
        if node is None and _VERSION.search(node_id):
            return self.find(_VERSION.sub("", node_id))
        node = node or self._read(node_id) or (self._unspoken(strict) if strict is not None else None)
        if node is not None:
            return node
        if problem is not None:
            raise problem
        near = self._graph.search_ids(node_id, 5)
        hint = did_you_mean(near[:1], lead=" ")
        raise NotFound(f"Lineage knows no {node_id}.{hint}", details={"nodeId": node_id, "nearest": near})

    def of(self, dataset: DatasetId, field: str | None = None) -> Node | None:
        """The node of a dataset, or of a field of it, under any name of the dataset; None where nobody knows of it.

        Unlike an id that somebody typed, these parts can be read in one way.
        """
        text = dataset.field_node_id(field) if field is not None else dataset.node_id
        exact = self._graph.node(text)
        if exact is not None:
            return exact
        node_id = NodeId("dataset" if field is None else "field", dataset.namespace, dataset.name, field)
        return self._named(node_id) or self._unspoken(node_id)

    def in_graph(self, datasets: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        """Those of these datasets that producers reported, each with its name in the graph; a few questions for all."""
        named: dict[DatasetId, DatasetId] = {}
        wanted = sorted(set(datasets))
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            links = self._graph.context([self._resolve(each.namespace, each.name) for each in some]).links
            names = Names(self._resolve, links)
            ways = {each: (each, names.dataset(each.namespace, each.name)) for each in some}
            nodes = self._nodes({way.node_id for each in ways.values() for way in each})
            for each, (written, canonical) in ways.items():
                known = [way for way in (written, canonical) if way.node_id in nodes]
                if known:
                    named[each] = known[0]
        return named

    def _named(self, node_id: NodeId) -> Node | None:
        """The node in the graph that these parts mean, under any name of its dataset."""
        return self._graph.node(str(node_id)) or (
            None if node_id.kind == "job" else self._graph.node(str(self._canonical_node(node_id)))
        )

    def _canonical_node(self, node_id: NodeId) -> NodeId:
        dataset = self._canonical(node_id.dataset)
        column = Names(self._resolve).column(dataset, node_id.field) if node_id.field is not None else None
        if column is not None:
            column = self._as_lineage_names(dataset, column)
        return NodeId(node_id.kind, dataset.namespace, dataset.name, column)

    def _as_lineage_names(self, dataset: DatasetId, column: str) -> str:
        """A column that was asked for by the catalog's path (`value.email` of a table) by its own name."""
        name = column_of(dataset, column)
        if name == column or self._graph.node(dataset.field_node_id(column)):
            return column
        exists = self._graph.node(dataset.field_node_id(name)) or (self._known and self._known(dataset, name))
        return name if exists else column

    def _read(self, text: str) -> Node | None:
        """The one node that a typed text means, whichever of its colons separate. Raises InvalidInput for several."""
        ways = {str(way): way for way in NodeId.readings(text)}
        nodes = self._nodes(ways)
        if not nodes and self._known is not None:
            known = [way for way in ways.values() if way.kind != "job" and self._known(way.dataset, way.field)]
            nodes = {str(way): Node(str(way), way.kind, way.namespace, way.name, way.field) for way in known}
        if len(nodes) > 1:
            raise InvalidInput(
                f"{text} may mean {len(nodes)} nodes; write one of {', '.join(sorted(nodes))}.",
                details={"nodeId": text, "candidates": sorted(nodes)},
            )
        return next(iter(nodes.values()), None)

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

    def _unspoken(self, node_id: NodeId) -> Node | None:
        """A node for what exists though no producer reported it."""
        if node_id.kind == "job":
            return None
        node = self._canonical_node(node_id)
        exists = self._known is not None and self._known(node.dataset, node.field)
        if not exists and node.field is not None:  # of a dataset without column lineage, any field may be meant
            holder = node.dataset.node_id
            exists = self._graph.node(holder) is not None and not self._graph.fields_of(holder, 1)
        return Node(str(node), node.kind, node.namespace, node.name, node.field) if exists else None

    def _canonical(self, dataset: DatasetId) -> DatasetId:
        resolved = self._resolve(dataset.namespace, dataset.name)
        context = self._graph.context([resolved])
        return Names(self._resolve, context.links).dataset(dataset.namespace, dataset.name)

    def _id_of(self, dataset: DatasetId) -> str:
        return self._canonical(dataset).node_id

    def _nodes(self, ids: Collection[str]) -> dict[str, Node]:
        return self._graph.nodes(ids) if ids else {}

    def _ends(self, ids: Collection[str]) -> dict[str, Node]:
        """The nodes at the ends of edges that were just read: a field is all in its id, and not asked for again."""
        fields = [parts_of(node_id) for node_id in ids if node_id.startswith("datasetField:")]
        field_nodes = [Node(str(node), "field", node.namespace, node.name, node.field) for node in fields]
        return self._nodes([node_id for node_id in ids if not node_id.startswith("datasetField:")]) | {
            n.id: n for n in field_nodes
        }

    def _tagged(self, nodes: Iterable[Node]) -> dict[str, Node]:
        """Fields with the tags that producers gave them with their datasets."""
        fields = [node for node in nodes if node.type == "field" and node.field is not None]
        datasets = self._nodes({DatasetId(node.namespace, node.name).node_id for node in fields})
        tags: dict[tuple[str, str, str], dict[str, str]] = {}
        names = Names(self._resolve)
        for holder in datasets.values():
            dataset = DatasetId(holder.namespace, holder.name)
            for column, column_tags in (holder.info.get("columnTags") or {}).items():
                tags[holder.namespace, holder.name, names.column(dataset, column)] = column_tags
        return {
            node.id: replace(node, info={**node.info, "tags": tags[node.namespace, node.name, node.field]})
            for node in fields
            if node.field is not None and (node.namespace, node.name, node.field) in tags
        }

    def _owners_of(self, node: Node | None) -> tuple[str, ...]:
        """Owners that producers report and, for datasets, those of the catalog."""
        if node is None:
            return ()
        owners = [str(owner["name"]) for owner in node.info.get("owners") or ()]
        if node.type != "job" and self._owners is not None:
            owners = [*self._owners(DatasetId(node.namespace, node.name)), *owners]
        return tuple(dict.fromkeys(owners))

    def _closure(
        self,
        starts: Collection[str],
        kind: Kind,
        way: Direction,
        depth: int,
        at: int,
        basis: Basis = Basis.LAST_RUN,
    ) -> tuple[list[Edge], bool]:
        if not starts or depth < 1:
            return [], False
        closure = self._graph.closure(starts, kind, way, depth, at, self._settings.node_budget, basis)
        return closure.edges, closure.truncated
