"""What a decision comes to for a reader of a list: how much is shown, and the rules behind it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.paths import FieldPath
from policies.decision.column_outcome import Outcome
from policies.decision.columns import FieldDecisions
from policies.decision.places import Places
from policies.model import ColumnDecision, Decision, Effect, MaskType, Reason

CLEAR, PARTLY, MASKED, NOTHING = "clear", "partly", "masked", "none"
_RANK = {"owner": 0, "role": 1, "grant": 2, "exception": 3, "policy": 4, "row-filter": 5, "view": 6, "gap": 7}
MOST_RULES = 40
"""Rules of one entry; more are counted."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule behind what is shown.

    kind   owner | role | grant (what opens), exception (a policy that does not hold for them), policy, row-filter, view, gap
    until  the end of a grant; purpose: what it is for
    """

    kind: str
    name: str
    text: str
    until: datetime | None = None
    purpose: str | None = None


@dataclass(frozen=True, slots=True)
class HeldRule:
    """A rule, and how somebody comes to it: `named`, `group sales`, ...; empty where it is for everybody."""

    rule: Rule
    how: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownParts:
    """How much of a dataset, or of one place in it, somebody sees.

    shows       `clear` (all of it) | `masked` (all behind masks) | `partly` (some of it, or all in some rows) | `none`
    `clear, masked, hidden`  fields of each kind; a field that is unmasked in some rows only counts as masked
    masks       the masks in force, sorted; rows: row filters; clear_when: rows in which masked fields show unmasked
    """

    shows: str
    clear: int
    masked: int
    hidden: int
    masks: tuple[str, ...]
    rows: tuple[str, ...]
    clear_when: tuple[str, ...]
    until: datetime | None
    rules: tuple[Rule, ...]
    more_rules: int = 0

    @property
    def what(self) -> object:
        """All that is shown, whatever the rules behind it."""
        return (self.shows, self.clear, self.masked, self.hidden, self.masks, self.rows, self.clear_when)


class Summaries:
    """Makes `ShownParts` of decisions on one dataset; columns that several decisions share are counted once."""

    def __init__(self, place: FieldPath | None, ends: dict[str, tuple[datetime, str]]) -> None:
        """`place`: only this field; `ends`: grant -> (its end, its purpose)."""
        self._place, self._ends = place, ends
        self._counted: dict[int, tuple[Sequence[ColumnDecision], _Counted]] = {}

    def of(self, decision: Decision) -> ShownParts:
        """What one decision shows."""
        if decision.effect is not Effect.ALLOW:
            return self._shown(NOTHING, _Counted(), (), decision.reasons, ())
        cached = self._counted.get(id(decision.columns))
        if cached is None:
            # The columns are kept beside, so that no other object gets their id meanwhile.
            cached = self._counted[id(decision.columns)] = (decision.columns, self._count(decision))
        counted = cached[1]
        if self._place is not None and not counted.clear and not counted.masked:
            return self._shown(NOTHING, counted, (), counted.reasons or decision.reasons, ())
        some = PARTLY if counted.clear or counted.lifted else MASKED
        shows = some if counted.masked or counted.hidden else CLEAR
        rows = tuple(sorted(f.where for f in decision.filters))
        return self._shown(shows, counted, rows, (*counted.reasons, *decision.reasons), decision.grants)

    def _shown(
        self, shows: str, counted: _Counted, rows: tuple[str, ...], reasons: Iterable[Reason], grants: Iterable[str]
    ) -> ShownParts:
        rules = sorted(dict.fromkeys(self._rules(reasons)), key=lambda r: (_RANK[r.kind], r.name, r.text))
        names = {r.name for r in rules if r.kind == "grant"} | set(grants)
        until = min((self._ends[name][0] for name in names if name in self._ends), default=None)
        return ShownParts(
            shows=shows,
            clear=counted.clear,
            masked=counted.masked,
            hidden=counted.hidden,
            masks=counted.masks,
            rows=rows,
            clear_when=counted.lifted,
            until=until,
            rules=tuple(rules[:MOST_RULES]),
            more_rules=max(0, len(rules) - MOST_RULES),
        )

    def _rules(self, reasons: Iterable[Reason]) -> Iterable[Rule]:
        for reason in reasons:
            kind = "exception" if reason.exception else reason.kind
            if kind not in _RANK or (kind == "grant" and reason.name == "rows"):
                continue
            until, purpose = self._ends.get(reason.name, (None, None)) if kind == "grant" else (None, None)
            yield Rule(kind, reason.name, reason.text, until, purpose)

    def _outcomes(self, decision: Decision) -> Iterable[tuple[ColumnDecision | Outcome, int]]:
        if self._place is not None:
            return ((column, 1) for column in Places(decision.columns).deciding(self._place))
        if isinstance(decision.columns, FieldDecisions):
            return decision.columns.outcomes()
        return ((column, 1) for column in decision.columns)

    def _count(self, decision: Decision) -> _Counted:
        counted = _Counted()
        masks: set[str] = set()
        lifted: set[str] = set()
        reasons: dict[tuple[Reason, bool], None] = {}
        for column, count in self._outcomes(decision):
            reasons.update(dict.fromkeys((r, r.exception) for r in column.reasons if r.kind != "tag"))
            if column.effect is Effect.DENY:
                counted.hidden += count
            elif column.mask is None or column.mask.type is MaskType.MASK_NONE:
                counted.clear += count
            else:
                counted.masked += count
                masks.add(str(column.mask.type))
                if column.clear_when is not None:
                    lifted.add(column.clear_when)
        counted.masks, counted.lifted = tuple(sorted(masks)), tuple(sorted(lifted))
        counted.reasons = tuple(reason for reason, _ in reasons)
        return counted


@dataclass(slots=True)
class _Counted:
    clear: int = 0
    masked: int = 0
    hidden: int = 0
    masks: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
