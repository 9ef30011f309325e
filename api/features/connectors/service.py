"""What people ask of connectors: which there are, how they are, and operating them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Literal

from api.features.connectors import answers
from api.features.connectors.connector_state import ConnectorState, leaving
from api.joins.connectors.places import KIND, PENDING, Places, Server, same_way, spec_of
from api.joins.connectors.readers import owns
from catalog.errors import NotFound, WeirError
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from connectors.config import Difference, differences
from connectors.model import Live
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.model import Subject

Operation = Literal["restart", "pause", "resume", "stop"]
_AUDITED: Mapping[Operation, AuditAction] = {
    "restart": "connector.restart",
    "pause": "connector.pause",
    "resume": "connector.resume",
    "stop": "connector.stop",
}
_STATES = {"pause": "paused", "resume": "running", "stop": "stopped"}


class Connectors:
    """The service behind `/api/v1/connectors`. Safe for threads."""

    def __init__(
        self, store: CatalogStore, places: Places, audit: AuditLog, manages: Callable[[Subject], bool]
    ) -> None:
        """`manages`: whether somebody may operate connectors, and see why they fail and what differs."""
        self._store, self._places, self._audit, self._manages = store, places, audit, manages

    def all(
        self, subject: Subject, seen: Callable[[DeclaredDocument], bool] = lambda _: True
    ) -> list[answers.ConnectorRow]:
        """Each declared connector that is `seen`, and those that are still to be deleted at a worker, by name; each worker is
        asked once."""
        asked: dict[str, Mapping[str, Live] | WeirError] = {}
        documents = {each.key: each for each in self._store.documents(KIND) if seen(each)}
        hidden = {each.key for each in self._store.documents(KIND)} - documents.keys()
        waiting = {each.key: each for each in self._store.documents(PENDING) if each.key not in hidden and seen(each)}
        rows = []
        for name in sorted(documents.keys() | waiting.keys()):
            document = documents.get(name)
            if document is None:
                rows.append(leaving(name, waiting[name], self._manages(subject)))
                continue
            shown = self._shown(subject, document, waiting.get(name))
            try:
                server = self._places.made_at(document.key, document.spec)
                key = repr(server)
                if key not in asked:
                    asked[key] = self._all_of(server)
                answer = asked[key]
                if isinstance(answer, WeirError):
                    raise answer
                shown.at(server, answer.get(name))
                self._compare(shown, document, server)
            except WeirError as error:
                shown.unknown(error.message)
            rows.append(shown.row())
        return rows

    def describe(self, subject: Subject, name: str) -> answers.DescribedConnector:
        """One connector with its tasks, topics, and what differs. Raises NotFound."""
        document = self._find(name)
        shown = self._shown(subject, document, self._store.document(PENDING, name))
        try:
            server = self._places.made_at(document.key, document.spec)
            worker = self._places.worker(server)
            live = worker.get(name)
            shown.at(server, live, worker.topics(name) if live is not None else ())
            self._compare(shown, document, server)
        except WeirError as error:
            shown.unknown(error.message)
        return shown.described()

    def plugins(self, cluster: str) -> answers.ConnectorPlugins:
        """Connector classes of a cluster's worker. Raises InvalidInput, Unavailable."""
        worker = self._places.worker(self._places.server({"cluster": cluster}))
        plugins = [
            answers.ConnectorPlugin(plugin=each.name, type=each.kind, version=each.version) for each in worker.plugins()
        ]
        return answers.ConnectorPlugins(plugins=plugins)

    def operate(self, subject: Subject, name: str, action: Operation) -> answers.ConnectorAction:
        """Raises NotFound, Unavailable."""
        document = self._find(name)
        worker = self._places.worker(self._places.made_at(name, document.spec))
        self._audit.record(subject.user, _AUDITED[action], name, "allow", [])
        if action == "restart":
            worker.restart(name)
        else:
            worker.set_state(name, _STATES[action])
        return answers.ConnectorAction(name=name, action=action)

    # -- inside -------------------------------------------------------------------------------------------------------

    def require(self, name: str, seen: Callable[[DeclaredDocument], bool]) -> None:
        """Raises NotFound for one that is not there, and for one that a reader may not see, with the nearest they may."""
        self._find(name, seen)

    def _find(self, name: str, seen: Callable[[DeclaredDocument], bool] = lambda _: True) -> DeclaredDocument:
        document = self._store.document(KIND, name)
        if document is None or not seen(document):
            names = [each.key for each in self._store.documents(KIND) if seen(each)]
            near = difflib.get_close_matches(name, names, 3)
            fix = did_you_mean(near, " weir connector list shows all.", " ")
            raise NotFound(f"There is no connector {name!r}.{fix}", details={"connector": name, "nearest": near})
        return document

    def _shown(self, subject: Subject, document: DeclaredDocument, pending: DeclaredDocument | None) -> ConnectorState:
        manages = self._manages(subject)
        return ConnectorState(document, pending, operates=manages, sees=manages or owns(subject, document.spec))

    def _all_of(self, server: Server) -> Mapping[str, Live] | WeirError:
        try:
            return self._places.worker(server).all()
        except WeirError as error:
            return error

    def _compare(self, shown: ConnectorState, document: DeclaredDocument, server: Server) -> None:
        if shown.live is None:
            return
        spec = spec_of(document)
        short = shown.live.config.get("connector.class", "")
        same = short == spec.plugin or short.rpartition(".")[2] in (spec.plugin, f"{spec.plugin}Connector")
        config = self._places.wanted(spec, server, short if same else spec.plugin)
        changes = differences(config, spec.state, shown.live)
        declared = self._places.found(document.spec)
        if declared is not None and not same_way(declared, server):
            changes.insert(0, Difference("connect", str(declared["url"]), str(server["url"])))
        shown.differs(changes)
