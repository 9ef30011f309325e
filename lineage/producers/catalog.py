"""Datasets of lineage as datasets of the catalog: facts are kept as events come, records follow.

`take` belongs to the fold and only writes what differs; `settle` is a duty of its own: it gives each name that producers
write its dataset of the catalog (aliases of clusters, symlinks) and brings that record in line with all that is reported
of it. A record is a pure function of the facts, so the order of events does not matter.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from catalog.columns import is_topic
from catalog.datasets.clusters import Clusters
from catalog.datasets.discovery import hidden
from catalog.datasets.reported import is_reported, project
from catalog.field_names import FieldNames
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetRecord, StoredSchema
from catalog.report_store import DATASET, RUN, Fact, Subject, hour
from lineage.fold.event_reading import Reading
from lineage.ingest.events import Event
from lineage.names import Link, Names, Resolve, column_named
from lineage.producers.facts import SYMLINK, SYMLINK_OF, WAYS, FactReader

log = structlog.get_logger(__name__)

_KNOWN = 200_000
"""Facts remembered as written, of about 300 bytes each."""
_RUNS_AT_ONCE = 20
_JOBS = 20_000
"""Jobs whose new runs are counted."""
MAX_NAME_BYTES = 2600
"""Namespace and name together; PostgreSQL indexes no longer ones."""

Changed = Callable[[Iterable[DatasetId]], None]


@dataclass(slots=True)
class _Written:
    stored: int
    seen: int
    digest: str


class ProducerCatalog:
    """See above. `take` by one thread at a time, `settle` by another; several processes at once are safe.

    changed: receives the records that changed, after the commit; fields: those that the catalog knows of a dataset.
    Every method may raise Unavailable.
    """

    def __init__(
        self,
        store: CatalogStore,
        clusters: Clusters,
        clock: Clock,
        changed: Changed = lambda _: None,
        runs_kept: int = 50,
        fields: Callable[[DatasetId], FieldNames | None] = lambda _: None,
    ) -> None:
        self._store, self._clusters, self._clock, self._changed = store, clusters, clock, changed
        self._resolve: Resolve = clusters.resolve
        self._runs_kept, self._fields = runs_kept, fields
        self._reader = FactReader()
        self._known: OrderedDict[str, _Written] = OrderedDict()
        self._runs: OrderedDict[Subject, set[int]] = OrderedDict()
        self._since: int | None = None
        self.written = 0
        """Facts written so far."""

    def rebuilding(self) -> ProducerCatalog:
        """One that takes all events again: `finish` removes what does not occur in them."""
        fresh = ProducerCatalog(self._store, self._clusters, self._clock, self._changed, self._runs_kept, self._fields)
        fresh._since = self._stamp()
        return fresh

    def take(self, events: Iterable[tuple[Event, Reading]]) -> None:
        """Keep what these events state. Sending them again, or in another order, changes nothing."""
        fresh: list[Fact] = []
        for event, reading in events:
            for fact in self._reader.read(event, reading):
                if self._is_news(fact):
                    fresh.append(fact)
        if not fresh:
            return
        try:
            self._store.put_facts(fresh, self._stamp(), self._since)
        except BaseException:
            self._known.clear()
            raise
        self.written += len(fresh)
        self._forget_runs(fresh)
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)

    def _forget_runs(self, fresh: Iterable[Fact]) -> None:
        """Let the oldest runs of a job go, now and then: some more than `runs_kept` are there meanwhile."""
        for job, run in {(fact.subject, fact.part) for fact in fresh if fact.subject.kind == RUN}:
            runs = self._runs.setdefault(job, set())
            self._runs.move_to_end(job)
            runs.add(hash(run))
            if len(runs) > _RUNS_AT_ONCE:
                self._store.forget_runs(job, self._runs_kept)
                del self._runs[job]
        while len(self._runs) > _JOBS:  # its count would begin at nothing when it comes again
            job, _ = self._runs.popitem(last=False)
            self._store.forget_runs(job, self._runs_kept)

    def _is_news(self, fact: Fact) -> bool:
        known = self._known.get(fact.id)
        if known is not None:
            self._known.move_to_end(fact.id)
            if fact.digest == known.digest and hour(fact.time) <= hour(known.stored):
                # Repeats within an hour are noted in memory only; a process that dies forgets that an old value was
                # confirmed meanwhile, never a value.
                known.seen = max(known.seen, fact.time)
                return False
            if (fact.time, fact.digest) <= (known.seen, known.digest):
                return False
        self._known[fact.id] = _Written(fact.time, fact.time, fact.digest)
        return True

    def finish(self) -> int:
        """After a rebuild: remove what no event states any more, and settle everything. Gives the datasets settled."""
        if self._since is not None:
            self._store.forget_reports(self._since)
        settled = 0
        while done := self.settle():
            settled += done
        return settled

    def settle(self, limit: int = 100) -> int:
        """Bring records in line with what changed; gives how many names were looked at, 0 when all is done."""
        behind = self._store.changed_reports(limit)
        if not behind:
            return 0
        written = {name for name, _ in behind}
        names, others = self._names(written)
        homes = {name: names.dataset(name.namespace, name.name) for name in written | others}
        before = self._store.report_homes(homes)
        touched = {*homes.values(), *before.values()}
        changed: list[DatasetId] = []
        with self._store.transaction():
            self._store.settle_reports({name: home for name, home in homes.items() if before.get(name) != home}, behind)
            members = self._store.report_members(touched)
            facts = self._store.facts({_subject(name) for own_names in members.values() for name in own_names})
            for home in sorted(touched):
                home_facts = [fact for name in members[home] for fact in facts.get(_subject(name), ())]
                if self._bring(home, home_facts):
                    changed.append(home)
            self._store.after_commit(lambda: self._changed(changed))
        return len(behind)

    def realign(self) -> int:
        """A cluster was declared, or an alias given: what is stored under a name that now means another one is settled
        again. Gives the number of such namespaces."""
        moved = [
            namespace
            for namespace in sorted(self._store.report_namespaces())
            if self._resolve(namespace, "any") != DatasetId(namespace, "any")
        ]
        for namespace in moved:
            self._store.touch_reports(namespace)
        return len(moved)

    def _names(self, written: Collection[DatasetId]) -> tuple[Names, set[DatasetId]]:
        """Names with all symlinks that touch these, and the names as written that the symlinks lead to."""
        links: set[Link] = set()
        seen: set[DatasetId] = set(written)
        todo = set(written)
        while todo:
            by_subject = self._store.facts({_subject(name) for name in todo}, "symlink")
            todo = set()
            for subject, facts in by_subject.items():
                own = self._resolve(subject.namespace, subject.name)
                for fact in facts:
                    namespace, name, kind = fact.value
                    other = self._resolve(namespace, name)
                    if own != other and fact.key.startswith(SYMLINK):
                        links.add(Link(own, other, kind))
                    elif own != other and fact.key.startswith(SYMLINK_OF):
                        links.add(Link(other, own, kind))
                    todo |= {DatasetId(namespace, name), other} - seen
            if todo:
                # Other spellings of a linked name are settled with it.
                todo |= {name for names in self._store.report_members(todo).values() for name in names} - seen
                seen |= todo
        return Names(self._resolve, links), seen - set(written)

    def _bring(self, home: DatasetId, facts: list[Fact]) -> bool:
        """Make the record of a dataset what is reported of it; whether anything changed."""
        record = self._store.dataset(home)
        if not facts:
            return record is not None and self._let_go(record)
        if len(home.namespace.encode()) + len(home.name.encode()) > MAX_NAME_BYTES:
            log.warning("lineage dataset left out of the catalog: its name is too long", bytes=len(home.name))
            return False
        if record is None and is_topic(home) and hidden(home.name, False):
            return False  # what Kafka and its companions keep for themselves is no data of anybody
        projection = project(home, facts)
        if record is None:
            holder = self._clusters.of_namespace(home.namespace)
            now = self._clock()
            record = DatasetRecord(home, holder.name if holder else None, created_at=now, source="lineage")
            fresh = True
        else:
            fresh = False
        moved = fresh or dict(record.reported) != dict(projection.summary)
        stored = self._store.schema(home)
        takes = stored is None or is_reported(stored.current)
        other = takes and (stored.current if stored else None) != projection.schema
        if not (moved or other):
            return False
        # An older Weir's record may lack what is reported: its own words stay.
        self._store.put_dataset(replace(record, reported=dict(projection.summary)))
        if other:
            if stored is not None:
                self._store.clear_schemas(home)
            if projection.schema is not None:
                self._store.add_schema(home, StoredSchema(projection.schema, projection.schema))
        return True

    def _let_go(self, record: DatasetRecord) -> bool:
        """Nothing is reported of it any more, under this name: it goes, unless others know of it too."""
        if record.source == "lineage":
            self._store.delete_dataset(record.id)
            return True
        stored = self._store.schema(record.id)
        if not record.reported and not (stored and is_reported(stored.current)):
            return False
        self._store.put_dataset(replace(record, reported={}))
        if stored and is_reported(stored.current):
            self._store.clear_schemas(record.id)
        return True

    def facts_of(self, dataset: DatasetId) -> list[Fact]:
        """All facts of a dataset of the catalog, under all its names."""
        return self.facts_by_home([dataset])[dataset]

    def facts_by_home(self, datasets: Collection[DatasetId], prefix: str = "") -> dict[DatasetId, list[Fact]]:
        """The same of many; only facts whose keys begin so."""
        members = self._store.report_members(datasets)
        facts = self._store.facts({_subject(name) for names in members.values() for name in names}, prefix)
        return {
            home: [fact for name in names for fact in facts.get(_subject(name), ())] for home, names in members.items()
        }

    def ways_of(self, datasets: Iterable[DatasetId]) -> dict[DatasetId, list[Fact]]:
        """How jobs make the columns of these datasets (see `lineage.producers.facts.ways`), one fact a job."""
        by_home = self.facts_by_home(list(datasets), WAYS)
        return {home: [fact for fact in facts if fact.value is not None] for home, facts in by_home.items()}

    def homes_of(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        """The dataset of the catalog for each of these names as producers write them."""
        homes = self._store.report_homes(written)
        return {name: homes.get(name) or self._resolve(name.namespace, name.name) for name in written}

    def column(self, home: DatasetId, column: str) -> str:
        """A column of a dataset of the catalog as the graph names it, from how a producer writes it."""
        return column_named(home, column, self._fields(home))

    def of_runs(self, namespace: str, job: str) -> Mapping[str, Mapping[str, Any]]:
        """Run id -> facet -> what is kept of it."""
        subject = Subject(RUN, namespace, job)
        runs: dict[str, dict[str, object]] = {}
        for fact in self._store.facts([subject]).get(subject, ()):
            if fact.value is not None:
                runs.setdefault(fact.part, {})[fact.key] = fact.value
        return runs

    def log_only(self, namespace: str, job: str) -> list[str]:
        """Names of facets of a job that are in the log only; those of its runs begin with `run.`."""
        subject = Subject("job", namespace, job)
        return [fact.key.removeprefix("other:") for fact in self._store.facts([subject], "other:").get(subject, ())]

    def _stamp(self) -> int:
        return int(time.time() * 1000)


def _subject(dataset: DatasetId) -> Subject:
    return Subject(DATASET, dataset.namespace, dataset.name)
