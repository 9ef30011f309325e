"""What follows from a request: the spec of its grant, and whether the times it asks for can be. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.records import rfc3339
from policies.access.sessions import gone_because
from policies.access_request import AccessRequest
from policies.declared import kinds
from policies.declared.view import View
from policies.matching import is_active
from policies.model import Grant, GrantStatus, SubjectMatch
from policies.settings import PolicySettings


def grant_spec(request: AccessRequest, now: datetime) -> dict[str, object]:
    """The grant that a request ends in; it begins at the wished time, not before now."""
    spec = {
        "subject": _subject(request),
        "dataset": request.dataset,
        "fields": list(request.fields),
        "unmask": list(request.unmask),
        **({"rows": request.rows} if request.rows is not None else {}),
        "purpose": request.purpose,
        "validFrom": rfc3339(max(request.valid_from, now)),
        "validTo": rfc3339(request.valid_to),
        "requestedBy": request.requester,
        "approvedBy": list(dict.fromkeys(v.by for v in request.votes if v.verdict == "approve")),
        "status": str(GrantStatus.APPROVED),
        "request": request.id,
        **({"breakGlass": True} if request.break_glass else {}),
        **({"sources": sources} if (sources := request.sources) else {}),
        **({"consumer": request.consumer.principal} if request.consumer is not None else {}),
    }
    kinds.parse("Grant", request.grant or request.id, spec)
    return spec


def _subject(request: AccessRequest) -> dict[str, str]:
    """Whom the grant names: the requester, or whom the consumer is that it is for."""
    if request.consumer is None:
        return {"user": request.requester}
    return {"group" if request.consumer.kind == "group" else "user": request.consumer.name}


def _people(request: AccessRequest) -> SubjectMatch:
    subject = _subject(request)
    return SubjectMatch(
        users=frozenset({subject["user"]} if "user" in subject else ()),
        groups=frozenset({subject["group"]} if "group" in subject else ()),
    )


def extended_spec(spec: Mapping[str, Any], request: AccessRequest) -> dict[str, object]:
    """The spec of a grant with the end that an approved extension asks for; nothing else of it changes but who approved."""
    approvers = [v.by for v in request.votes if v.verdict == "approve"]
    approved = dict.fromkeys([*spec.get("approvedBy", ()), *approvers])
    return {**spec, "validTo": rfc3339(request.valid_to), "approvedBy": list(approved)}


def check_extension(request: AccessRequest, grant: Grant | None, now: datetime) -> None:
    """Raises Conflict where the grant of an extension is over, was revoked, ends later by now, or opens something else
    than when the extension was requested: approvers decide on what they see, by the stages that it takes."""
    if grant is None or not is_active(grant, now):
        raise Conflict(
            f"Grant {request.extends} is over or was revoked, so its end cannot be moved; make a new request.",
            details={"id": request.id, "grant": request.extends},
        )
    if changed := _changed(request, grant):
        raise Conflict(
            f"Grant {request.extends} has changed since its extension was requested ({', '.join(changed)}); deny this one,"
            " and the requester asks again.",
            details={"id": request.id, "grant": request.extends, "changed": changed},
        )
    if request.valid_to <= grant.valid_to:
        raise Conflict(
            f"Grant {request.extends} ends {rfc3339(grant.valid_to)} already; an extension moves the end to a later time.",
            details={"id": request.id, "grant": request.extends},
        )


def _changed(request: AccessRequest, grant: Grant) -> list[str]:
    """Names of the terms in which a grant differs from the request that asks to extend it."""
    same = {
        "subject": grant.subject == _people(request),
        "consumer": grant.consumer == (request.consumer.principal if request.consumer is not None else None),
        "dataset": grant.dataset == request.dataset,
        "fields": set(grant.fields) == set(request.fields),
        "unmask": set(grant.unmask) == set(request.unmask),
        "rows": grant.rows == request.rows,
        "purpose": grant.purpose == request.purpose,
        "breakGlass": grant.break_glass == request.break_glass,
    }
    return [name for name, holds in same.items() if not holds]


MOST_TICKET = 100


def check_ticket(ticket: str, settings: PolicySettings) -> str:
    """The id of a ticket as it is kept. Raises InvalidInput where it is missing or does not look as the setting asks."""
    identifier = ticket.strip()
    if len(identifier) > MOST_TICKET or not identifier.isprintable():
        raise InvalidInput(f"A ticket id has at most {MOST_TICKET} printable characters.", details={"field": "ticket"})
    if not identifier:
        if settings.ticket_required:
            raise InvalidInput(
                "An access request needs a ticket id here, as in --ticket ABC-123.", details={"field": "ticket"}
            )
        return ""
    if settings.ticket_pattern is not None and re.fullmatch(settings.ticket_pattern, identifier) is None:
        raise InvalidInput(
            f"Ticket {identifier!r} does not look as WEIR_POLICIES__TICKET_PATTERN asks: {settings.ticket_pattern}",
            details={"field": "ticket"},
        )
    return identifier


def end_by_default(start: datetime, lasting: timedelta) -> datetime:
    """Raises InvalidInput where the calendar ends before."""
    try:
        return start + lasting
    except OverflowError:
        raise InvalidInput("from is too late: the calendar ends before the access would.") from None


def check_times(start: datetime, end: datetime, now: datetime, longest: timedelta) -> None:
    """Raises InvalidInput for times without a zone, that are over, or longer than the workflow allows."""
    if start.tzinfo is None or end.tzinfo is None:
        raise InvalidInput("from and until need a zone, as in 2026-06-01T00:00:00Z.")
    if end <= start or end <= now:
        raise InvalidInput("until must be later than from, and later than now.")
    if end - max(start, now) > longest + timedelta(minutes=5):  # five minutes: the caller counted from his own clock
        raise InvalidInput(
            f"Access for {_days(end - max(start, now))} is too long: the workflow allows {_days(longest)};"
            " ask for less time.",
            details={"maxDurationSeconds": int(longest.total_seconds())},
        )


def not_found(request_id: str) -> NotFound:
    """One sentence for a request that is not there and for one that is not the caller's to see."""
    return NotFound(f"There is no access request {request_id!r} that you may see.", details={"id": request_id})


def _days(span: timedelta) -> str:
    return f"{span.days} days" if span >= timedelta(days=2) else f"{span.total_seconds() / 3600:.0f} hours"


def check_requester(request: AccessRequest, view: View) -> None:
    """A grant for somebody who left would open data to the next person of that name. Raises Conflict."""
    if gone := gone_because(view, request.requester):
        raise Conflict(
            f"{request.requester} {gone}, so access request {request.id} cannot be approved; deny it.",
            details={"id": request.id, "requester": request.requester},
        )
