"""A view's rows as one reader may see them: decided, masked, and in the audit. `rows` and `changes` both begin here."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cachetools import TTLCache

from api.features.views.answers import RowsColumn
from api.joins.views.decisions import ViewDecisions
from api.joins.views.seen import active_of
from api.joins.views.service import Views
from catalog.errors import Conflict, NotAllowed
from catalog.paths import VALUE
from policies.audit.log import AuditLog
from policies.decision.agents import stated_purpose
from policies.decision.places import Places
from policies.masks.keys import MaskKeys
from policies.model import Decision, Effect, Subject
from policies.plan import explain
from policies.purposes import NO_PURPOSES, Purposes
from views.runner.state import Generation, ViewState
from views.serving.leaves import NotExact
from views.serving.masked import MaskedView, masked_view

_AUDITED_S = 60.0
_RECENT_S = 0.05
"""A right that ends shows within a tenth of a second; see docs/reference/views.md."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What somebody may see of one generation."""

    name: str
    active: Generation
    state: ViewState
    decision: Decision
    masked: MaskedView
    shown: list[RowsColumn] = field(default_factory=list)
    """The columns that are shown."""

    @property
    def seen(self) -> str:
        """8 hexadecimal digits that differ where the reader would see other rows of the same generation."""
        columns = sorted((each.path, str(each.effect), repr(each.mask)) for each in self.decision.columns)
        text = repr((columns, [(each.name, each.type) for each in self.masked.columns], self.masked.left_out))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def by_sql(self, reason: str) -> Conflict:
        """The refusal of a way that cannot compute what the reader may see."""
        return Conflict(
            f"What you may see of {self.name} is computed by Spark ({reason}); read it by SQL.",
            details={"view": self.name, "topic": f"{self.active.cluster}/{self.active.topic}"},
        )


class ViewReading:
    """Opens views for readers. Safe for threads."""

    def __init__(
        self,
        views: Views,
        decisions: ViewDecisions,
        keys: MaskKeys,
        audit: AuditLog,
        purposes: Callable[[], Purposes] = lambda: NO_PURPOSES,
    ) -> None:
        self._views, self._decisions, self._keys, self._audit = views, decisions, keys, audit
        self._purposes = purposes
        self._audited: TTLCache[tuple[object, ...], bool] = TTLCache(100_000, _AUDITED_S)
        self._recent: TTLCache[tuple[Subject, str, str | None], Readable] = TTLCache(10_000, _RECENT_S)
        self._lock = threading.Lock()

    def open(self, subject: Subject, name: str, purpose: str | None, again: bool = False) -> Readable:
        """What the subject may see now. The audit has it once a minute; with `again` only a refusal.

        Raises NotFound, NotAllowed (details: reasons), Conflict for a view without rows and for a reader whose rows come
        by SQL only; InvalidInput for a purpose that nobody may state.
        """
        purpose = stated_purpose(subject, purpose)
        declared, state = self._views.find(name)
        active = active_of(name, state)
        decision = self._decisions.decide(subject, name, declared.spec, active, purpose)
        allowed = decision.effect is Effect.ALLOW
        if not (again and allowed):
            self._note(subject, name, active, decision, purpose)
        if not allowed:
            self._purposes().require(purpose)
            reasons = list(dict.fromkeys(r.text for r in decision.reasons if r.text))
            raise NotAllowed(
                f"You may not read the view {name}.",
                details={"view": name, "reasons": reasons or list(decision.gaps)},
            )
        try:
            masked = masked_view(active.typed, decision, self._keys)
        except NotExact as reason:
            raise Readable(name, active, state, decision, _NOTHING).by_sql(str(reason)) from None
        return Readable(
            name=name, active=active, state=state, decision=decision, masked=masked, shown=_shown(decision, masked)
        )

    def lately(self, subject: Subject, name: str, purpose: str | None) -> Readable:
        """As `open`; what was opened for the same subject in the last 50 milliseconds is given again. For reads by key, of
        which an application sends hundreds a second."""
        key = (subject, name, purpose)
        with self._lock:
            known = self._recent.get(key)
        if known is not None:
            return known
        opened = self.open(subject, name, purpose)
        with self._lock:
            self._recent[key] = opened
        return opened

    def forget(self, name: str) -> None:
        """Open the view again for everybody."""
        with self._lock:
            for key in [each for each in self._recent if each[1] == name]:
                del self._recent[key]

    def state(self, name: str) -> ViewState:
        """How the view is now. Raises NotFound."""
        return self._views.find(name)[1]

    def _note(self, subject: Subject, name: str, active: Generation, decision: Decision, purpose: str | None) -> None:
        """In the audit before the first row goes out; the same reader, purpose and decision once a minute."""
        key = (subject.user, *sorted(subject.sign_in_method.items()), name, active.id, purpose, decision.effect)
        with self._lock:
            if key in self._audited:
                return
        reasons = [] if decision.effect is Effect.ALLOW else [r.text for r in decision.reasons][:10]
        outcome = "allow" if decision.effect is Effect.ALLOW else "deny"
        details: Mapping[str, Any] = {
            "purpose": purpose,
            "purposePath": self._purposes().recorded(purpose),
            "generation": active.number,
            "dataset": decision.reference,
            "grants": list(decision.grants),
        }
        self._audit.record(subject.user, "view.read", name, outcome, reasons, {**details, **subject.sign_in_method})
        with self._lock:
            self._audited[key] = True


def _shown(decision: Decision, masked: MaskedView) -> list[RowsColumn]:
    places = Places(decision.columns)
    return [
        RowsColumn(
            name=column.name,
            type=column.type,
            decision=explain.describe(places.deciding(VALUE.field(column.name)), True),
        )
        for column in masked.columns
    ]


_NOTHING = MaskedView((), (), frozenset(), ())
