"""Declared purposes: who uses each, whether a change of them holds, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.errors import Conflict, InvalidInput
from policies.access.grants import status_at
from policies.access_request import OPEN, AccessRequest, RequestState
from policies.declared.purpose_specs import check_fits, named_in
from policies.declared.state import GovernanceState, View
from policies.model import GrantStatus
from policies.ports import Clock
from policies.purposes import Fit, Purpose
from policies.request_transitions import at

Users = Mapping[str, list[str]]
"""Purpose -> what names it: `Grant g-7`, `Policy cards`, `AccessRequest req-1`, `View daily`."""

MOST_NAMED = 5
MOST_LISTED = 50
"""Users of one purpose that a list names; there may be a hundred thousand grants."""
_LIVING = (GrantStatus.APPROVED, GrantStatus.PENDING)


@dataclass(frozen=True, slots=True)
class ListedPurpose:
    """A declared purpose. path: from the root to it; legal_basis, retention: its own, or those of the nearest purpose above.

    users  the first that name it, and `uses` how many do; None where nobody asked for them
    """

    purpose: Purpose
    path: tuple[str, ...]
    legal_basis: str | None
    retention: str | None
    users: Sequence[str] | None
    uses: int | None


@dataclass(frozen=True, slots=True)
class UndeclaredPurpose:
    """A name that something uses and no query can state. users: the first; uses: how many."""

    name: str
    users: Sequence[str]
    uses: int


@dataclass(frozen=True, slots=True)
class PurposeList:
    """The tree, each purpose behind its parent; `undeclared` only where users were asked for."""

    purposes: Sequence[ListedPurpose]
    undeclared: Sequence[UndeclaredPurpose]


class PurposeUse:
    """`views` gives the specs of declared views, by name."""

    def __init__(
        self,
        state: GovernanceState,
        clock: Clock,
        views: Callable[[], Iterable[tuple[str, Mapping[str, Any]]]] = lambda: (),
    ) -> None:
        self._state, self._clock, self._views = state, clock, views

    def require(self, purpose: str | None) -> None:
        """Raises InvalidInput for a purpose that nobody may state."""
        if purpose is not None:
            self._state.view().purposes.require(purpose)

    def users(self) -> Users:
        """What uses each purpose now. Grants and requests that are over do not count."""
        view, now = self._state.view(), self._clock()
        collected: dict[str, list[str]] = {}

        def note(user: str, names: Iterable[str]) -> None:
            for name in names:
                collected.setdefault(name, []).append(user)

        for grant in view.grants.values():
            if status_at(grant, now) in _LIVING:
                note(f"Grant {grant.name}", [grant.purpose])
        store = self._state.store
        for document in store.documents("Policy"):
            note(f"Policy {document.name}", sorted(named_in("Policy", document.spec)))
        for state in OPEN:
            for document in store.documents("AccessRequest", label=str(state)):
                request = at(AccessRequest.from_json(document.spec or {}), now)
                if request.state is not RequestState.EXPIRED:
                    note(f"AccessRequest {document.name}", [request.purpose])
        for name, spec in self._views():
            note(f"View {name}", sorted(named_in("View", spec)))
        for purpose in view.purposes.by_name.values():
            if purpose.parent is not None:
                note(f"Purpose {purpose.name}", [purpose.parent])
        return {name: sorted(users) for name, users in collected.items()}

    def holds(self, changed: Collection[tuple[str, str, Any]], removed: Collection[str]) -> None:
        """Inside the transaction that wrote them: raises InvalidInput or Conflict where the purposes do not hold together.

        changed  kind, name and spec of each document that was written; removed: purposes that were deleted
        """
        purposes = self._state.view().purposes
        fit = Fit(purposes.by_name) if any(kind == "Purpose" for kind, _, _ in changed) else None
        for kind, name, spec in changed:
            if kind == "Purpose" and fit is not None:
                check_fits(name, fit)
            elif purposes:
                for each in sorted(named_in(kind, spec)):
                    _require(kind, name, each, purposes.is_known(each), purposes.unknown)
        if not removed:
            return
        users = self.users()
        for name in sorted(removed):
            if name not in purposes.by_name and users.get(name):
                raise Conflict(
                    in_use(name, users[name]),
                    details={"kind": "Purpose", "name": name, "users": users[name][:MOST_LISTED]},
                )

    def listed(self, *, with_users: bool) -> PurposeList:
        """The declared purposes, and what uses each."""
        view = self._state.view()
        users = self.users() if with_users else {}
        purposes = view.purposes
        return PurposeList(
            [
                ListedPurpose(
                    each,
                    tuple(reversed(purposes.path(each.name))),
                    purposes.legal_basis(each.name),
                    purposes.retention(each.name),
                    users.get(each.name, [])[:MOST_LISTED] if with_users else None,
                    len(users.get(each.name, ())) if with_users else None,
                )
                for each in purposes.ordered()
            ],
            [
                UndeclaredPurpose(name, names[:MOST_LISTED], len(names))
                for name, names in sorted(users.items())
                if not purposes.is_known(name)
            ],
        )


def in_use(name: str, users: list[str]) -> str:
    """The sentence that refuses to delete a purpose."""
    more = f" and {len(users) - MOST_NAMED} more" if len(users) > MOST_NAMED else ""
    return (
        f"Purpose {name} is used by {', '.join(users[:MOST_NAMED])}{more}; change these first, or mark it deprecated."
    )


def _require(kind: str, name: str, purpose: str, known: bool, unknown: Callable[[str], str]) -> None:
    if not known:
        raise InvalidInput(
            f"{kind} {name}: {unknown(purpose)}", details={"kind": kind, "name": name, "field": "purpose"}
        )


def about(view: View, purpose: str | None) -> dict[str, str | None]:
    """{legalBasis, retention} of a purpose, for reports."""
    return {"legalBasis": view.purposes.legal_basis(purpose), "retention": view.purposes.retention(purpose)}
