"""What fails in the datasets that a person answers for, and what is new in those that they know."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from api.features.contracts.shown import ShownContracts
from api.features.inbox.person import Person
from api.features.inbox.rows import FEW, Row, dataset_page, few, first_of, page, plural, verb
from api.joins.responsible import ResponsiblePeople, is_among
from catalog.model import DatasetId
from catalog.question_store import Question
from catalog.questions import Questions
from policies.spellings import same_person

NEW = timedelta(days=7)
"""How long a dataset counts as new."""


def contracts(person: Person, shown: ShownContracts) -> Sequence[Row]:
    """Broken contracts of their datasets, each with the first record that breaks it, as far as they may know of it."""
    own = {each.reference for each in person.datasets.values() if person.owns(each)}
    broken = [(each, dataset) for each in shown.all() if each.state == "broken" for dataset in each.datasets]
    mine = {each.name: dataset for each, dataset in reversed(broken) if dataset in own}

    def row(name: str) -> Row:
        breaches = [each for each in shown.get(name).breaches if each.endedAt is None and each.dataset in own]
        first = next((each for each in breaches if each.first is not None), None)
        where = f" at {first.first.partition}:{first.first.offset}" if first is not None and first.first else ""
        return Row(
            kind="contract",
            duty="owner",
            tone="broken",
            subject=f"Contract {name}",
            text=f"is broken{where}",
            action="Look",
            link=dataset_page(breaches[0].dataset if breaches else mine[name], "contracts"),
            since=min((_moment(each.beganAt) for each in breaches), default=None),
        )

    return few(
        sorted(mine),
        row,
        lambda n: (f"{n:,} more {verb(n, 'contract', 'contracts')}", verb(n, "is", "are") + " broken"),
        page("/datasets", show="problems"),
    )


def _moment(text: str | datetime) -> datetime:
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)


def asked(person: Person, questions: Questions, responsible: ResponsiblePeople) -> Sequence[Row]:
    """Open questions of others about datasets that they answer for, which nobody answered yet."""
    waiting = questions.about(person.datasets.keys(), only_open=True)
    mine = {
        dataset
        for dataset in {each.dataset for each in waiting}
        if is_among(person.subject, responsible.of(person.datasets[dataset]).people)
    }
    asked = [each for each in waiting if each.dataset in mine and not same_person(each.by, person.subject.user)]
    answered = {each.question for each in questions.answers_to([each.id for each in asked])}
    asked = [each for each in asked if each.id not in answered]
    by_dataset: dict[DatasetId, list[Question]] = {}
    for each in sorted(asked, key=lambda each: each.at):  # the dataset whose question waits longest comes first
        by_dataset.setdefault(each.dataset, []).append(each)
    rows = [_asked(person.datasets[dataset].reference, of) for dataset, of in list(by_dataset.items())[:FEW]]
    rest = list(by_dataset.items())[FEW:]
    if rest:
        first = person.datasets[rest[0][0]].reference
        more = [each for _, of in rest for each in of]
        rows.append(_asked(first, more, f"{first} and others"))
    return rows


def _asked(reference: str, of: Sequence[Question], where: str = "") -> Row:
    return Row(
        kind="dataset-question",
        duty="owner",
        tone="waiting",
        count=len(of),
        subject=plural(len(of), "question"),
        text=f"{verb(len(of), 'waits', 'wait')} for an answer: {where or reference}",
        action="Answer",
        link=dataset_page(reference, "questions"),
        since=first_of([each.at for each in of]),
    )


def departures(person: Person) -> Sequence[Row]:
    """Their datasets with records that do not fit the declared or registered schema."""
    departing = [
        each
        for each in person.datasets.values()
        if person.owns(each) and any(problem.get("reason") == "departs" for problem in each.scan.get("problems") or ())
    ]
    if not departing:
        return []
    one = len(departing) == 1
    return [
        Row(
            kind="departure",
            duty="owner",
            tone="broken",
            count=len(departing),
            subject=f"Records of {departing[0].reference}"
            if one
            else f"Records of {plural(len(departing), 'dataset')} of yours",
            text="depart from the declared or registered schema",
            action="Look",
            link=dataset_page(departing[0].reference, "schema") if one else page("/datasets", show="departs"),
        )
    ]


def new_data(person: Person) -> Sequence[Row]:
    """Datasets that the catalog learned of within a week."""
    since = person.now - NEW
    count = sum(each.created_at is not None and each.created_at >= since for each in person.datasets.values())
    if count == 0:
        return []
    return [
        Row(
            kind="new-data",
            duty="analyst",
            tone="news",
            count=count,
            subject=plural(count, "dataset"),
            text=verb(count, "is", "are") + " new since last week",
            action="Look",
            link=page("/datasets", show="new"),
        )
    ]
