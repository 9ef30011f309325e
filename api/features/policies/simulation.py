"""Simulations of what somebody would declare, as far as they may look."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from api.features.policies import answers, proposed
from api.joins.domains import DomainRights
from api.visibility.knowledge import Knowledge
from catalog.errors import NotAllowed
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power, Reach
from policies.model import Subject
from policies.whatif.simulate import Part, Simulation

_LOOKS_AT_ALL = frozenset({"manage", "report:read", "decide"})


class PolicySimulation:
    """The service behind `POST /policies/simulate`."""

    def __init__(
        self, simulation: Simulation, identity: Identity, rights: DomainRights, knowledge: Knowledge, audit: AuditLog
    ) -> None:
        self._simulation, self._identity, self._rights = simulation, identity, rights
        self._knowledge, self._audit = knowledge, audit

    def reach(self, subject: Subject) -> Reach | None:
        """The datasets that the subject may simulate on; None for all of them. Raises NotAllowed where there are none."""
        if self._identity.permissions(subject) & _LOOKS_AT_ALL:
            return None
        reach = self._identity.reach(subject, Power.DECLARE)
        if not reach:
            raise NotAllowed(
                f"{subject.user} may not see what others may read; it takes the permission manage, report:read or decide.",
                details={"permission": "manage", "reasons": [f"no role of {subject.user} carries one of them"]},
            )
        return reach

    def simulate(
        self,
        subject: Subject,
        reach: Reach | None,
        text: str,
        remove: Sequence[str],
        *,
        user: str | None,
        dataset: str | None,
        limit: int,
    ) -> answers.Simulation:
        """What applying the documents of a text, and taking away those of `remove`, would change within `reach`; audited.

        Raises InvalidInput, NotAllowed for what the subject could not declare.
        """
        proposal = proposed.read(text, remove)
        if reach is not None:
            proposal.require(self._rights, subject)
        self._rights.check(proposal.written)
        changed = [f"{each.kind}/{each.name}" for each in proposal.documents]
        words = [*([f"for {user}"] if user else []), *changed][:100]
        self._audit.record_by(subject, "policy.simulate", dataset or "*", "allow", words)
        outcome = self._simulation.simulate(
            proposal.documents,
            user=user,
            dataset=dataset,
            limit=limit,
            facts_after=proposal.facts_after,
            part=None if reach is None else Part(reach.has, partial(self._knowledge.worded, subject)),
        )
        alone = [] if reach is None else [f"Only datasets of {' and '.join(reach.names)} are part of the simulation."]
        return answers.Simulation.model_validate({**outcome, "notes": [*proposal.notes, *alone, *outcome["notes"]]})
