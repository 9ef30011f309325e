"""Ending a right by a decision, and taking that back. Always inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import Conflict, InvalidInput
from policies.access.grants import Grants, status_at
from policies.campaigns.model import Item, Kind, Outcome, Right
from policies.declared.state import GovernanceState
from policies.model import GrantStatus
from policies.ports import Change, Clock

_PEOPLE = ("User", "ServiceAccount")
Step = tuple[str, str, int, int]
"""A change of a document by a review: its kind, its name, its version before and after."""


@dataclass(frozen=True, slots=True)
class EndedRight:
    """What became of a right. left_at: sources where it has to be ended too; undo: for taking it back."""

    outcome: Outcome
    left_at: tuple[str, ...]
    undo: Mapping[str, Any]


class Ending:
    """Ends grants by their service, roles and memberships in the documents that declare them."""

    def __init__(self, state: GovernanceState, grants: Grants, clock: Clock) -> None:
        self._state, self._grants, self._clock = state, grants, clock

    def end(self, right: Right, by: str, reason: str) -> EndedRight:
        """What is declared here ends at once; what comes from elsewhere is named. `right`: as it is now.

        A declared document is written without the right, as a revoked grant is; files that still have it bring it back
        when they are applied, so they are named too. Raises Conflict.
        """
        elsewhere = tuple(each for each in right.sources if not _declared_here(each))
        match right.kind:
            case Kind.OWNER:
                return EndedRight(Outcome.AT_SOURCE, right.sources, {})
            case Kind.GRANT:
                self._grants.end(right.name, by, reason)
                document = self._state.get("Grant", right.name)
                files: tuple[str, ...] = (
                    () if (document.spec or {}).get("request") else (f"declared Grant {right.name}",)
                )
                return EndedRight(Outcome.ENDED, files, {"version": document.version})
        changed = []
        for kind, name, key, value in self._places(right):
            if (step := self._without(kind, name, key, value, by)) is not None:
                changed.append({"kind": kind, "name": name, "key": key, "value": value, "step": list(step)})
            else:
                elsewhere = (*elsewhere, f"{kind} {name}")
        files = tuple(f"declared {each['kind']} {each['name']}" for each in changed)
        if not changed:
            return EndedRight(Outcome.AT_SOURCE, elsewhere or right.sources, {})
        return EndedRight(Outcome.PARTLY if elsewhere else Outcome.ENDED, (*elsewhere, *files), {"changed": changed})

    def take_back(self, item: Item, by: str, steps: Callable[[], Iterable[Step]]) -> list[Step]:
        """Give back what `end` took; the changes that this makes. `steps`: all changes of documents by this review.

        Raises Conflict where a document was changed by anything but this review since, was taken away or declared again.
        """
        if item.right.kind is Kind.GRANT and "version" in item.undo:
            self._restore_grant(item, by)
        done: list[Step] = []
        for each in item.undo.get("changed", ()):
            kind, name, key = each["kind"], each["name"], each["key"]
            document = self._state.store.get(kind, name)
            if document is None:
                raise Conflict(f"{kind} {name} is gone, so this cannot be taken back.")
            version = each["step"][3]
            if document.version != version:  # other decisions of this review may have changed it too
                following = {before: after for *what, before, after in steps() if what == [kind, name]}
                while version in following:
                    version = following[version]
            if document.version != version:
                raise Conflict(
                    f"{kind} {name} was declared again since the right was revoked, so this cannot be taken back; who"
                    " manages may declare it, or make a request."
                )
            spec = dict(document.spec or {})
            spec[key] = [*spec.get(key, []), each["value"]]
            try:
                self._state.put(kind, name, document.metadata, spec, by)
            except InvalidInput as error:
                raise Conflict(
                    f"{kind} {name} cannot have it any more, so this cannot be taken back: {error.message}"
                ) from None
            done.append((kind, name, document.version, self._state.get(kind, name).version))
        return done

    def _restore_grant(self, item: Item, by: str) -> None:
        document = self._state.get("Grant", item.right.name)
        if document.version != item.undo.get("version"):
            raise Conflict(
                f"Grant {document.name} was changed since it was revoked, so this cannot be taken back; make a request."
            )
        spec = {k: v for k, v in (document.spec or {}).items() if k not in ("revokedBy", "reason")}
        spec["status"] = str(GrantStatus.APPROVED)
        now = self._clock()
        self._state.store.apply(
            [Change("Grant", document.name, spec, document.metadata, by, expect=document.version)], now
        )
        grant = self._state.view().grants.get(document.name)
        if grant is None or status_at(grant, now) is not GrantStatus.APPROVED:
            raise Conflict(f"Grant {document.name} has ended by itself since, so this cannot be taken back.")

    def _places(self, right: Right) -> list[tuple[str, str, str, str]]:
        """Kind, name, key and value of the documents that give it."""
        person = right.person or ""
        places = []
        for source in right.sources:
            kind, _, name = source.partition(" ")
            if kind in _PEOPLE and name == person:
                places.append((kind, person, "roles" if right.kind is Kind.ROLE else "groups", right.name))
            elif kind == "Group" and right.kind is Kind.GROUP:
                places.append((kind, name, "members", person))
        return places

    def _without(self, kind: str, name: str, key: str, value: str, by: str) -> Step | None:
        document = self._state.store.get(kind, name)
        spec = dict(document.spec or {}) if document is not None else {}
        if document is None or value not in spec.get(key, []):
            return None
        spec[key] = [each for each in spec[key] if each != value]
        try:
            self._state.put(kind, name, document.metadata, spec, by)
        except InvalidInput:
            return None  # it was declared under older rules, and can only be declared again as a whole
        return kind, name, document.version, self._state.get(kind, name).version


def _declared_here(source: str) -> bool:
    return source.startswith(("User ", "ServiceAccount ", "Group ", "Grant "))
