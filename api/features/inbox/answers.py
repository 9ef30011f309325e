"""The answer of `/inbox`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about

Duty = Literal["owner", "officer", "administrator", "analyst"]
Tone = Literal["broken", "waiting", "news"]
RowKind = Literal[
    "request",
    "question",
    "right",
    "dataset-question",
    "contract",
    "incident",
    "departure",
    "detection",
    "unmasked",
    "unowned",
    "unscanned",
    "unfinished",
    "server",
    "lineage-lag",
    "consumer-lag",
    "failed-scan",
    "disk",
    "certificate",
    "masked-copy",
    "grant",
    "new-data",
]


class InboxRow(Answer):
    """One thing to do. Read as a sentence: `subject` `text`, then `since` or `until` where there is one."""

    kind: RowKind
    duty: Duty = about("As whom the caller does it; a person may be several.")
    tone: Tone = about("broken: something fails; waiting: somebody has to decide; news: good to know.")
    count: int | None = about("How many; null for a row about one thing without a number.")
    subject: str = about("What it is about, with its number: 45 detections.")
    text: str = about("What is with it: to review, 8 doubtful.")
    action: str = about("One verb of what to do: Review.")
    link: str = about("The page that lists what is counted: its path and query.")
    since: Time | None = about("Since when the first of them waits or fails.")
    until: Time | None = about("When it ends.")


class UncountedPart(Answer):
    """A part of the inbox that cannot be counted now."""

    part: str
    message: str = about("One sentence.")


class InboxAdvice(Answer):
    """What to do while nothing waits."""

    text: str
    action: str
    link: str


class Inbox(Answer):
    """Rows in the order in which to do them: what is broken first, then by duty."""

    rows: list[InboxRow]
    uncounted: list[UncountedPart] = about("Empty where every part was counted; the rows of the others are complete.")
    counting: list[str] = about("Parts that are still counted when `within` is over; the next look has them.")
    next: InboxAdvice | None = about("Null while a row waits.")
