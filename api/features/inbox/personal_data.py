"""What waits around personal data: detections, who sees it unmasked, topics without an owner, what no scan looked at."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from api.features.inbox.person import Person
from api.features.inbox.rows import FEW, Row, page, plural, verb
from catalog.change_cache import one_moment
from catalog.datasets.reviews import is_doubtful
from catalog.entities import is_personal
from catalog.entity_words import entity_words
from catalog.model import DatasetId, ReviewState
from catalog.paths import FieldPath
from catalog.records import DatasetRecord
from policies.access.grants import Grants
from policies.decision.domains import Power

COUNTED_S = 0.7
"""How long people who see personal data are counted; then the count is a lower bound, and the row states it."""


def detections(person: Person) -> Sequence[Row]:
    """Suggestions that the person may confirm or reject; of all datasets, or of their own."""
    doubts = [
        is_doubtful(each)
        for each in person.tags
        if each.state is ReviewState.SUGGESTED and _reviews(person, person.datasets[each.dataset])
    ]
    if not doubts:
        return []
    doubtful = sum(doubts)
    return [
        Row(
            kind="detection",
            duty="officer" if person.may(Power.REVIEW) else "owner",
            tone="waiting",
            count=len(doubts),
            subject=plural(len(doubts), "detection"),
            text="to review" + (f", {doubtful:,} doubtful" if doubtful else ""),
            action="Review",
            link=page("/review", state="suggested"),
        )
    ]


def _reviews(person: Person, record: DatasetRecord) -> bool:
    return person.owns(record) or person.has(Power.REVIEW, record)


def unmasked(person: Person, grants: Grants, clock: Callable[[], float] = time.monotonic) -> Sequence[Row]:
    """How many people see each kind of personal data unmasked; for those who may report on the datasets that have it.

    Rows for the kinds that most people see. Every dataset is decided on, which takes long in a large catalog: what was
    counted when the time is over is a lower bound.
    """
    places: dict[DatasetId, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in person.tags:
        if each.holds and is_personal(each.entity) and person.has(Power.REPORT, person.datasets[each.dataset]):
            places[each.dataset][each.path].add(each.entity)
    people: dict[str, set[str]] = defaultdict(set)
    until, looked = clock() + COUNTED_S, 0
    references = [person.datasets[dataset].reference for dataset in places]
    with one_moment():
        for of_paths, access in zip(places.values(), grants.access_of_each(references), strict=True):
            looked += 1
            for path, entities in of_paths.items():
                users = access.clear_users(FieldPath.parse(path)) if access is not None else set()
                for entity in entities:
                    people[entity] |= users
            if clock() > until:
                break
    part = "" if looked == len(places) else f", counted in {looked:,} of {len(places):,} topics"
    most = Counter({entity: len(users) for entity, users in people.items() if users}).most_common()
    ordered = sorted(most, key=lambda pair: (-pair[1], pair[0]))[:FEW]
    return [
        Row(
            kind="unmasked",
            duty="officer",
            tone="waiting",
            count=count,
            subject=("at least " if part else "") + plural(count, "person", "people"),
            text=f"{verb(count, 'sees', 'see')} {entity_words(entity, many=True)} unmasked{part}",
            action="Look",
            link=page("/reports", entity=entity),
        )
        for entity, count in ordered
    ]


def unowned(person: Person) -> Sequence[Row]:
    """Topics with personal data without owners of their own: as many as the list shows that the row links to."""
    personal = {each.dataset for each in person.tags if each.holds and is_personal(each.entity)}
    topics = [
        record
        for dataset in personal
        if not (record := person.datasets[dataset]).owners and person.has(Power.REPORT, record)
    ]
    if not topics:
        return []
    return [
        Row(
            kind="unowned",
            duty="officer",
            tone="waiting",
            count=len(topics),
            subject=plural(len(topics), "topic") + " with personal data",
            text=verb(len(topics), "has", "have") + " no owner",
            action="Name owners",
            link=page("/datasets", show="unowned", entity="PII"),
        )
    ]


def gaps(person: Person) -> Sequence[Row]:
    """Topics that nobody can vouch for: never scanned, or with fields that no detector finished."""
    within = [each for each in person.datasets.values() if person.has(Power.REPORT, each)]
    unscanned = sum(
        each.scanned_at is None and not each.scan.get("error") and each.source != "lineage" for each in within
    )
    unfinished = sum(bool(each.unscanned) for each in within)
    rows = []
    if unscanned:
        rows.append(
            Row(
                kind="unscanned",
                duty="officer",
                tone="waiting",
                count=unscanned,
                subject=plural(unscanned, "dataset"),
                text=verb(unscanned, "was", "were") + " never scanned",
                action="Scan",
                link=page("/datasets", show="unscanned"),
            )
        )
    if unfinished:
        rows.append(
            Row(
                kind="unfinished",
                duty="officer",
                tone="waiting",
                count=unfinished,
                subject=plural(unfinished, "dataset"),
                text=verb(unfinished, "has", "have") + " fields that no detector finished",
                action="Look",
                link=page("/datasets", show="unfinished"),
            )
        )
    return rows
