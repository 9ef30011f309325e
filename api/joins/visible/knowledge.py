"""What somebody may know of the datasets of the catalog: the pure decision over what is declared and recorded by now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cachetools import LRUCache

from api.joins.visible.names import Names
from catalog.datasets.clusters import Clusters
from catalog.datasets.terms import term_tags
from catalog.model import PERSONAL_DATA_TAG, DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetOutline, DatasetRecord
from catalog.search.documents import dataset_key
from catalog.search_model import Unseen
from policies.access.identity import Identity
from policies.decision.visibility import ALL, Aspect, Audience, Known, Outline, Rules, Viewer, expanded, what_is_known
from policies.decision.within_known import within, within_sources, without_hidden_sources
from policies.declared.state import GovernanceState
from policies.declared.view import View
from policies.matching import dataset_matches
from policies.model import DatasetFacts, Decision, Subject, SubjectMatch

_READERS = 256
_MOST_OUTLINES = 200_000


@dataclass(frozen=True, slots=True)
class Matched:
    """Whether documents match an outline, for one set of documents: readers of other documents never write into it."""

    rules: Rules = field(default_factory=Rules)
    kept: dict[Outline, bool] = field(default_factory=dict)

    def holds(self, outline: Outline) -> bool:
        results = self.kept.get(outline)
        if results is None:
            results = self.rules.touches(outline)
            if len(self.kept) < _MOST_OUTLINES:
                self.kept[outline] = results
        return results


@dataclass(frozen=True, slots=True)
class Parted:
    """The datasets of the catalog of which a reader may not know all. `nothing` is in none of the others.

    bare   without the schema; plain: with the schema, without the personal data; unlinked: without the lineage
    names  how texts name those in `nothing`; of_bare, of_plain, of_unlinked: those in the other sets
    """

    nothing: frozenset[DatasetId] = frozenset()
    bare: frozenset[DatasetId] = frozenset()
    plain: frozenset[DatasetId] = frozenset()
    unlinked: frozenset[DatasetId] = frozenset()
    names: Names = field(default_factory=Names)
    of_bare: Names = field(default_factory=Names)
    of_plain: Names = field(default_factory=Names)
    of_unlinked: Names = field(default_factory=Names)
    unseen: Unseen = field(default_factory=Unseen)


class Horizon:
    """One reader before the catalog, for one request."""

    def __init__(self, knowledge: Knowledge, viewer: Viewer, matched: Matched, version: int) -> None:
        rules = matched.rules
        self._knowledge, self._viewer, self._rules, self._version = knowledge, viewer, rules, version
        self._matched = matched
        self._by_id: dict[DatasetId, Known] = {}
        self._tags = rules.by_tag | _read_tags(viewer, rules)
        self._parted: Parted | None = None

    def of(self, dataset: DatasetOutline) -> Known:
        """Of a dataset of the catalog."""
        results = self._by_id.get(dataset.id)
        if results is None:
            tags = self._knowledge.field_tags(dataset.id) if self._tags else frozenset[str]()
            results = what_is_known(
                self._viewer, outline_of(dataset, self._knowledge.terms(dataset), tags), self._rules
            )
            self._by_id[dataset.id] = results
        return results

    def of_record(self, record: DatasetRecord) -> Known:
        return self.of(record.outline)

    def of_id(self, dataset: DatasetId) -> Known:
        """Of any dataset, in the catalog or known to lineage alone."""
        results = self._by_id.get(dataset)
        return results if results is not None else self.of(self._knowledge.outline(dataset))

    def of_outline(self, outline: Outline) -> Known:
        return what_is_known(self._viewer, outline, self._rules)

    def in_any_cluster(self, name: str, owners: SubjectMatch) -> Known:
        """The least that is known of a dataset of a name, in whichever declared cluster it will be."""
        clusters = self._knowledge.cluster_names() or ["?"]
        every = [self.of_outline(Outline(f"{cluster}/{name}", owners)) for cluster in clusters]
        return Known(*(all(each.of(aspect) for each in every) for aspect in Aspect))

    def of_facts(self, facts: DatasetFacts) -> Known:
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

    def would_hide(self, pattern: str) -> bool:
        """Whether a document keeps from the reader what a pattern of datasets names, were there such a dataset."""
        if self._is_kept(pattern):
            return True
        if "*" not in pattern:
            return False
        named = (each for rule in self._rules.rules for each in rule.datasets)
        return any(dataset_matches(pattern, each) and self._is_kept(each) for each in named)

    def _is_kept(self, pattern: str) -> bool:
        outline = Outline(pattern)
        return self._rules.touches(outline) and not self.of_outline(outline).existence

    @property
    def parted(self) -> Parted:
        """All that is hidden, at once; kept for readers alike until the catalog or what is declared changes."""
        if self._parted is None:
            self._parted = self._knowledge.parted(self._version, self._viewer, self._matched, self._tags)
        return self._parted


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
        self._state, self._identity, self._store, self._clusters = state, identity, store, clusters
        self._clock, self._closed = clock, closed
        self._lock = threading.Lock()
        self._rules: tuple[View | None, Matched] = (None, Matched())
        self._outlines: tuple[int | None, frozenset[str], list[tuple[DatasetOutline, Outline]]] | None = None
        self._kept: LRUCache[object, tuple[int, Parted]] = LRUCache(_READERS)

    def rules(self, view: View | None = None) -> Rules:
        """All documents of kind Visibility, with the setting."""
        return self._read(view if view is not None else self._state.view()).rules

    def _read(self, view: View) -> Matched:
        before, built = self._rules
        if before is not None and before.visibility is view.visibility:
            return built
        built = Matched(Rules.of(view.visibility, self._closed))
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
        if matched.rules.hide_nothing:
            return None
        grants = view.grants_of(subject)
        viewer = Viewer.of(
            subject, view.roles, self._identity.permissions(subject), grants, self._clock(), view.domains.values()
        )
        return None if viewer.officer else Horizon(self, viewer, matched, view.version)

    def of_facts(self, subject: Subject, facts: DatasetFacts) -> Known:
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
        tags = self.field_tags(dataset.id) if rules.by_tag else frozenset[str]()
        return rules.touches(outline_of(dataset, self.terms(dataset), tags))

    def audiences(self, dataset: DatasetOutline) -> dict[str, Any]:
        """{default: open | closed, aspects: [{aspect, documents: [{name, everyone, users, groups, roles}], problem}]}: who may
        know of a dataset, by the documents that match it. A person must be named by each document of an aspect; where there is
        none, the setting decides."""
        rules = self.rules()
        tags = self.field_tags(dataset.id) if rules.by_tag else frozenset[str]()
        outline = outline_of(dataset, self.terms(dataset), tags)
        matching = [*rules.matching(outline), *rules.loosely(outline)]
        unreadable = [each.name for each in matching if each.problem]
        return {
            "default": "closed" if rules.closed else "open",
            "aspects": [
                {
                    "aspect": aspect.value,
                    "documents": [
                        {"name": each.name, **_audience_json(each.audiences[aspect])}
                        for each in matching
                        if aspect in each.audiences
                    ],
                }
                for aspect in Aspect
            ],
            "unreadable": unreadable,
        }

    def matched_by(self, rules: Rules) -> list[DatasetId]:
        """The datasets that these documents match."""
        pairs = self._all(rules.by_tag)
        return [dataset.id for dataset, outline in pairs if rules.touches(outline)]

    def outline(self, dataset: DatasetId) -> DatasetOutline:
        """Of the catalog's record; else of the name alone, as the catalog would write it."""
        dataset = self._clusters.resolve(dataset.namespace, dataset.name)
        record = self._store.dataset(dataset)
        if record is not None:
            return record.outline
        home = self._store.report_homes([dataset]).get(dataset)
        record = self._store.dataset(home) if home is not None else None
        if record is not None:
            return record.outline
        cluster = self._clusters.of_namespace(dataset.namespace)
        return DatasetOutline(dataset, cluster.name if cluster is not None else None)

    def cluster_names(self) -> list[str]:
        return sorted(each.name for each in self._store.clusters())

    def terms(self, dataset: DatasetOutline) -> frozenset[str]:
        """Tags that the dataset has by its own terms."""
        if not dataset.terms:
            return frozenset()
        tags = term_tags(self._store)
        return frozenset(tag for term in dataset.terms for tag in tags.get(term, ()))

    def field_tags(self, dataset: DatasetId) -> frozenset[str]:
        """Tags of a dataset's fields, by scans, reviews and terms."""
        tags = {each.entity for each in self._store.classifications(dataset) if each.holds}
        terms = {term for note in self._store.notes(dataset) for term in note.terms}
        given = term_tags(self._store) if terms else {}
        return frozenset(tags).union(*(given.get(term, ()) for term in terms))

    def parted(self, version: int, viewer: Viewer, matched: Matched, tags: frozenset[str]) -> Parted:
        """See `Horizon.parted`. `version`: of what is declared."""
        key, changes = _key(version, viewer), self._store.changes()
        with self._lock:
            held = self._kept.get(key)
        if held is not None and held[0] == changes:
            return held[1]
        built = self._make(viewer, matched, tags)
        if changes is not None:
            with self._lock:
                self._kept[key] = (changes, built)
        return built

    def _make(self, viewer: Viewer, matched: Matched, tags: frozenset[str]) -> Parted:
        nothing, bare, plain, unlinked, whole = (list[DatasetOutline]() for _ in range(5))
        rules, shown = matched.rules, list[DatasetOutline]()
        for dataset, outline in self._all(tags):
            if not rules.closed and not matched.holds(outline):
                shown.append(dataset)
                continue
            results = what_is_known(viewer, outline, rules)
            if not results.existence:
                nothing.append(dataset)
                continue
            shown.append(dataset)
            if not results.lineage:
                unlinked.append(dataset)
            (bare if not results.schema else plain if not results.evidence else whole).append(dataset)
        hidden, schemaless, unproven = _ids(nothing), _ids(bare), _ids(plain)
        unseen = Unseen(
            _keys(hidden) if not rules.closed else frozenset(), _keys(schemaless), _keys(unproven),
            _keys(_ids(whole)) if rules.closed else None,
        )  # fmt: skip
        return Parted(
            hidden, schemaless, unproven, _ids(unlinked),
            Names.of(nothing, shown), Names.of(bare, _but(shown, bare)), Names.of(plain, _but(shown, plain)),
            Names.of(unlinked, _but(shown, unlinked)), unseen,
        )  # fmt: skip

    def _all(self, tags: frozenset[str]) -> list[tuple[DatasetOutline, Outline]]:
        """Every dataset, with those tags of its fields that count."""
        changes = self._store.changes()
        held = self._outlines
        if held is not None and changes is not None and held[0] == changes and tags <= held[1]:
            return held[2]
        by_term = term_tags(self._store)
        in_fields = self._in_fields(tags, by_term) if tags else {}
        built = []
        for dataset in self._store.outlines():
            own = frozenset(tag for term in dataset.terms for tag in by_term.get(term, ()))
            built.append((dataset, outline_of(dataset, own, in_fields.get(dataset.id, ()))))
        self._outlines = (changes, tags, built)
        return built

    def _in_fields(self, tags: frozenset[str], by_term: Mapping[str, Iterable[str]]) -> dict[DatasetId, set[str]]:
        results: dict[DatasetId, set[str]] = {}
        wanted = None if PERSONAL_DATA_TAG in tags else tags
        for dataset, record in self._store.all_classifications(wanted):
            if record.holds:
                results.setdefault(dataset, set()).add(record.entity)
        for term, given in by_term.items():
            if wanted is None or not wanted.isdisjoint(given):
                for dataset in self._store.term_carriers([term]):
                    results.setdefault(dataset, set()).update(given)
        return results


