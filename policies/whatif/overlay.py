"""What would be declared if these documents were applied: a view for decisions, with nothing written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from policies.declared.state import GOVERNANCE_KINDS, GovernanceState, View, build_view
from policies.ports import Document, PolicyStore


@dataclass(frozen=True, slots=True)
class Proposed:
    """One document as it would be; `spec` None takes it away."""

    kind: str
    name: str
    spec: Mapping[str, Any] | None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class _Overlaid:
    """The read that a view is built from, over a store with proposed documents on top."""

    def __init__(self, store: PolicyStore, proposed: Sequence[Proposed]) -> None:
        self._store = store
        self._proposed = {(p.kind, p.name): p for p in proposed}

    def changed(self, kinds: Collection[str], after: int = 0) -> list[Document]:
        documents = [d for d in self._store.changed(kinds, after) if (d.kind, d.name) not in self._proposed]
        version = max((d.version for d in documents), default=0) + 1
        at = datetime.now().astimezone()
        proposals = [
            Document(kind=p.kind, name=p.name, spec=p.spec, metadata=p.metadata, version=version, at=at)
            for p in self._proposed.values()
            if p.kind in kinds
        ]
        return [*documents, *proposals]


def proposed_view(state: GovernanceState, proposed: Sequence[Proposed]) -> View:
    """The view as it would be. Raises InvalidInput for a document that would be refused."""
    purposes = state.together({p.name: p.spec for p in proposed if p.kind == "Purpose" and p.spec is not None})
    checked = [
        p if p.spec is None else Proposed(p.kind, p.name, state.check(p.kind, p.name, p.spec, purposes), p.metadata)
        for p in proposed
        if p.kind in GOVERNANCE_KINDS
    ]
    return build_view(_Overlaid(state.store, checked), 0)  # type: ignore[arg-type]


def actions(state: GovernanceState, proposed: Sequence[Proposed]) -> list[dict[str, str]]:
    """[{kind, name, action: create | change | same | remove}] of proposed documents, against what is declared."""
    result = []
    for each in proposed:
        present = state.store.get(each.kind, each.name)
        if each.spec is None:
            action = "remove" if present is not None else "same"
        elif present is None:
            action = "create"
        else:
            action = "same" if present.spec == each.spec else "change"
        result.append({"kind": each.kind, "name": each.name, "action": action})
    return result
