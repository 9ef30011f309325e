"""Masked copies for consumers as stream views: `policies.broker_rights.copies.Copies`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from api.joins.views.declared import KIND, DeclaredViews
from api.joins.views.seen import SeenStates
from catalog.declared.yaml_text import dump
from policies.broker_rights.copies import VIEW, CopyNeed, CopyState, MaskedCopy
from policies.broker_rights.principals import Who
from views.declared import RunAs, ViewSpec
from views.runner.state import ViewState


class OwnDocuments(Protocol):
    """`api.joins.declared.DeclaredDocuments`."""

    def apply_own(self, text: str) -> None: ...

    def delete_own(self, kind: str, name: str) -> None: ...


class ViewCopies:
    """The views that Weir declared by itself. Safe for threads."""

    def __init__(self, declared: DeclaredViews, seen: SeenStates, documents: Callable[[], OwnDocuments]) -> None:
        self._declared, self._seen, self._documents = declared, seen, documents

    def all(self) -> Sequence[MaskedCopy]:
        """Every copy. Raises Unavailable."""
        names = [name for name in self._declared.names() if is_copy(name)]
        states = self._seen.all() if names else {}
        copies = ((name, self._declared.get(name)) for name in names)
        return [
            _copy(name, each.spec, states.get(name, ViewState()))
            for name, each in copies
            if each is not None and each.spec.decision is not None
        ]

    def declare(self, need: CopyNeed, cluster: str) -> None:
        """Raises WeirError, as an apply of the view does."""
        document = {
            "apiVersion": "weir/v1",
            "kind": KIND,
            "metadata": {"name": need.view},
            "spec": {
                "copyOf": need.source,
                "decision": need.decision,
                "runAs": {need.who[0]: need.who[1], "purpose": need.purpose},
                "sink": {"cluster": cluster, "topic": need.topic},
                "description": f"What consumers read in place of {need.source} who may see it masked. Weir keeps it.",
            },
        }
        self._documents().apply_own(dump([document]))

    def delete(self, view: str) -> None:
        """Raises NotFound; Conflict where other views need it."""
        self._documents().delete_own(KIND, view)


def is_copy(view: str) -> bool:
    """Whether a view of this name is a copy for consumers."""
    return view.startswith(VIEW)


def _copy(name: str, spec: ViewSpec, state: ViewState) -> MaskedCopy:
    assert spec.sink is not None and spec.copyOf is not None and spec.decision is not None  # else it is no copy
    there, text = _state(name, state)
    who = _who(spec.runAs)
    purpose = spec.runAs.purpose
    return MaskedCopy(name, spec.sink.cluster, spec.sink.topic, spec.copyOf, spec.decision, who, purpose, there, text)


def _state(name: str, state: ViewState) -> tuple[CopyState, str]:
    """A copy that has a generation is readable, whatever its stream does: what is in its topic is for its decision."""
    problem = state.error["message"] if state.error is not None else ""
    if state.active is not None:
        return CopyState.READY, problem
    if state.state in ("failed", "stopped"):
        return CopyState.FAILED, f"The masked copy could not be made: {problem or 'its view stopped.'}"
    return CopyState.BUILDING, problem or f"The masked copy is being built (weir view describe {name})."


def _who(run_as: RunAs) -> Who:
    if run_as.group is not None:
        return "group", run_as.group
    return ("serviceAccount", run_as.serviceAccount) if run_as.serviceAccount else ("user", str(run_as.user))
