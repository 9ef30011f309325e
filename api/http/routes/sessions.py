"""`/auth/sessions`: sessions of people who signed in by a provider, to see and to end; `/auth/device`: command lines."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.openapi import answers_with, takes
from api.edge.parameters import Name
from api.guard import cookies
from api.guard.credentials import Given, require
from api.guard.guards import Caller, case, everybody, needs, signed_in
from api.guard.services import InstanceOf
from api.http.routes.sign_in import CALLBACK, device_code, failed, keep_attempt, page
from api.http.schemas.sign_in import (
    DeviceCode,
    DevicePoll,
    DeviceRefused,
    DeviceWaiting,
    EndedSession,
    ListedSessions,
    SignInAddress,
    UnlinkedAccount,
)
from api.wiring.instance import Instance
from catalog.errors import NotFound, WeirError
from catalog.records import rfc3339
from policies.access.device_logins import INTERVAL_S, DeviceLogins
from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit import AuditLog

router = APIRouter(prefix="/auth", tags=["sign-in"])


class DeviceAsked(RequestBody):
    """Which command line wants in."""

    label: str = Field("", max_length=100, description="Shown to the person who lets it in: the machine.")


class DevicePolled(RequestBody):
    """The command line's own secret."""

    deviceCode: str = Field(max_length=200)


class DeviceContinued(RequestBody):
    """By which provider the person signs in."""

    provider: str = Field(max_length=100)


@router.get(
    "/sessions",
    dependencies=[signed_in("the caller's own", scope="manage", cases={"?all=true": case("manage")})],
    responses=answers_with(ListedSessions),
)
def list_sessions(
    built: InstanceOf,
    subject: Caller,
    given: Given,
    all: Annotated[bool, Query(description="Everybody's; needs `manage`.")] = False,
) -> Any:
    """The caller's sessions that continue, or everybody's."""
    if all:
        require(built, subject, "manage")
    own = built[Sessions].of_secret(given.text)
    return {
        "sessions": [
            {
                "id": each.id,
                "user": each.user,
                "kind": each.kind,
                "provider": each.provider,
                "label": each.label,
                "created": rfc3339(each.created_at),
                "used": rfc3339(each.used_at),
                "confirmed": rfc3339(each.confirmed_at),
                "idleEnd": rfc3339(built[Sessions].idle_end(each)),
                "end": rfc3339(each.ends_at),
                "current": own is not None and own.id == each.id,
            }
            for each in built[Sessions].listed(None if all else subject.user)
        ]
    }


@router.delete(
    "/sessions/{id}", dependencies=[signed_in("anybody's with `manage`")], responses=answers_with(EndedSession)
)
def end_session(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """End a session of one's own, or with `manage` anybody's."""
    manages = "manage" in built[Identity].permissions(subject)
    seen = built[Sessions].of(id, None if manages else subject.user)
    own = seen.user == subject.user
    built[Sessions].end(seen, "ended by its user" if own else "ended by an administrator", by=subject.user)
    return {"id": id, "ended": True}


@router.delete("/accounts/{user}", dependencies=[needs("manage")], responses=answers_with(UnlinkedAccount))
def unlink(built: InstanceOf, subject: Caller, user: Name) -> Any:
    """Unlink a user's account of a provider: their sessions end, and the next account of that name may take it."""
    built[SignIn].unlink(user)
    built[AuditLog].record_by(subject, "sign-in.unlink", user)
    return {"user": user, "unlinked": True}


@router.post("/device", dependencies=[everybody()], status_code=201, responses=answers_with(DeviceCode, status=201))
def begin_device(request: Request, built: InstanceOf, body: DeviceAsked) -> Any:
    """A command line asks to be let in. Open to all; a person lets it in on a page."""
    if not built[SignIn].providers():
        raise NotFound("No IdentityProvider is declared here; use a token from weir token create --user NAME.")
    base = cookies.base_url(request, built[Settings].api)
    label = "".join(each for each in body.label if each.isprintable())
    fresh = built[DeviceLogins].begin(label or "a command line")
    address = f"{base}/device"
    return {
        "deviceCode": fresh.secret,
        "userCode": fresh.code,
        "address": address,
        "addressWithCode": f"{address}?code={fresh.code}",
        "seconds": fresh.seconds,
        "interval": INTERVAL_S,
    }


@router.post(
    "/device/poll",
    dependencies=[everybody(limits="needs the command line's own secret")],
    responses=answers_with(DevicePoll),
)
def poll_device(built: InstanceOf, body: DevicePolled) -> Any:
    """Whether somebody let the command line in. Its token is in one answer only. Open to all."""
    state, session = built[DeviceLogins].poll(body.deviceCode)
    if session is None:
        return {"state": state, "token": None, "user": None}
    token = built[Sessions].renew(session)
    return {"state": state, "token": token, "user": built[Sessions].of(session).user}


@router.get("/device/{code}", dependencies=[everybody()], responses=answers_with(DeviceWaiting))
def show_device(built: InstanceOf, code: Name) -> Any:
    """The command line that shows a code, for the person who is to let it in. Open to all."""
    seen = built[DeviceLogins].waiting(code)
    return {"userCode": device_code(seen.code), "label": seen.label, "created": rfc3339(seen.created_at)}


@router.post(
    "/device/{code}/continue",
    dependencies=[everybody(limits="only a page of Weir may send it")],
    responses=answers_with(SignInAddress),
)
def continue_device(request: Request, response: Response, built: InstanceOf, code: Name, body: DeviceContinued) -> Any:
    """The person takes the code for theirs and signs in by a provider. Only a page of Weir may send this."""
    cookies.require_page(request, built[Settings].api)
    seen = built[DeviceLogins].waiting(code)
    redirect = cookies.base_url(request, built[Settings].api) + CALLBACK + body.provider
    begun = built[SignIn].begin(body.provider, redirect, "/", seen.code)
    keep_attempt(response, built, begun.cookie, begun.value)
    return {"address": begun.address}


@router.post(
    "/device/{code}/let-in",
    dependencies=[everybody(limits="needs the ticket of a sign-in")],
    response_class=Response,
    openapi_extra=takes("application/x-www-form-urlencoded"),
)
async def let_in_device(request: Request, built: InstanceOf, code: Name) -> Response:
    """The person who signed in for a command line lets it in, or refuses it. Only the page that follows the sign-in has
    the ticket that this needs."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    ticket, decision = ("".join(form.get(name, [])) for name in ("ticket", "decision"))
    try:
        cookies.require_own(request, built[Settings].api)
        text = await run_in_threadpool(_decided, built, code, ticket, decision)
    except WeirError as error:
        return failed(request, error)
    return page("Done", text, "Open Weir")


def _decided(built: Instance, code: str, ticket: str, decision: str) -> str:
    user = built[SignIn].decide(code, ticket, decision)
    done = f"is signed in as {user}" if user is not None else "was not let in"
    return f"The command line {done}. You can close this page."


@router.post(
    "/device/{code}/refuse",
    dependencies=[everybody(limits="only a page of Weir may send it")],
    responses=answers_with(DeviceRefused),
)
def refuse_device(request: Request, built: InstanceOf, code: Name) -> Any:
    """The person does not know the code. Only a page of Weir may send this."""
    cookies.require_page(request, built[Settings].api)
    built[DeviceLogins].refuse(code)
    return {"refused": True}
