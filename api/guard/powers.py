"""What the caller of a route may do by permission or by a domain: the checks that need more than the address of the request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends

from api.guard.credentials import Given, later
from api.guard.guards import Caller
from api.guard.services import From, InstanceOf
from api.joins.owned import is_owner
from api.visibility.readers import Readers
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


def declarer(subject: Caller, identity: From[Identity], readers: From[Readers]) -> Subject:
    """Who may declare something: who manages; admins and stewards of domains, within these; owners, of what they own.
    Raises NotAllowed (403)."""
    if "manage" in identity.permissions(subject):
        return subject
    of_domain = any(Power.EDIT in powers for powers in identity.domains(subject).values())
    if not of_domain and not any(is_owner(subject, each.owners) for each in readers.of(subject).store.outlines()):
        identity.require(subject, "manage")
    return subject


Session = Annotated[Callable[[], Subject], Depends(session)]
Declarer = Annotated[Subject, Depends(declarer)]
