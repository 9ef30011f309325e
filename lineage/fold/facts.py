"""The flows that one event states, as a set of small facts. Sets unite: the truth of a run is the union of its events.

Every fact is a tuple of texts with its tag first; datasets are two texts, namespace and name, as the producer wrote
them. Precedence between facts (explicit lineage, column lineage, inputs x outputs) is decided later, when all of a
run's facts are known (`derive.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from lineage.ingest.event_sql import sql_facts
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, Facets, JobRef, Name, RunEvent, facet
from lineage.ingest.parse import MAX_FIELD_BYTES, optional_name

Fact = tuple[str, ...]
Facts = frozenset[Fact]

INPUT = "i"  # namespace, name
OUTPUT = "o"  # namespace, name
COLUMN = "c"  # source namespace, name, field; target namespace, name, field; RAW or MASKED
INFLUENCE = "n"  # source namespace, name, field; target namespace, name
EXPLICIT_COLUMN = "C"  # as COLUMN, from a lineage facet
EXPLICIT_INFLUENCE = "N"  # as INFLUENCE, from a lineage facet
EXPLICIT = "x"  # (), or the target: inputs x outputs must not be inferred (into it)
SOURCE = "e"  # source namespace, name; target namespace, name, of an explicit entry
JOB_WRITES = "w"  # job namespace, name; dataset namespace, name
JOB_READS = "r"  # job namespace, name; dataset namespace, name
HANDS_TO = "h"  # source job, target job
PARENT = "p"  # job namespace, name of the job that started this one
RENAMED = "m"  # old namespace, name; new namespace, name
OVERWRITES = "v"  # namespace, name: what was in it before is gone
DOUBTFUL = "u"  # namespace, name: not all of its columns are known
RAW, MASKED = "raw", "masked"
UNSAID = "raw?"  # raw as far as is known: the producer does not say whether it masks

_GONE = frozenset({"DROP", "TRUNCATE"})

_CLEARS = frozenset({"TRUNCATE", "OVERWRITE"})


_DATASETS_AT = {
    INPUT: (1,),
    OUTPUT: (1,),
    EXPLICIT: (1,),
    JOB_WRITES: (3,),
    JOB_READS: (3,),
    OVERWRITES: (1,),
    DOUBTFUL: (1,),
    SOURCE: (1, 3),
    RENAMED: (1, 3),
    COLUMN: (1, 4),
    EXPLICIT_COLUMN: (1, 4),
    INFLUENCE: (1, 4),
    EXPLICIT_INFLUENCE: (1, 4),
}
_JOBS_AT = {JOB_WRITES: (1,), JOB_READS: (1,), HANDS_TO: (1, 3), PARENT: (1,)}


def datasets_in(facts: Iterable[Fact]) -> frozenset[tuple[str, ...]]:
    """Namespace and name of every dataset that the facts name."""
    return frozenset(_named(facts, _DATASETS_AT))


def jobs_in(facts: Iterable[Fact]) -> frozenset[tuple[str, ...]]:
    """Namespace and name of every job that the facts name."""
    return frozenset(_named(facts, _JOBS_AT))


def _named(facts: Iterable[Fact], places: Mapping[str, tuple[int, ...]]) -> set[tuple[str, ...]]:
    names: set[tuple[str, ...]] = set()
    for fact in facts:
        for at in places.get(fact[0], ()):
            if at < len(fact):
                names.add(fact[at : at + 2])
    return names


def facts_of(event: Event) -> Facts:
    """Every fact of one event. Never raises: what cannot be read in a facet is not a fact."""
    if isinstance(event, DatasetEvent):
        return frozenset(_dataset_facts(event.dataset))
    facts: set[Fact] = set()
    for source in event.inputs:
        facts.add((INPUT, source.id.namespace, source.id.name))
        facts.update(_dataset_facts(source, as_output=False))
    for target in event.outputs:
        if lifecycle(target.facets) not in _GONE:
            facts.add((OUTPUT, target.id.namespace, target.id.name))
        else:
            facts.add((JOB_WRITES, *_pair(event.job.id), *_pair(target.id)))
        facts.update(_dataset_facts(target))
        if _clears(target):
            facts.add((OVERWRITES, target.id.namespace, target.id.name))
    facts.update(_job_facts(event.job))
    facts.update(sql_facts(event, any(fact[0] == COLUMN and fact[7] == UNSAID for fact in facts)))
    if isinstance(event, RunEvent) and event.parent is not None and event.parent.job is not None:
        facts.add((PARENT, *_pair(event.parent.job)))
    return frozenset(facts)


def drops_of(event: Event) -> Iterator[Name]:
    """Datasets that this event reports as dropped."""
    refs = (event.dataset,) if isinstance(event, DatasetEvent) else (*event.inputs, *event.outputs)
    for ref in refs:
        if lifecycle(ref.facets) == "DROP":
            yield ref.id


def clears_of(event: Event) -> Iterator[Name]:
    """Datasets that this event reports as emptied or overwritten, whole."""
    refs = (event.dataset,) if isinstance(event, DatasetEvent) else event.outputs
    for ref in refs:
        if _clears(ref):
            yield ref.id


def _clears(ref: DatasetRef) -> bool:
    return lifecycle(ref.facets) in _CLEARS and not ref.partial


def links_of(event: Event) -> Iterator[tuple[Name, Name, str]]:
    """(dataset, other name of it, type) of every symlink: TABLE, LOCATION, or what the producer calls it."""
    refs = (event.dataset,) if isinstance(event, DatasetEvent) else (*event.inputs, *event.outputs)
    for ref in refs:
        links = facet(ref.facets, "symlinks")
        for item in _items(links, "identifiers"):
            other = optional_name(item)
            if other is not None and other != ref.id:
                kind = item.get("type")
                yield ref.id, other, kind if isinstance(kind, str) else ""


def lifecycle(facets: Facets) -> str | None:
    content = facet(facets, "lifecycleStateChange")
    change = content.get("lifecycleStateChange") if content else None
    return change.upper() if isinstance(change, str) else None


def _dataset_facts(ref: DatasetRef, as_output: bool = True) -> Iterator[Fact]:
    target = _pair(ref.id)
    if as_output:
        yield from _column_lineage(target, facet(ref.facets, "columnLineage"))
        if ref.columns_missing:
            yield (DOUBTFUL, *target)
    explicit = facet(ref.facets, "lineage")
    if explicit is not None:
        yield (EXPLICIT, *target)
        yield from _entry(target, explicit, own_job=None)
    if lifecycle(ref.facets) == "RENAME":
        change = facet(ref.facets, "lifecycleStateChange") or {}
        old = optional_name(change.get("previousIdentifier"))
        if old is not None and old != ref.id:
            yield (RENAMED, *_pair(old), *target)


def _column_lineage(target: tuple[str, str], content: Mapping[str, Any] | None) -> Iterator[Fact]:
    if content is None:
        return
    fields = content.get("fields")
    for name, entry in fields.items() if isinstance(fields, Mapping) else ():
        if _is_field(name) and isinstance(entry, Mapping):
            yield from _field_inputs(target, name, _items(entry, "inputFields"), entry.get("transformationType"))
    for item in _items(content, "dataset"):
        source = optional_name(item)
        if source is not None and _is_field(item.get("field")):
            yield (INFLUENCE, *_pair(source), item["field"], *target)


def _field_inputs(
    target: tuple[str, str],
    field: str,
    items: Iterable[Mapping[str, Any]],
    legacy: Any = None,
    tags: tuple[str, str] = (COLUMN, INFLUENCE),
) -> Iterator[Fact]:
    """The facts of one column. Most facts of an event are made here, so each item is gone through once."""
    for item in items:
        source, source_field = optional_name(item), item.get("field")
        if source is None or not _is_field(source_field):
            continue
        given = indirect = direct = stated = False
        masks = True
        for way in _items(item, "transformations"):
            kind = way.get("type")
            if not isinstance(kind, str):
                continue
            given = True
            if kind == "INDIRECT" or kind.upper() == "INDIRECT":
                indirect = True
                continue
            direct = True
            masks = masks and way.get("masking") is True
            stated = stated or "masking" in way
        if indirect:
            yield (tags[1], source.namespace, source.name, source_field, *target)
        if direct or not given:
            if not direct:
                masks = _legacy_masks(legacy, item)
            silent = not stated and not (legacy or item.get("transformationType"))
            way_of = MASKED if masks else UNSAID if silent else RAW
            yield (tags[0], source.namespace, source.name, source_field, *target, field, way_of)


def _legacy_masks(legacy: Any, item: Mapping[str, Any]) -> bool:
    own = item.get("transformationType")
    return (own if isinstance(own, str) else legacy) == "MASKED"


def _job_facts(job: JobRef) -> Iterator[Fact]:
    explicit = facet(job.facets, "lineage")
    if explicit is None or not isinstance(explicit.get("entries"), list):
        return
    yield (EXPLICIT,)
    for entry in _items(explicit, "entries"):
        if entry.get("type") == "JOB":
            yield from _job_entry(entry, job.id)
        else:
            target = optional_name(entry)
            if target is not None:
                yield (EXPLICIT, *_pair(target))
                yield (JOB_WRITES, *_pair(job.id), *_pair(target))
                yield from _entry(_pair(target), entry, own_job=job.id)


def _job_entry(entry: Mapping[str, Any], own_job: Name) -> Iterator[Fact]:
    target = optional_name(entry) or own_job
    for item in _items(entry, "inputs"):
        if item.get("type") == "JOB":
            source = optional_name(item) or own_job
            if source != target:
                yield (HANDS_TO, *_pair(source), *_pair(target))
        elif (dataset := optional_name(item)) is not None:
            yield (JOB_READS, *_pair(target), *_pair(dataset))


def _entry(target: tuple[str, str], entry: Mapping[str, Any], own_job: Name | None) -> Iterator[Fact]:
    """An explicit entry into a dataset: from datasets, from fields for the whole of it, from jobs, and by field."""
    for item in _items(entry, "inputs"):
        yield from _explicit_source(target, item, own_job)
        source = optional_name(item)
        if item.get("type") != "JOB" and source is not None and _is_field(item.get("field")):
            yield (EXPLICIT_INFLUENCE, *_pair(source), item["field"], *target)
    fields = entry.get("fields")
    for name, into in fields.items() if isinstance(fields, Mapping) else ():
        if not _is_field(name) or not isinstance(into, Mapping):
            continue
        items = list(_items(into, "inputs"))
        for item in items:
            yield from _explicit_source(target, item, own_job)
        columns = [item for item in items if item.get("type") != "JOB"]
        yield from _field_inputs(target, name, columns, tags=(EXPLICIT_COLUMN, EXPLICIT_INFLUENCE))


def _explicit_source(target: tuple[str, str], item: Mapping[str, Any], own_job: Name | None) -> Iterator[Fact]:
    source = optional_name(item)
    if item.get("type") == "JOB":
        job = source or own_job
        if job is not None:
            yield (JOB_WRITES, *_pair(job), *target)
    elif source is not None:
        yield (SOURCE, *_pair(source), *target)
        if own_job is not None:
            yield (JOB_READS, *_pair(own_job), *_pair(source))


def _items(holder: Mapping[str, Any] | None, key: str) -> Iterator[Mapping[str, Any]]:
    items = holder.get(key) if holder else None
    for item in items if isinstance(items, list) else ():
        if type(item) is dict or isinstance(item, Mapping):  # the first is what JSON gives, and quick to see
            yield item


def _is_field(name: Any) -> TypeGuard[str]:
    if not isinstance(name, str) or not name:
        return False
    return len(name) <= MAX_FIELD_BYTES // 4 or len(name.encode(errors="replace")) <= MAX_FIELD_BYTES


def _pair(name: Name) -> tuple[str, str]:
    return name.namespace, name.name
