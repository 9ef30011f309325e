"""Rows of a view, as one reader may see them."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cachetools import TTLCache

from api.joins.views.decisions import ViewDecisions
from api.joins.views.service import Views
from catalog.errors import Conflict, InvalidInput, NotAllowed, Unavailable
from catalog.paths import VALUE
from policies.audit import AuditLog
from policies.decision.places import Places
from policies.masks.keys import MaskKeys
from policies.model import Decision, Effect, Subject
from policies.plan import explain
from views.model import Positions
from views.ports import Contained, ServingTable
from views.runner.state import Generation, ViewState
from views.serving.cursors import Cursors
from views.serving.leaves import NotExact
from views.serving.masked import MaskedView, masked_view
from views.serving.page import Page, read_page
from views.serving.wanted import read_wanted
from views.settings import ViewSettings

_AUDITED_S = 60.0
_TRIES = 3
_LOOK_S = 0.05


class ViewRows:
    """The service behind `GET /views/{name}/rows`. Safe for threads."""

    def __init__(
        self,
        views: Views,
        decisions: ViewDecisions,
        serving: ServingTable,
        keys: MaskKeys,
        audit: AuditLog,
        settings: ViewSettings,
    ) -> None:
        self._views, self._decisions, self._serving = views, decisions, serving
        self._keys, self._cursors, self._audit, self._settings = keys, Cursors(keys), audit, settings
        self._audited: TTLCache[tuple[object, ...], bool] = TTLCache(100_000, _AUDITED_S)
        self._lock = threading.Lock()

    def rows(
        self,
        subject: Subject,
        name: str,
        parameters: Mapping[str, Sequence[str]],
        purpose: str | None = None,
        at_least: str | None = None,
    ) -> dict[str, Any]:
        """{columns, rows, generation, freshness, next, left_out}. `parameters`: see `views.serving.wanted`.

        Raises NotFound, NotAllowed (details: reasons), InvalidInput, Conflict for a view without rows yet and for a reader
        whose rows come by SQL only, Unavailable where `at_least` is not contained in time.
        """
        for _ in range(_TRIES):
            declared, state = self._views.find(name)
            active = _active(name, state)
            decision = self._decisions.decide(subject, name, declared.spec, active, purpose)
            self._note(subject, name, active, decision, purpose)
            if decision.effect is not Effect.ALLOW:
                reasons = list(dict.fromkeys(r.text for r in decision.reasons if r.text))
                raise NotAllowed(
                    f"You may not read the view {name}.",
                    details={"view": name, "reasons": reasons or list(decision.gaps)},
                )
            masked = self._masked(name, active, decision)
            asked = read_wanted(
                parameters, masked.columns, active.keys, self._settings.default_rows, self._settings.most_rows
            )
            contained = self._reached(name, active, at_least)
            try:
                page = read_page(self._serving, name, active.id, active.keys, asked, masked, self._cursors)
            except NotExact as reason:
                raise _by_sql(name, active, str(reason)) from None
            now = self._views.find(name)[1]
            if now.active is not None and now.active.id == active.id:
                return _answer(active, decision, masked, page, now, contained)
        raise Unavailable(f"The rows of {name} are being replaced; try again in a moment.", details={"server": "views"})

    def _masked(self, name: str, active: Generation, decision: Decision) -> MaskedView:
        try:
            return masked_view(active.typed, decision, self._keys)
        except NotExact as reason:
            raise _by_sql(name, active, str(reason)) from None

    def _reached(self, name: str, active: Generation, at_least: str | None) -> Contained:
        """What the rows contain, once it is at least what is asked for."""
        wanted = _positions(at_least, list(active.goal)) if at_least else {}
        deadline = time.monotonic() + self._settings.wait_seconds
        while True:
            reached = self._serving.contained(name, active.id)
            missing = [
                f"{topic} {partition}:{offset}"
                for topic, each in wanted.items()
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

    def _note(self, subject: Subject, name: str, active: Generation, decision: Decision, purpose: str | None) -> None:
        """In the audit before the first row goes out; the same reader, purpose and decision once a minute."""
        key = (subject.user, name, active.id, purpose, decision.effect)
        with self._lock:
            if key in self._audited:
                return
        reasons = [] if decision.effect is Effect.ALLOW else [r.text for r in decision.reasons][:10]
        outcome = "allow" if decision.effect is Effect.ALLOW else "deny"
        self._audit.record(
            subject.user, "view.read", name, outcome, reasons, {"purpose": purpose, "generation": active.number}
        )
        with self._lock:
            self._audited[key] = True


def _active(name: str, state: ViewState) -> Generation:
    if state.active is not None:
        return state.active
    because = f" {state.error['message']}" if state.error else ""
    raise Conflict(
        f"The view {name} has no rows: it is {state.state}.{because}", details={"view": name, "state": state.state}
    )


def _by_sql(name: str, active: Generation, reason: str) -> Conflict:
    return Conflict(
        f"What you may see of {name} is computed by Spark ({reason}); read it by SQL.",
        details={"view": name, "topic": f"{active.cluster}/{active.topic}"},
    )


def _answer(
    active: Generation, decision: Decision, masked: MaskedView, page: Page, state: ViewState, contained: Contained
) -> dict[str, Any]:
    places = Places(decision.columns)
    return {
        "columns": [
            {
                "name": column.name, "type": column.type,
                "decision": explain.describe(places.deciding(VALUE.field(column.name)), True),
            }
            for column in masked.columns
        ],
        "rows": page.rows,
        "generation": active.number,
        "freshness": {
            "records": state.lag.get("records"), "seconds": state.lag.get("seconds"),
            "offsets": {topic: {str(p): n for p, n in each.items()} for topic, each in contained.offsets.items()},
        },
        "next": page.next,
        "leftOut": list(masked.left_out),
    }  # fmt: skip


def _positions(text: str, topics: Sequence[str]) -> dict[str, Positions]:
    """`0:100,1:50`, with `TOPIC=` before it and a semicolon between topics where the view reads several."""
    reached: dict[str, Positions] = {}
    try:
        for part in text.split(";"):
            topic, given, pairs = part.rpartition("=")
            if not given and len(topics) > 1:
                raise _wrong_offsets(text, f"name the topic of each, as in {topics[0]}=0:100")
            if given and topic not in topics:
                raise _wrong_offsets(text, f"the view reads {', '.join(topics)}")
            reached[topic if given else topics[0]] = {
                int(partition): int(offset) for partition, offset in (each.split(":") for each in pairs.split(","))
            }
    except ValueError:
        raise _wrong_offsets(text, "write PARTITION:OFFSET, as in 0:100,1:50") from None
    return reached


def _wrong_offsets(text: str, fix: str) -> InvalidInput:
    return InvalidInput(f"atLeast {text[:80]!r} cannot be read; {fix}.", details={"field": "atLeast"})
