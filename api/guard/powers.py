"""What the caller of a route may do by permission or by a domain: the checks that need more than the address of the request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends

from api.guard.credentials import Given, later
from api.guard.guards import Caller
from api.guard.services import From, InstanceOf
from policies.access.identity import Identity
from policies.decision.domains import Power, Reach
from policies.model import Subject


def session(built: InstanceOf, _: Caller, given: Given) -> Callable[[], Subject]:
    """Gives the caller as they are later on; see `later`."""
    return later(built, given)


def require_on(identity: Identity, subject: Subject, power: Power, reference: str) -> None:
    """Raise NotAllowed (403) unless the subject has the power over one dataset, by a permission or by its domain."""
    if not identity.may(subject, power, reference):
        identity.require(subject, power)


def reach_of(identity: Identity, subject: Subject, power: Power) -> Reach | None:
    """The datasets for which the subject has a power by their domains; None where a permission gives it for all of them.
    Raises NotAllowed (403) where there are none."""
    if power in identity.permissions(subject):
        return None
    reach = identity.reach(subject, power)
    if not reach:
        identity.require(subject, power)
    return reach


def declarer(subject: Caller, identity: From[Identity]) -> Subject:
    """Who may declare something: who manages, and admins and stewards of domains, within these. Raises NotAllowed (403)."""
    if not any(Power.EDIT in powers for powers in identity.domains(subject).values()):
        identity.require(subject, "manage")
    return subject


Session = Annotated[Callable[[], Subject], Depends(session)]
Declarer = Annotated[Subject, Depends(declarer)]
