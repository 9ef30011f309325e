"""Views that failed, each failure announced once by the event `view.failed`. A duty of the worker."""

from __future__ import annotations

from datetime import timedelta

from api.joins.views.declared import DeclaredViews
from catalog.ports import EventSink
from policies.ports import Change, Clock, PolicyStore
from views.model import State
from views.ports import ViewStates

KIND = "Notice"
_PAUSE = timedelta(seconds=10)


class ViewFailures:
    """Call `step` now and then. What was announced is kept, so a restart repeats nothing."""

    def __init__(
        self, views: DeclaredViews, states: ViewStates, store: PolicyStore, events: EventSink, clock: Clock
    ) -> None:
        self._views, self._states, self._store, self._events, self._clock = views, states, store, events, clock
        self._next = clock()

    def step(self) -> int:
        """Announce what failed since the last look; how many. Raises Unavailable."""
        now = self._clock()
        if now < self._next:
            return 0
        self._next = now + _PAUSE
        failed = {name: each for name, each in self._states.all().items() if each.get("state") == State.FAILED}
        return sum(self._once(name, str(each.get("since") or "")) for name, each in sorted(failed.items()))

    def _once(self, view: str, since: str) -> int:
        declared = self._views.get(view)
        if declared is None:
            return 0
        owners = declared.spec.owners
        data = {
            "view": view,
            "since": since,
            "user": sorted(each.user for each in owners if each.user),
            "group": sorted(each.group for each in owners if each.group),
        }
        name = f"view.failed/{view}"
        with self._store.transaction():
            present = self._store.get(KIND, name)
            if present is not None and present.label == since:
                return 0
            self._store.apply([Change(KIND, name, {"at": since}, label=since)], self._clock())
            self._events.emit("view.failed", view, data)
        return 1
