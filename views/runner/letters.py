"""Dead letters: where a view's sources have values that do not fit. They name the record and hold no value of it.

    the engine counts values of a batch that do not fit -> their records are looked up -> a letter each, in NAME.dead-letters

A batch without such values costs nothing. What was looked through is kept after its letters were written, so after a failure a
letter may come again, with the same key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import structlog

from catalog.errors import Conflict
from catalog.records import rfc3339
from policies.plan.errors import QueryFailed
from views.model import Positions, Progress, StreamPlan, Unfit
from views.ports import TopicSettings
from views.runner.state import Generation, Letters, Offsets
from views.runner.tools import Tools

_log = structlog.get_logger(__name__)
_MOST = 10_000
"""Letters of one look and topic; the rest are counted."""
_EACH_S = 5.0
_DAYS_MS = 86_400_000
_KEPT_DAYS = 30


def topic_of(view: str) -> str:
    """The name of a view's dead-letter topic, on the cluster of the view's own topic."""
    return f"{view}.dead-letters"


def check(view: str, cluster: str, letters: Letters, tools: Tools) -> None:
    """Raises Conflict where the dead-letter topic holds what is not this view's; Unavailable."""
    topic, kafka = topic_of(view), tools.clusters.client(cluster)
    if letters.clusters or not tools.topics.partitions(kafka, topic):
        return
    if tools.topics.ends(kafka, topic) != tools.topics.starts(kafka, topic):
        raise Conflict(
            f"The topic {cluster}/{topic}, where the view would report values that do not fit, holds other records; delete"
            " it, give the view another name, or write onError: stop.",
            details={"topic": f"{cluster}/{topic}"},
        )


class DeadLetters:
    """Of one generation while its stream runs."""

    def __init__(self, view: str, generation: Generation, plan: StreamPlan, letters: Letters, tools: Tools) -> None:
        """`letters` is changed in place, and kept by the caller."""
        self._view, self._generation, self._plan = view, generation, plan
        self._letters, self._tools = letters, tools
        if letters.generation != generation.id:
            letters.generation, letters.looked = generation.id, {t: dict(p) for t, p in generation.starts.items()}
        self._reached: Offsets = {topic: dict(each) for topic, each in letters.looked.items()}
        self._suspect = False
        self._looked = -1e9

    def note(self, status: Progress) -> None:
        """Take in what the engine reported. Raises Unavailable where letters cannot be looked up or written: the next call
        tries again."""
        if not status.offsets:
            return
        # Batches that nobody saw reported may have had such values, too.
        for each in (*status.before, status) if status.batches else ():
            self._suspect = self._suspect or each.unfit_values > 0
        if status.batches:
            first = (*status.before, status)[0]
            self._suspect = self._suspect or _beyond(first.starts, self._reached)
        self._reached = {topic: dict(each) for topic, each in status.offsets.items()}
        if not self._suspect:
            self._letters.looked = {topic: dict(each) for topic, each in self._reached.items()}
        elif self._tools.monotonic() - self._looked >= _EACH_S:
            self._looked = self._tools.monotonic()
            try:
                self._look()
            except QueryFailed as error:  # the values are counted, and the view goes on; it is tried again
                _log.warning("view_letters_not_written", view=self._view, message=error.message)

    def _look(self) -> None:
        reached = {topic: dict(each) for topic, each in self._reached.items()}
        ranges = {
            topic: {p: (self._letters.looked.get(topic, {}).get(p, 0), end) for p, end in each.items()}
            for topic, each in reached.items()
        }
        unfit = self._tools.engine.unfit(self._plan, ranges, _MOST)
        if unfit:
            kafka = self._tools.clusters.client(self._generation.cluster)
            topic = topic_of(self._view)
            settings = TopicSettings(1, 1, compacted=False, ttl_ms=_KEPT_DAYS * _DAYS_MS)
            self._letters.clusters = sorted({*self._letters.clusters, self._generation.cluster})
            self._tools.topics.ensure(kafka, topic, settings)
            self._tools.topics.send(kafka, topic, [(_key(each), self._letter(each)) for each in unfit])
            self._letters.written += len(unfit)
            if len(unfit) >= _MOST:
                self._letters.cut += 1
        self._letters.looked = reached
        self._suspect = False

    def _letter(self, each: Unfit) -> bytes:
        letter = {
            "view": self._view,
            "generation": self._generation.number,
            "topic": each.topic,
            "partition": each.partition,
            "offset": each.offset,
            "fields": list(each.fields),
            "reason": _reason(each.fields),
            "at": rfc3339(self._tools.clock()),
        }
        return json.dumps(letter, ensure_ascii=False).encode()


def _key(each: Unfit) -> str:
    return f"{each.topic}/{each.partition}/{each.offset}"


def _reason(fields: tuple[str, ...]) -> str:
    if any(field in ("key", "value") for field in fields):
        return "The record cannot be decoded as its dataset declares it."
    return f"{', '.join(fields)}: a value does not fit the field's type and is read as NULL."


def _beyond(starts: Mapping[str, Positions], looked: Mapping[str, Positions]) -> bool:
    """Whether batches began behind what is known."""
    return any(
        start > looked.get(topic, {}).get(partition, 0)
        for topic, each in starts.items()
        for partition, start in each.items()
    )
