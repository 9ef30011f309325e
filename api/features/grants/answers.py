"""Answers of `/grants`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from api.edge.answer import Answer, Time, about, absent
from catalog.records import rfc3339
from policies.access.grants import status_at
from policies.matching import is_active
from policies.model import Grant as GrantRecord


class GrantSubject(Answer):
    """Who has a grant: one of the three."""

    user: str = absent()
    group: str = absent()
    role: str = absent()

    @classmethod
    def of(cls, grant: GrantRecord) -> Self:
        holders = {"user": grant.subject.users, "group": grant.subject.groups, "role": grant.subject.roles}
        return cls(**{kind: min(names) for kind, names in holders.items() if names})


class Grant(Answer):
    """What somebody may see, for a purpose and a time."""

    name: str
    status: str = about("approved, revoked, expired, ...")
    active: bool = about("It holds now.")
    subject: GrantSubject
    dataset: str = about("CLUSTER/TOPIC, or a pattern.")
    fields: list[str]
    unmask: list[str]
    rows: str | None = about("A Spark SQL condition.")
    purpose: str
    valid_from: Time
    valid_to: Time
    requested_by: str | None
    approved_by: list[str]
    break_glass: bool
    consumer: str | None = about("The principal of Kafka that reads by it.")

    @classmethod
    def of(cls, grant: GrantRecord, now: datetime, **more: Any) -> Self:
        """As it is now. `more`: what else the answer has."""
        return cls(
            name=grant.name,
            status=status_at(grant, now),
            active=is_active(grant, now),
            subject=GrantSubject.of(grant),
            dataset=grant.dataset,
            fields=list(grant.fields),
            unmask=list(grant.unmask),
            rows=grant.rows,
            purpose=grant.purpose,
            valid_from=rfc3339(grant.valid_from),
            valid_to=rfc3339(grant.valid_to),
            requested_by=grant.requested_by,
            approved_by=list(grant.approved_by),
            break_glass=grant.break_glass,
            consumer=grant.consumer,
            **more,
        )


class ListedGrant(Grant):
    """A grant in the list."""

    may_revoke: bool = about("The caller may end it.")
    may_extend: bool = about("The caller may ask that it ends later.")


class Grants(Answer):
    """The caller's grants; all of them for those who manage or report."""

    grants: list[ListedGrant]
