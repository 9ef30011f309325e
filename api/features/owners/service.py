"""Suggests owners of a dataset by the brokers, lineage, git and what people wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from api.features.owners import suggested
from api.features.owners.answers import OwnerSuggestions
from api.features.owners.suggested import Hint
from api.visibility.readers import Reader
from catalog.errors import WeirError
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from catalog.topic_details import AclsKnown
from policies.broker_rights.service import BrokerRights
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.notify.addresses import address_of


class SuggestedOwners:
    """The service behind `/owner-suggestions`. The caller may name owners of the dataset."""

    def __init__(self, store: CatalogStore, state: GovernanceState, rights: BrokerRights) -> None:
        self._store, self._state, self._rights = store, state, rights

    def of(self, caller: Subject, reader: Reader, record: DatasetRecord) -> OwnerSuggestions:
        """What cannot be asked is named, and the rest is there."""
        not_read: list[str] = []
        sources: list[tuple[str, Callable[[], Iterable[Hint]]]] = [
            ("The rights at the brokers", lambda: self._by_rights(caller, record, not_read)),
            ("Lineage", lambda: self._by_lineage(reader, record)),
            ("The declared document", lambda: self._by_document(record)),
            ("The history of descriptions", lambda: self._by_descriptions(record)),
        ]
        hints: list[Hint] = []
        for what, ask in sources:
            try:
                hints += ask()
            except WeirError as error:
                not_read.append(f"{what} could not be read: {error.message}")
        view = self._state.view()
        services = {name: spec.owner for name, spec in view.services.items() if spec.owner}
        people = {name: address_of(view, name) for name in {ADMIN_USER, *view.people} - view.services.keys()}
        owners = {str(each) for each in record.owners}
        return OwnerSuggestions(
            suggestions=suggested.suggestions(hints, people, set(view.groups), owners, services), not_read=not_read
        )

    def _by_rights(self, caller: Subject, record: DatasetRecord, not_read: list[str]) -> Iterable[Hint]:
        if record.cluster is None or "*" in record.reference:
            return ()
        report = self._rights.report(caller, record.cluster, record.reference)
        for cluster in report.clusters:
            if cluster.problem is not None or cluster.acls.known is AclsKnown.NOT_ALLOWED:
                problem = cluster.problem or "The user that Weir signs in with may not list them."
                not_read.append(f"The ACLs of {cluster.name} could not be read: {problem}")
        return list(suggested.of_rights(report.rows()))

    def _by_lineage(self, reader: Reader, record: DatasetRecord) -> Iterable[Hint]:
        lineage = reader.lineage
        return list(suggested.of_jobs(lineage.writers_of(record.id), lineage.readers_of(record.id)))

    def _by_document(self, record: DatasetRecord) -> Iterator[Hint]:
        names = [each.name for each in self._store.clusters() if each.namespace == record.id.namespace]
        for cluster in names:
            document = self._store.document("Dataset", f"{cluster}/{record.id.name}")
            if document is not None:
                yield from suggested.of_document(document.metadata, document.applied_by)

    def _by_descriptions(self, record: DatasetRecord) -> Iterable[Hint]:
        return suggested.of_descriptions(each.by for each in self._store.descriptions(record.id))