def outline_of(dataset: DatasetOutline, term_given: Iterable[str], field_tags: Iterable[str]) -> Outline:
    """A dataset of the catalog in the words of the decision."""
    owners = SubjectMatch(
        users=frozenset(owner.name for owner in dataset.owners if owner.kind == "user"),
        groups=frozenset(owner.name for owner in dataset.owners if owner.kind == "group"),
    )
    return Outline(dataset.reference, owners, expanded((*dataset.tags, *term_given, *field_tags)))


def _audience_json(audience: Audience) -> dict[str, Any]:
    people = audience.people
    return {
        "everyone": audience.everyone, "users": sorted(people.users), "groups": sorted(people.groups),
        "roles": sorted(people.roles),
    }  # fmt: skip


def _read_tags(viewer: Viewer, rules: Rules) -> frozenset[str]:
    """Tags by which a reader's roles open fields: where the setting is closed, these datasets are known."""
    if not rules.closed:
        return frozenset()
    return frozenset(
        target.tag for role in viewer.who.roles.values() if role is not None for target in role.read if target.tag
    )


def _but(datasets: Iterable[DatasetOutline], others: Iterable[DatasetOutline]) -> Iterable[DatasetOutline]:
    without = _ids(others)
    return (each for each in datasets if each.id not in without)


def _ids(datasets: Iterable[DatasetOutline]) -> frozenset[DatasetId]:
    return frozenset(each.id for each in datasets)


def _keys(datasets: Iterable[DatasetId]) -> frozenset[str]:
    return frozenset(map(dataset_key, datasets))


def _key(version: int, viewer: Viewer) -> object:
    """Readers with the same key know the same. Who is in which role is in `version`, and what providers give in the names."""
    grants = tuple(sorted(grant.name for grant in viewer.grants))
    return (version, viewer.who.user, viewer.who.groups, frozenset(viewer.who.roles), grants, viewer.operator)


Horizons = Callable[[Subject], Horizon | None]
"""Gives what a subject may know of; None: of everything."""
