"""What people and applications ask of views: which there are, how they are, their rows, and operating them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.edge.metrics import FiguresOfView
from api.joins.views.declared import DeclaredViews
from api.joins.views.seen import SeenStates
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.near_names import did_you_mean
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.model import Subject
from policies.sql.literals import without_literals
from policies.sql.windows import read_time
from views.declared import ViewSpec
from views.model import State, Wish
from views.ports import ViewStates
from views.row_ports import ServingTable
from views.runner.state import Generation, ViewState
from views.runner.tools import DeclaredView

Sees = Callable[[Subject, str, DeclaredView, Generation | None], bool]


@dataclass(frozen=True, slots=True)
class ShownView:
    """A view as somebody may see it.

    active, building  generations: the one that readers get, and the one that is being built
    columns           [name, Spark's type] of each
    lag               {records, seconds, at}; empty for who may not know how many records there are, as `rates` and `counts`
    error             {code, message, details} of what ended it last
    history           figures every ten seconds; None where they were not asked for
    rows              that readers get; None where they were not asked for, or may not be known
    operable          whether it may be paused, resumed, restarted, rebuilt and deleted
    """

    name: str
    state: State
    since: str | None
    active: Generation | None
    building: Generation | None
    spec: ViewSpec
    sources: Sequence[str]
    key: Sequence[str]
    columns: Sequence[Sequence[str]]
    lag: Mapping[str, Any]
    rates: Mapping[str, Any]
    counts: Mapping[str, Any]
    error: Mapping[str, Any] | None
    notes: Sequence[str]
    sql: str
    description: str
    restarts: int
    operable: bool
    history: Sequence[Mapping[str, Any]] | None = None
    rows: int | None = None


class Views:
    """The service behind `/api/v1/views`, but for the rows. Safe for threads."""

    def __init__(
        self,
        declared: DeclaredViews,
        states: ViewStates,
        seen: SeenStates,
        serving: ServingTable,
        audit: AuditLog,
        sees: Sees,
        manages: Callable[[Subject], bool],
    ) -> None:
        """`sees`: whether somebody may know how many records and rows there are; `manages`: whether they may operate and
        delete views."""
        self._declared, self._states, self._serving, self._audit = declared, states, serving, audit
        self._sees, self._manages, self._seen = sees, manages, seen

    def any(self) -> bool:
        """Whether there is a view, or something left of one, for the runner to see to."""
        return bool(self._declared.names() or self._states.all())

    def find(self, name: str) -> tuple[DeclaredView, ViewState]:
        """Raises NotFound naming the nearest."""
        declared = self._declared.get(name)
        if declared is None:
            names = self._declared.names()
            near = difflib.get_close_matches(name, names, 3)
            fix = did_you_mean(near, " weir view list shows all.", " ")
            raise NotFound(f"There is no view {name!r}.{fix}", details={"view": name, "nearest": near})
        return declared, self._seen.get(name)

    def all(self, subject: Subject) -> list[ShownView]:
        """Each view as `describe` gives it, by name; without the number of its rows."""
        states = self._seen.all()
        shown = []
        for name in self._declared.names():
            declared = self._declared.get(name)
            if declared is not None:
                shown.append(self._shown(subject, name, declared, states.get(name, ViewState())))
        return shown

    def describe(self, subject: Subject, name: str) -> ShownView:
        """One view, with its history and the number of its rows. Raises NotFound.

        Figures that count records or rows, and literals in the SQL, are for who may read the view or manages.
        """
        declared, state = self.find(name)
        shown = self._shown(subject, name, declared, state)
        active = state.active
        if not self._sees(subject, name, declared, active):
            return replace(shown, history=[])
        rows = self._serving.count(name, active.id) if active is not None else 0
        return replace(shown, history=state.history, rows=rows)

    def _shown(self, subject: Subject, name: str, declared: DeclaredView, state: ViewState) -> ShownView:
        spec, active, sees = declared.spec, state.active, self._sees(subject, name, declared, state.active)
        return ShownView(
            name=name,
            state=State(state.state) if state.since else State.STARTING,
            since=state.since or None,
            active=active,
            building=state.building,
            spec=spec,
            sources=active.sources if active is not None else [],
            key=active.keys if active is not None else list(spec.key or ()),
            columns=active.columns if active is not None else [],
            lag=state.lag if sees else {},
            rates=state.rates if sees else {},
            counts=state.counts if sees else {},
            error=state.error,
            notes=active.notes if active is not None else [],
            sql=spec.sql if sees else without_literals(spec.sql),
            description=spec.description,
            restarts=state.restarts,
            operable=self._manages(subject),
        )

    def figures(self) -> dict[str, FiguresOfView]:
        """Of each view, for Prometheus. Raises Unavailable."""
        states = self._seen.all()
        kept = {name: states.get(name, ViewState()) for name in self._declared.names()}
        return {
            name: FiguresOfView(
                str(state.state),
                {
                    "lag": state.lag,
                    "rates": state.rates,
                    "counts": state.counts,
                    "generation": {"number": state.active.number if state.active is not None else None},
                    "restarts": {"number": state.restarts},
                },
            )
            for name, state in kept.items()
        }

    def pause(self, subject: Subject, name: str) -> None:
        """Stop the stream and keep state and rows; they do not change until it is resumed."""
        self._wish(subject, name, "view.pause", {"paused": True})

    def resume(self, subject: Subject, name: str) -> None:
        """Continue from where it was paused."""
        self._wish(subject, name, "view.resume", {"paused": False})

    def restart(self, subject: Subject, name: str) -> None:
        """Start the stream again from its checkpoint, now."""
        _, state = self.find(name)
        self._wish(subject, name, "view.restart", {"restart": state.restart + 1, "paused": False})

    def rebuild(self, subject: Subject, name: str, since: str | None = None) -> None:
        """Build a new generation from `startFrom`, or from `since`: earliest, latest, or a time (RFC 3339); readers get it
        when it has caught up. Raises Conflict while one is being built, InvalidInput for another text."""
        if since is not None and since not in ("earliest", "latest"):
            try:
                read_time(since)
            except (ValueError, InvalidInput):
                raise InvalidInput(
                    f"{since[:80]!r} is not a start; write earliest, latest, or a time as in 2026-11-20T10:00:00Z.",
                    details={"field": "from"},
                ) from None
        _, state = self.find(name)
        if state.building is not None:
            raise Conflict(
                f"Generation {state.building.number} of {name} is being built already.", details={"view": name}
            )
        self._wish(subject, name, "view.rebuild", {"rebuild": state.rebuild + 1, "from": since, "paused": False})

    def _wish(self, subject: Subject, name: str, action: AuditAction, wish: Wish) -> None:
        self.find(name)
        self._audit.record(subject.user, action, name, "allow", [])
        self._states.put_wish(name, self._states.wish(name) | wish)
