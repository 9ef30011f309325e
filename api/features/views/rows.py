"""Rows of a view, as one reader may see them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from cachetools import TTLCache

from api.features.views import answers
from api.features.views.reading import ViewReading
from catalog.errors import InvalidInput, Unavailable
from policies.decision.agents import most_rows
from policies.masks.keys import MaskKeys
from policies.model import Subject
from policies.plan.ports import NoAgents, RowBudget
from views.model import Positions
from views.row_ports import Contained, ServingTable
from views.runner.state import Generation
from views.serving.cursors import Cursors
from views.serving.leaves import NotExact
from views.serving.masked import MaskedView
from views.serving.page import Page, read_page
from views.serving.wanted import RowQuestion, read_wanted
from views.settings import ViewSettings

_TRIES = 3
_LOOK_S = 0.05


class ViewRows:
    """The service behind `GET /views/{name}/rows`. Safe for threads."""

    def __init__(
        self,
        reading: ViewReading,
        serving: ServingTable,
        keys: MaskKeys,
        settings: ViewSettings,
        budget: RowBudget | None = None,
    ) -> None:
        self._reading, self._serving, self._budget = reading, serving, budget or NoAgents()
        self._cursors, self._settings = Cursors(keys), settings
        self._contained: TTLCache[tuple[str, str], Contained] = TTLCache(10_000, _LOOK_S)
        self._lock = threading.Lock()

    def rows(
        self,
        subject: Subject,
        name: str,
        parameters: Mapping[str, Sequence[str]],
        purpose: str | None = None,
        at_least: str | None = None,
        signed_in: Callable[[], Subject] | None = None,
    ) -> answers.ViewRows:
        """A page of rows. `parameters`: see `views.serving.wanted`.
        `signed_in`: who asks as they are after a wait for `at_least`; raises NotSignedIn.

        Raises NotFound, NotAllowed (details: reasons), InvalidInput, Conflict for a view without rows yet and for a reader
        whose rows come by SQL only, LimitExceeded for an agent that has no rows left today, Unavailable where `at_least`
        is not contained in time.
        """
        self._budget.require_left(subject)
        most = most_rows(subject, self._settings.most_rows)
        default = min(self._settings.default_rows, most)
        for _ in range(_TRIES):
            opened = self._reading.lately(subject, name, purpose)
            active, masked = opened.active, opened.masked
            asked = read_wanted(parameters, masked.columns, active.keys, default, most)
            contained = self._reached(name, active, at_least) if at_least else self._lately(name, active)
            if at_least:  # what was decided before the wait may have ended since
                subject = signed_in() if signed_in is not None else subject
                opened = self._reading.open(subject, name, purpose, again=True)
                if opened.active.id != active.id:
                    continue
                masked = opened.masked
                asked = read_wanted(parameters, masked.columns, active.keys, default, most)
            try:
                page = read_page(self._serving, name, active.id, active.keys, asked, masked, self._cursors)
            except NotExact as reason:
                raise opened.by_sql(str(reason)) from None
            # A generation that is dropped while it is read would look empty, so it is looked at behind rows that may be missing.
            if _whole(asked, page, masked, active.keys) or self._serving.contained(name, active.id).there:
                self._budget.take(subject, len(page.rows))
                return answers.ViewRows(
                    columns=opened.shown,
                    rows=page.rows,
                    generation=active.number,
                    freshness=answers.Freshness.of(opened.state, contained),
                    next=page.next,
                    left_out=list(masked.left_out),
                )
            self._reading.forget(name)
        raise Unavailable(f"The rows of {name} are being replaced; try again in a moment.", details={"server": "views"})

    def _lately(self, name: str, active: Generation) -> Contained:
        """What the rows contained within the last 50 milliseconds, and so contain now."""
        with self._lock:
            known = self._contained.get((name, active.id))
        if known is None:
            known = self._serving.contained(name, active.id)
            with self._lock:
                self._contained[name, active.id] = known
        return known

    def _reached(self, name: str, active: Generation, at_least: str) -> Contained:
        """What the rows contain, once it is at least what is asked for."""
        positions = _positions(at_least, list(active.goal))
        deadline = time.monotonic() + self._settings.wait_seconds
        while True:
            reached = self._serving.contained(name, active.id)
            missing = [
                f"{topic} {partition}:{offset}"
                for topic, each in positions.items()
                for partition, offset in each.items()
                if reached.offsets.get(topic, {}).get(partition, 0) < offset
            ]
            if not missing:
                return reached
            if time.monotonic() >= deadline:
                raise Unavailable(
                    f"The view {name} does not contain {missing[0]} after {self._settings.wait_seconds:g} seconds; ask again.",
                    details={"server": "views", "missing": missing[:20]},
                )
            time.sleep(_LOOK_S)


def _whole(asked: RowQuestion, page: Page, masked: MaskedView, key: Sequence[str]) -> bool:
    """Whether each key that is asked for has its row."""
    keys = asked.wanted.keys
    return keys is not None and len(page.rows) == len(keys) and all(map(masked.unmasked, key))


def _positions(text: str, topics: Sequence[str]) -> dict[str, Positions]:
    """`0:100,1:50`, with `TOPIC=` before it and a semicolon between topics where the view reads several."""
    reached: dict[str, Positions] = {}
    try:
        for part in text.split(";"):
            topic, separator, pairs = part.rpartition("=")
            if not separator and len(topics) > 1:
                raise _wrong_offsets(text, f"name the topic of each, as in {topics[0]}=0:100")
            if separator and topic not in topics:
                raise _wrong_offsets(text, f"the view reads {', '.join(topics)}")
            reached[topic if separator else topics[0]] = {
                int(partition): int(offset) for partition, offset in (each.split(":") for each in pairs.split(","))
            }
    except ValueError:
        raise _wrong_offsets(text, "write PARTITION:OFFSET, as in 0:100,1:50") from None
    return reached


def _wrong_offsets(text: str, fix: str) -> InvalidInput:
    return InvalidInput(f"atLeast {text[:80]!r} cannot be read; {fix}.", details={"field": "atLeast"})
