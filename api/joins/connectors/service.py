"""What people ask of connectors: which there are, how they are, and operating them; and bringing workers up to date."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from api.joins.connectors.bringing import Bringing
from api.joins.connectors.places import KIND, PENDING, Places, Server, address, same_way, same_worker, spec_of
from api.joins.connectors.shown import Shown
from catalog.errors import NotFound, WeirError
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument
from connectors.config import HIDDEN, Difference, differences
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
        self, store: CatalogStore, clock: Clock, places: Places, audit: AuditLog, manages: Callable[[Subject], bool]
    ) -> None:
        """`manages`: whether somebody may operate connectors, and see why they fail and what differs."""
        self._store, self._places, self._audit, self._manages = store, places, audit, manages
        self._bringing = Bringing(store, clock, places)

    def all(self, subject: Subject, seen: Callable[[DeclaredDocument], bool] = lambda _: True) -> list[dict[str, Any]]:
        """Each declared connector that is `seen`, and those that are still to be deleted at a worker, by name; each worker is
        asked once."""
        answers: dict[str, Mapping[str, Live] | WeirError] = {}
        documents = {each.key: each for each in self._store.documents(KIND) if seen(each)}
        hidden = {each.key for each in self._store.documents(KIND)} - documents.keys()
        waiting = {each.key: each for each in self._store.documents(PENDING) if each.key not in hidden and seen(each)}
        rows = []
        for name in sorted(documents.keys() | waiting.keys()):
            document = documents.get(name)
            if document is None:
                rows.append(Shown.leaving(name, waiting[name], self._manages(subject)))
                continue
            shown = self._shown(subject, document, waiting.get(name))
            try:
                server = self._places.made_at(document.key, document.spec)
                key = repr(server)
                if key not in answers:
                    answers[key] = self._all_of(server)
                answer = answers[key]
                if isinstance(answer, WeirError):
                    raise answer
                shown.at(server, answer.get(name))
                self._compare(shown, document, server)
            except WeirError as error:
                shown.unknown(error.message)
            rows.append(shown.row())
        return rows

    def describe(self, subject: Subject, name: str) -> dict[str, Any]:
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
        return shown.whole()

    def of_cluster(self, cluster: str) -> Sequence[str]:
        """Names of its declared connectors."""
        return self._places.named_of(cluster)

    def shown(self, subject: Subject, document: dict[str, Any]) -> dict[str, Any]:
        """A declared connector as somebody may see it: the values of its configuration are for those who see why it
        fails."""
        spec = document["spec"]
        if self._manages(subject) or _owns(subject, spec):
            return document
        return {**document, "spec": {**spec, "config": dict.fromkeys(spec.get("config") or {}, HIDDEN)}}

    def plugins(self, cluster: str) -> list[dict[str, Any]]:
        """Connector classes of a cluster's worker. Raises InvalidInput, Unavailable."""
        worker = self._places.worker(self._places.server({"cluster": cluster}))
        return [{"class": each.name, "type": each.kind, "version": each.version} for each in worker.plugins()]

    def operate(self, subject: Subject, name: str, action: Operation) -> dict[str, Any]:
        """Raises NotFound, Unavailable."""
        document = self._find(name)
        worker = self._places.worker(self._places.made_at(name, document.spec))
        self._audit.record(subject.user, _AUDITED[action], name, "allow", [])
        if action == "restart":
            worker.restart(name)
        else:
            worker.set_state(name, _STATES[action])
        return {"name": name, "action": action}

    # -- the worker follows what is declared --------------------------------------------------------------------------

    def step(self) -> bool:
        """Do what could not be done at a worker before. Whether there is more to do at once: never."""
        for each in self._store.documents(PENDING):
            self.bring(each.key)
        return False

    def bring(self, name: str) -> str | None:
        """Make the worker hold what is declared of one connector. A sentence when that could not be done yet."""
        return self._bringing.bring(name)

    def workers(self) -> list[tuple[str, Server]]:
        """(cluster, worker) of the connectors that are not at the worker of their cluster, each once; for lineage."""
        own: dict[str, tuple[str, Server]] = {}
        for each in self._store.documents(KIND):
            cluster = str(each.spec["cluster"])
            place = self._places.place(each.key, each.spec)
            if place is not None and not same_worker(place, self._places.found({"cluster": cluster})):
                own.setdefault(f"{cluster} {address(place)}", (cluster, place))
        return list(own.values())

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

    def _shown(self, subject: Subject, document: DeclaredDocument, pending: DeclaredDocument | None) -> Shown:
        manages = self._manages(subject)
        return Shown(document, pending, operates=manages, sees=manages or _owns(subject, document.spec))

    def _all_of(self, server: Server) -> Mapping[str, Live] | WeirError:
        try:
            return self._places.worker(server).all()
        except WeirError as error:
            return error

    def _compare(self, shown: Shown, document: DeclaredDocument, server: Server) -> None:
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


def _owns(subject: Subject, spec: Mapping[str, Any]) -> bool:
    owners = spec.get("owners") or []
    return any(each.get("user") == subject.user or each.get("group") in subject.groups for each in owners)
