"""What somebody may know of the datasets of the catalog: the pure decision over what is declared and recorded by now."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.visibility.horizon import Horizon
from api.visibility.outlines import Outlines, outline_of
from api.visibility.parted import OutlineMatches, PartedOfReaders
from catalog.datasets.clusters import Clusters
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetOutline
from policies.access.identity import Identity
from policies.decision.visibility import ALL, Aspect, Audience, DatasetKnowledge, Rules, Viewer
from policies.declared.state import GovernanceState
from policies.declared.view import View
from policies.model import DatasetFacts, Decision, Subject


@dataclass(frozen=True, slots=True)
class DatasetAudiences:
    """Who may know of a dataset.

    closed      what no document decides is known to owners and readers alone
    by_aspect   for each aspect the documents by name, each with its audience
    unreadable  names of documents that cannot be read
    """

    closed: bool
    by_aspect: Mapping[Aspect, Sequence[tuple[str, Audience]]]
    unreadable: Sequence[str]


class Knowledge:
    """Makes horizons. Safe for threads."""

    def __init__(
        self,
        state: GovernanceState,
        identity: Identity,
        store: CatalogStore,
        clusters: Clusters,
        clock: Clock,
        closed: bool,
    ) -> None:
        self._state, self._identity, self._clock, self._closed = state, identity, clock, closed
        self.outlines = Outlines(store, clusters)
        self._parted = PartedOfReaders(self.outlines, store.changes)
        self._lock = threading.Lock()
        self._rules: tuple[View | None, OutlineMatches] = (None, OutlineMatches())

    def rules(self, view: View | None = None) -> Rules:
        """All documents of kind Visibility, with the setting."""
        return self._read(view if view is not None else self._state.view()).rules

    def _read(self, view: View) -> OutlineMatches:
        before, built = self._rules
        if before is not None and before.visibility is view.visibility:
            return built
        built = OutlineMatches(Rules.of(view.visibility, self._closed))
        with self._lock:
            newest = self._rules[0]
            # A request that began before a change must not bring back the documents of then.
            if newest is None or newest.version <= view.version or self._state.version() == view.version:
                self._rules = (view, built)
        return built

    def decides(self) -> bool:
        """Whether there is a document of kind Visibility, as far as was read of late: the next horizon reads it again."""
        return bool(self._rules[1].rules.rules)

    def horizon(self, subject: Subject) -> Horizon | None:
        """None for a reader from whom nothing is hidden. Raises Unavailable."""
        view = self._state.view()
        matched = self._read(view)
        if matched.rules.hide_nothing and subject.agent is None:
            return None
        grants = view.grants_of(subject)
        viewer = Viewer.of(
            subject, view.roles, self._identity.permissions(subject), grants, self._clock(), view.domains.values()
        )
        return (
            None
            if viewer.officer and viewer.agent is None
            else Horizon(self.outlines, self._parted, viewer, matched, view.version)
        )

    def of_facts(self, subject: Subject, facts: DatasetFacts) -> DatasetKnowledge:
        """What a subject may know of a dataset or view."""
        horizon = self.horizon(subject)
        return ALL if horizon is None else horizon.of_facts(facts)

    def within(self, subject: Subject, facts: DatasetFacts, decision: Decision) -> Decision:
        """See `policies.decision.within_known.within` and `within_sources`."""
        horizon = self.horizon(subject)
        return decision if horizon is None else horizon.within(facts, decision)

    def worded(self, reader: Subject, facts: DatasetFacts, decision: Decision) -> Decision:
        """A decision about somebody else, its effect as it is, without sources that its reader may not know of."""
        horizon = self.horizon(reader)
        return decision if horizon is None else horizon.worded(facts, decision)

    def partly_known(self, dataset: DatasetOutline) -> bool:
        """Whether a document names the dataset, so that some may know it in part."""
        rules = self.rules()
        if not rules.rules:
            return False
        tags = self.outlines.field_tags(dataset.id) if rules.by_tag else frozenset[str]()
        return rules.touches(outline_of(dataset, self.outlines.terms(dataset), tags))

    def audiences(self, dataset: DatasetOutline) -> DatasetAudiences:
        """Who may know of a dataset, by the documents that match it. A person must be named by each document of an aspect; where
        there is none, the setting decides."""
        rules = self.rules()
        tags = self.outlines.field_tags(dataset.id) if rules.by_tag else frozenset[str]()
        outline = outline_of(dataset, self.outlines.terms(dataset), tags)
        matching = [*rules.matching(outline), *rules.loosely(outline)]
        unreadable = [each.name for each in matching if each.problem]
        by_aspect = {
            aspect: [(each.name, each.audiences[aspect]) for each in matching if aspect in each.audiences]
            for aspect in Aspect
        }
        return DatasetAudiences(rules.closed, by_aspect, unreadable)

    def matched_by(self, rules: Rules) -> list[DatasetId]:
        """The datasets that these documents match."""
        pairs = self.outlines.all(rules.by_tag)
        return [dataset.id for dataset, outline in pairs if rules.touches(outline)]
