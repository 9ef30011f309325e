"""Rows of the inbox, and the words that they share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import quote, urlencode

from api.features.inbox.answers import Duty, InboxRow, RowKind, Tone
from catalog.records import rfc3339

T = TypeVar("T")

FEW = 3
"""Things that have a row each; of more there is one row that counts the rest."""


@dataclass(frozen=True, slots=True)
class Row:
    """See `InboxRow`."""

    kind: RowKind
    duty: Duty
    tone: Tone
    subject: str
    text: str
    action: str
    link: str
    count: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    def answer(self) -> InboxRow:
        return InboxRow(
            kind=self.kind,
            duty=self.duty,
            tone=self.tone,
            count=self.count,
            subject=self.subject,
            text=self.text,
            action=self.action,
            link=self.link,
            since=rfc3339(self.since),
            until=rfc3339(self.until),
        )


def few(things: Sequence[T], row: Callable[[T], Row], more: Callable[[int], tuple[str, str]], link: str) -> list[Row]:
    """A row for each of the first things; for the others one that counts them. `more`: their number -> subject and text."""
    rows = [row(each) for each in things[:FEW]]
    left = len(things) - len(rows)
    if left == 0:
        return rows
    subject, text = more(left)
    return [*rows, replace(rows[-1], subject=subject, text=text, link=link, count=left, since=None, until=None)]


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 topic`, `2 topics`, `1,000 topics`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def verb(count: int, one: str, many: str) -> str:
    """The form of a verb that goes with a count."""
    return one if count == 1 else many


def first_of(moments: Collection[datetime | None]) -> datetime | None:
    """The earliest; None where there is none."""
    return min((each for each in moments if each is not None), default=None)


def page(path: str, **parameters: str) -> str:
    """The address of a page: `/review?state=suggested`."""
    return f"{path}?{urlencode(parameters, quote_via=quote)}" if parameters else path


def dataset_page(reference: str, tab: str = "") -> str:
    """The page of `CLUSTER/TOPIC`; the last slash parts the two."""
    place, _, name = reference.rpartition("/")
    return f"/datasets/{quote(place, safe='')}/{quote(name, safe='')}{'/' + tab if tab else ''}"
