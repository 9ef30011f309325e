"""A connector as it is shown: what was declared, how it is at its worker, and what of that the caller may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from api.features.connectors import answers
from api.joins.connectors.places import Server
from catalog.model import NodeId
from catalog.records import DeclaredDocument, rfc3339
from connectors.config import Difference
from connectors.failures import sentence
from connectors.model import Live, Task
from lineage.observed.connect import worker_name
from lineage.observed.connector_datasets import Connector as Observed
from lineage.observed.connector_datasets import mapped

_UNKNOWN = "Its state is not known; its owners and who may manage see why."
_CLOSED = "It failed; its owners and who may manage see why."


class _Columns(TypedDict):
    """What the list and the description of a connector have in common."""

    name: str
    state: str
    type: Literal["source", "sink"] | None
    plugin: str
    cluster: str
    worker: str | None
    tasks: list[answers.ConnectorTask]
    error: str | None
    differs: list[str]
    pending: answers.ConnectorPending | None
    dead_letters: str | None
    description: str
    owners: list[dict[str, object]]
    may: answers.ConnectorMayDo


class ConnectorState:
    """Filled step by step: what the worker does not answer stays open."""

    def __init__(
        self, document: DeclaredDocument, pending: DeclaredDocument | None, *, operates: bool, sees: bool
    ) -> None:
        """`sees`: why it failed, and what differs from the declaration."""
        self._document, self._pending, self._operates, self._sees = document, pending, operates, sees
        self._server: Server | None = None
        self._topics: Sequence[str] = ()
        self._differences: list[Difference] = []
        self._state, self._error = "unknown", ""
        self.live: Live | None = None

    def at(self, server: Server, live: Live | None, topics: Sequence[str] = ()) -> None:
        self._server, self.live, self._topics = server, live, topics
        if live is None:
            self._state = "missing"
            self._error = "The worker does not have it; apply its document again to create it."
            return
        failed = [task for task in live.tasks if task.state == "FAILED"]
        self._state = "failed" if failed else live.state.lower()
        trace = live.trace or (failed[0].trace if failed else "")
        self._error = self._reason(trace) if self._state == "failed" else ""

    def unknown(self, message: str) -> None:
        """The worker could not be asked, or a secret could not be read; the message names where that is."""
        self._error = self._error or (message if self._sees else _UNKNOWN)

    def differs(self, changes: list[Difference]) -> None:
        self._differences = changes

    def row(self) -> answers.ConnectorRow:
        """As in the list."""
        return answers.ConnectorRow(**self._columns())

    def described(self) -> answers.DescribedConnector:
        """As it is described alone."""
        topics: Sequence[str] = ()
        outside: list[str] = []
        job: str | None = None
        if self.live is not None and self._server is not None:
            ends = mapped(
                Observed(self.live.name, self.live.kind, self.live.state, self.live.config, tuple(self._topics))
            )
            topics = ends.topics
            outside = [f"{namespace}/{name}" for namespace, name in ends.outside]
            job = str(NodeId("job", worker_name(self._server["url"]), self.live.name))
        return answers.DescribedConnector(
            **self._columns(), topics=list(topics), outside=outside, job=job, drift=self._drift()
        )

    def _columns(self) -> _Columns:
        spec, live = self._document.spec, self.live
        return {
            "name": self._document.key,
            "state": self._state,
            "type": live.kind if live is not None else None,
            "plugin": spec["plugin"],
            "cluster": spec["cluster"],
            "worker": self._server["url"] if self._server is not None else None,
            "tasks": [self._task(each) for each in live.tasks] if live is not None else [],
            "error": self._error or None,
            "differs": [each.field for each in self._differences],
            "pending": _pending(self._pending, self._sees),
            "dead_letters": (spec.get("deadLetters") or {}).get("topic"),
            "description": spec.get("description", ""),
            "owners": spec.get("owners", []),
            "may": answers.ConnectorMayDo(operate=self._operates),
        }

    def _drift(self) -> list[answers.ConnectorDrift] | None:
        if not self._sees:
            return None
        return [
            answers.ConnectorDrift(field=each.field, declared=each.declared, actual=each.actual)
            for each in self._differences
        ]

    def _task(self, task: Task) -> answers.ConnectorTask:
        error = self._reason(task.trace) if task.state == "FAILED" else None
        return answers.ConnectorTask(id=task.id, state=task.state.lower(), worker=task.worker, error=error)

    def _reason(self, trace: str) -> str:
        if not self._sees:
            return _CLOSED
        config: Mapping[str, Any] = self._document.spec.get("config") or {}
        known = {value for value in config.values() if isinstance(value, str)} | set(self._topics)
        return sentence(trace, known)


def leaving(name: str, pending: DeclaredDocument, operates: bool) -> answers.ConnectorRow:
    """A connector without a document that its worker may still have."""
    server: Server = next((each for each in pending.spec.get("leave", []) if each), {})
    return answers.ConnectorRow(
        name=name,
        state="deleting",
        type=None,
        plugin="",
        cluster="",
        worker=server.get("url"),
        tasks=[],
        error=None,
        differs=[],
        pending=_pending(pending, operates),
        dead_letters=None,
        description="",
        owners=[],
        may=answers.ConnectorMayDo(operate=operates),
    )


def _pending(pending: DeclaredDocument | None, sees: bool) -> answers.ConnectorPending | None:
    if pending is None:
        return None
    reason = pending.spec.get("reason") if sees else None
    return answers.ConnectorPending(since=rfc3339(pending.applied_at), reason=reason)
