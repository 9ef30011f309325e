"""`/auth/sessions`: sessions of people who signed in by a provider, to see and to end; `/auth/device`: command lines."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from api.http.callers import cookies
from api.http.callers.auth import Caller, Given, Manager, ServicesOf, require
from api.http.edge.openapi import answers_with, takes
from api.http.edge.parameters import Name
from api.http.routes.sign_in import CALLBACK, device_code, failed, keep_attempt, page
from api.http.schemas.base import RequestBody
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
from api.wiring.services import Services
from catalog.errors import NotFound, WeirError
from catalog.records import rfc3339
from policies.access.device_logins import INTERVAL_S

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


@router.get("/sessions", responses=answers_with(ListedSessions))
def list_sessions(
    built: ServicesOf,
    subject: Caller,
    given: Given,
    all: Annotated[bool, Query(description="Everybody's; needs `manage`.")] = False,
) -> Any:
    """The caller's sessions that continue, or everybody's."""
    if all:
        require(built, subject, "manage")
    own = built.sessions.of_secret(given.text)
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
                "idleEnd": rfc3339(built.sessions.idle_end(each)),
                "end": rfc3339(each.ends_at),
                "current": own is not None and own.id == each.id,
            }
            for each in built.sessions.listed(None if all else subject.user)
        ]
    }


@router.delete("/sessions/{id}", responses=answers_with(EndedSession))
def end_session(built: ServicesOf, subject: Caller, id: Name) -> Any:
    """End a session of one's own, or with `manage` anybody's."""
    manages = "manage" in built.identity.permissions(subject)
    seen = built.sessions.of(id, None if manages else subject.user)
    own = seen.user == subject.user
    built.sessions.end(seen, "ended by its user" if own else "ended by an administrator", by=subject.user)
    return {"id": id, "ended": True}


@router.delete("/accounts/{user}", responses=answers_with(UnlinkedAccount))
def unlink(built: ServicesOf, subject: Manager, user: Name) -> Any:
    """Unlink a user's account of a provider: their sessions end, and the next account of that name may take it."""
    built.sign_in.unlink(user)
    built.record(subject, "sign-in.unlink", user)
    return {"user": user, "unlinked": True}


@router.post("/device", status_code=201, responses=answers_with(DeviceCode, status=201))
def begin_device(request: Request, built: ServicesOf, body: DeviceAsked) -> Any:
    """A command line asks to be let in. Open to all; a person lets it in on a page."""
    if not built.sign_in.providers():
        raise NotFound("No IdentityProvider is declared here; use a token from weir token create --user NAME.")
    base = cookies.base_url(request, built.settings.api)
    label = "".join(each for each in body.label if each.isprintable())
    fresh = built.device_logins.begin(label or "a command line")
    address = f"{base}/device"
    return {
        "deviceCode": fresh.secret,
        "userCode": fresh.code,
        "address": address,
        "addressWithCode": f"{address}?code={fresh.code}",
        "seconds": fresh.seconds,
        "interval": INTERVAL_S,
    }


@router.post("/device/poll", responses=answers_with(DevicePoll))
def poll_device(built: ServicesOf, body: DevicePolled) -> Any:
    """Whether somebody let the command line in. Its token is in one answer only. Open to all."""
    state, session = built.device_logins.poll(body.deviceCode)
    if session is None:
        return {"state": state, "token": None, "user": None}
    token = built.sessions.renew(session)
    return {"state": state, "token": token, "user": built.sessions.of(session).user}


@router.get("/device/{code}", responses=answers_with(DeviceWaiting))
def show_device(built: ServicesOf, code: Name) -> Any:
    """The command line that shows a code, for the person who is to let it in. Open to all."""
    seen = built.device_logins.waiting(code)
    return {"userCode": device_code(seen.code), "label": seen.label, "created": rfc3339(seen.created_at)}


@router.post("/device/{code}/continue", responses=answers_with(SignInAddress))
def continue_device(request: Request, response: Response, built: ServicesOf, code: Name, body: DeviceContinued) -> Any:
    """The person takes the code for theirs and signs in by a provider. Only a page of Weir may send this."""
    cookies.require_page(request, built.settings.api)
    seen = built.device_logins.waiting(code)
    redirect = cookies.base_url(request, built.settings.api) + CALLBACK + body.provider
    begun = built.sign_in.begin(body.provider, redirect, "/", seen.code)
    keep_attempt(response, built, begun.cookie, begun.value)
    return {"address": begun.address}


@router.post("/device/{code}/let-in", response_class=Response, openapi_extra=takes("application/x-www-form-urlencoded"))
async def let_in_device(request: Request, built: ServicesOf, code: Name) -> Response:
    """The person who signed in for a command line lets it in, or refuses it. Only the page that follows the sign-in has
    the ticket that this needs."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    ticket, decision = ("".join(form.get(name, [])) for name in ("ticket", "decision"))
    try:
        cookies.require_own(request, built.settings.api)
        text = await run_in_threadpool(_decided, built, code, ticket, decision)
    except WeirError as error:
        return failed(request, error)
    return page("Done", text, "Open Weir")


def _decided(built: Services, code: str, ticket: str, decision: str) -> str:
    user = built.sign_in.decide(code, ticket, decision)
    done = f"is signed in as {user}" if user is not None else "was not let in"
    return f"The command line {done}. You can close this page."


@router.post("/device/{code}/refuse", responses=answers_with(DeviceRefused))
def refuse_device(request: Request, built: ServicesOf, code: Name) -> Any:
    """The person does not know the code. Only a page of Weir may send this."""
    cookies.require_page(request, built.settings.api)
    built.device_logins.refuse(code)
    return {"refused": True}
