"""Names in declared documents that nothing has: a warning for each, and a refusal where it is a typing error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from api.joins.names.known import KnownNames, Sees
from api.joins.names.references import Reference, references
from api.joins.names.typos import nearest
from api.joins.views.declared import DeclaredViews
from catalog.apply.apply import Action, Change
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.decision.agents import reaches
from policies.declared.state import GovernanceState
from policies.matching import EVERYTHING, dataset_matches
from policies.model import Subject
from policies.ports import FactsSource

_PEOPLE = ("user", "group", "role")


@dataclass(frozen=True, slots=True)
class NameWarning:
    """A name that nothing has. `field`: where in the document; `refused`: a typing error, so that `apply` refuses it."""

    what: str
    name: str
    field: str
    nearest: str | None
    refused: bool
    message: str


@dataclass(frozen=True, slots=True)
class NotedChange:
    """A change, and what is to be noted of its names."""

    change: Change
    warnings: Sequence[NameWarning]


class NameCheck:
    """Compares the names in documents with those there are."""

    def __init__(
        self,
        store: CatalogStore,
        state: GovernanceState,
        identity: Identity,
        facts: FactsSource,
        views: DeclaredViews,
        open_groups: bool = False,
    ) -> None:
        """`open_groups`: tokens of another issuer carry groups, so that not all of them can be known."""
        self._store, self._state, self._identity = store, state, identity
        self._facts, self._views, self._open_groups = facts, views, open_groups

    def warnings(
        self, changes: Sequence[Change], subject: Subject, *, allowed: bool = False
    ) -> list[list[NameWarning]]:
        """For each change, by its place in the document. `allowed`: typing errors are not refused.

        A user who does not manage gets those about tags, datasets and fields of their domains, compared with these domains
        alone: an answer must not show names that they may not know. So does an agent, within the datasets of its token.
        """
        manages = subject.agent is None and self._identity.manages(subject)
        known = KnownNames(self._store, self._state, self._facts, self._views, changes, self._seen_by(subject))
        warnings = [self._of(change, known, manages) if change.after else [] for change in changes]
        return [[replace(each, refused=each.refused and not allowed) for each in own] for own in warnings]

    def require(self, changes: Sequence[Change], subject: Subject) -> None:
        """Raises InvalidInput for the first typing error, with all of them in its details."""
        refused = [
            (change, each)
            for change, own in zip(changes, self.warnings(changes, subject), strict=True)
            for each in own
            if each.refused
        ]
        if not refused:
            return
        change, first = refused[0]
        more = f" ({len(refused) - 1} more names are unknown.)" if len(refused) > 1 else ""
        raise InvalidInput(
            f"line {change.line}: {change.kind} {change.name}: {first.message} Correct it, or apply with --allow-unknown"
            f" (allowUnknown=true).{more}",
            details={
                "line": change.line,
                "kind": change.kind,
                "name": change.name,
                "field": first.field,
                "unknown": [{"kind": c.kind, "document": c.name, **asdict(each)} for c, each in refused],
            },
        )

    def _seen_by(self, subject: Subject) -> Sees:
        mine = _everything if self._identity.manages(subject) else self._own(subject)
        agent = subject.agent
        return mine if agent is None else lambda reference: reaches(agent, reference) and mine(reference)

    def _own(self, subject: Subject) -> Sees:
        domains = self._state.view().domains
        patterns = [
            pattern
            for name in self._identity.domains(subject)
            for pattern in (domains[name].datasets if name in domains else ())
        ]
        return lambda reference: any(dataset_matches(pattern, reference) for pattern in patterns)

    def _of(self, change: Change, known: KnownNames, manages: bool) -> list[NameWarning]:
        before = {(each.what, each.name) for each in references(change.kind, change.name, change.before or {})}
        changed = change.action in (Action.CREATE, Action.UPDATE)
        warnings = []
        for each in references(change.kind, change.name, change.after or {}):
            if (not manages and each.what in _PEOPLE) or known.has(each):
                continue
            near = self._near(each, known)
            if near is None and (each.gives or (each.what == "purpose" and not set(known.candidates(each)))):
                continue
            settled = not changed or (each.what, each.name) in before
            refused = near is not None and not settled and self._is_sure(each)
            warnings.append(NameWarning(each.what, each.name, each.path, near, refused, _message(each, near)))
        return warnings

    def _near(self, reference: Reference, known: KnownNames) -> str | None:
        if reference.what == "dataset" and EVERYTHING in reference.name:
            return known.differs_by_case(reference.name)
        return nearest(reference.name, known.candidates(reference), of_parts=reference.what == "tag")

    def _is_sure(self, reference: Reference) -> bool:
        """Whether a name that is near another cannot be one that shows up later: people and groups of a provider do when they
        sign in, and a pattern may be about topics to come."""
        match reference.what:
            case "user":
                return False
            case "group":
                providers = self._state.view().providers.values()
                return not self._open_groups and not any(
                    rule.group_of_same_name for each in providers for rule in each.rights
                )
            case "dataset":
                return EVERYTHING not in reference.name
            case _:
                return True


def _everything(_: str) -> bool:
    return True


def _message(reference: Reference, near: str | None) -> str:
    name = reference.name
    match reference.what:
        case "dataset":
            if near is not None and EVERYTHING in name:
                return f"{name} fits no dataset yet; {near} differs from it by the case of letters alone."
            return f"{name} fits no dataset yet{did_you_mean(near, '.', '; ')}"
        case "field":
            return f"{name} fits no field of {reference.dataset} yet{did_you_mean(near, '.', '; ')}"
        case what:
            return f"{reference.path}: no {what} {name} is known{did_you_mean(near, ' yet.', '; ')}"
