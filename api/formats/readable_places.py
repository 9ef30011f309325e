"""Who may read a place, in answers of several features."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.access import who_has_access


class Way(Answer):
    """One thing that opens a place."""

    by: str = about("role NAME, owner, or grant NAME.")
    until: Time | None = about("When the grant ends.")
    purpose: str | None
    legal_basis: str | None = about(
        "Of the grant's declared purpose, or of the nearest one above it: a basis of GDPR, Article 6."
    )
    retention: str | None = about("The same: how long data may be kept for it, as in 90d.")


class Access(Answer):
    """That somebody may read a place."""

    kind: Literal["user", "group", "role"]
    subject: str = about("Name of the user, group or role.")
    via: list[str] = about("What opens it: role NAME, owner, grant NAME.")
    masked: bool = about("None of it shows unmasked.")
    mask: str | None = about("The mask's name, of the first masked field.")
    until: Time | None = about("When the earliest grant it rests on ends.")
    purpose: str | None = about("The purpose a query must state; null: it works without.")
    rows: list[str] = about("Row filters.")
    clear_when: str | None = about("The condition under which a masked value shows unmasked.")
    ways: list[Way] = about("`via` one by one.")


def access(each: who_has_access.Access) -> Access:
    """One entry of who may read a place."""
    return Access(
        kind=each.kind,
        subject=each.subject,
        via=list(each.via),
        masked=each.masked,
        mask=each.mask,
        until=rfc3339(each.until),
        purpose=each.purpose,
        rows=list(each.rows),
        clear_when=each.clear_when,
        ways=[
            Way(
                by=way.by,
                until=rfc3339(way.until),
                purpose=way.purpose,
                legal_basis=way.legal_basis,
                retention=way.retention,
            )
            for way in each.ways
        ],
    )
