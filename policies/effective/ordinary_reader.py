"""What an ordinary reader of a dataset sees: somebody who may read it, and whom no grant, group or exception of a policy names.

The decision is that of everybody else, so masks that a source takes from here have one definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.declared.view import View
from policies.model import ColumnDecision, DatasetFacts, Role, Subject, Target

_ROLE = "\0ordinary reader"
"""No document can have this name."""


class OrdinaryReader:
    """The ordinary reader at one moment. Policies that ask for a grant or a purpose are left out: the reader has what they ask."""

    def __init__(self, view: View, now: datetime, unscanned_is_sensitive: bool = True) -> None:
        of = view.policies
        self._compiled = Compiled((*of.masks, *of.rows), of.problems, of.version)
        self._roles = {_ROLE: Role(_ROLE, read=(Target(dataset="*"),))}
        self._subject = Subject("", roles=frozenset({_ROLE}))
        self._now, self._unscanned = now, unscanned_is_sensitive

    def columns(self, facts: DatasetFacts) -> Sequence[ColumnDecision]:
        """What the reader sees of each field."""
        return decide(
            self._subject,
            facts,
            roles=self._roles,
            policies=self._compiled,
            now=self._now,
            unscanned_is_sensitive=self._unscanned,
        ).columns
