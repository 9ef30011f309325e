"""What one reader may know of the datasets of the catalog, by what is declared and recorded at the time of the request."""

from __future__ import annotations

from collections.abc import Callable

from api.visibility.outlines import Outlines, outline_of
from api.visibility.parted import HiddenParts, OutlineMatches, PartedOfReaders
from catalog.model import DatasetId
from catalog.records import DatasetOutline, DatasetRecord
from policies.decision.visibility import (
    Aspect,
    DatasetKnowledge,
    Outline,
    Rules,
    Viewer,
    expanded,
    what_is_known,
)
from policies.decision.within_known import within, within_sources, without_hidden_sources
from policies.matching import dataset_matches
from policies.model import DatasetFacts, Decision, Subject, SubjectMatch


class Horizon:
    """One reader before the catalog, for one request."""

    def __init__(
        self, outlines: Outlines, parted: PartedOfReaders, viewer: Viewer, matched: OutlineMatches, version: int
    ) -> None:
        """`version`: of what is declared."""
        rules = matched.rules
        self._outlines, self._parted_of_readers = outlines, parted
        self._viewer, self._rules, self._matched, self._version = viewer, rules, matched, version
        self._by_id: dict[DatasetId, DatasetKnowledge] = {}
        self._tags = rules.by_tag | _read_tags(viewer, rules)
        self._parted: HiddenParts | None = None

    def of(self, dataset: DatasetOutline) -> DatasetKnowledge:
        """Of a dataset of the catalog."""
        results = self._by_id.get(dataset.id)
        if results is None:
            tags = self._outlines.field_tags(dataset.id) if self._tags else frozenset[str]()
            results = what_is_known(self._viewer, outline_of(dataset, self._outlines.terms(dataset), tags), self._rules)
            self._by_id[dataset.id] = results
        return results

    def of_record(self, record: DatasetRecord) -> DatasetKnowledge:
        return self.of(record.outline)

    def of_id(self, dataset: DatasetId) -> DatasetKnowledge:
        """Of any dataset, in the catalog or known to lineage alone."""
        results = self._by_id.get(dataset)
        return results if results is not None else self.of(self._outlines.outline(dataset))

    def of_outline(self, outline: Outline) -> DatasetKnowledge:
        return what_is_known(self._viewer, outline, self._rules)

    def in_any_cluster(self, name: str, owners: SubjectMatch) -> DatasetKnowledge:
        """The least that is known of a dataset of a name, in whichever declared cluster it will be."""
        clusters = self._outlines.cluster_names() or ["?"]
        every = [self.of_outline(Outline(f"{cluster}/{name}", owners)) for cluster in clusters]
        return DatasetKnowledge(*(all(each.of(aspect) for each in every) for aspect in Aspect))

    def of_facts(self, facts: DatasetFacts) -> DatasetKnowledge:
        """Of a dataset as decisions know it: a stream view, too, whose owners and tags the catalog may not have."""
        tags = facts.tags.union(*(each.tags for each in facts.fields)) if self._tags else facts.tags
        return what_is_known(self._viewer, Outline(facts.reference, facts.owners, expanded(tags)), self._rules)

    def within(self, facts: DatasetFacts, decision: Decision) -> Decision:
        known = self.of_facts(facts)
        cut = within(known, decision)
        if not facts.sources:
            return cut
        return within_sources(known, cut, facts, self.of_facts, self._viewer.grants)

    def worded(self, facts: DatasetFacts, decision: Decision) -> Decision:
        of = {name: self.of_facts(below or DatasetFacts(facts.id, name, ())) for name, below in facts.topics.items()}
        of |= {each.reference: self.of_facts(each.facts) for each in facts.sources if each.facts is not None}
        return without_hidden_sources(self.of_facts(facts), decision, of)

    @property
    def closed(self) -> bool:
        """Whether what no document names is not for everyone."""
        return self._rules.closed

    @property
    def is_agents(self) -> bool:
        """Whether an agent looks."""
        return self._viewer.agent is not None

    def would_hide(self, pattern: str) -> bool:
        """Whether a document keeps from the reader what a pattern of datasets names, were there such a dataset."""
        if self._is_kept(pattern):
            return True
        if "*" not in pattern or self.is_agents:
            return False
        patterns = (each for rule in self._rules.rules for each in rule.datasets)
        return any(dataset_matches(pattern, each) and self._is_kept(each) for each in patterns)

    def _is_kept(self, pattern: str) -> bool:
        outline = Outline(pattern)
        return (self.is_agents or self._rules.touches(outline)) and not self.of_outline(outline).existence

    @property
    def parted(self) -> HiddenParts:
        """All that is hidden, at once; kept for readers alike until the catalog or what is declared changes."""
        if self._parted is None:
            self._parted = self._parted_of_readers.of(self._version, self._viewer, self._matched, self._tags)
        return self._parted


Horizons = Callable[[Subject], Horizon | None]
"""Gives what a subject may know of; None: of everything."""


def _read_tags(viewer: Viewer, rules: Rules) -> frozenset[str]:
    """Tags by which a reader's roles open fields: where the setting is closed, these datasets are known."""
    if not rules.closed:
        return frozenset()
    return frozenset(
        target.tag for role in viewer.who.roles.values() if role is not None for target in role.read if target.tag
    )
