"""`/auth/sessions`: sessions of people who signed in by a provider, to see and to end; `/auth/device`: command lines."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.openapi import takes
from api.edge.parameters import Label, Name
from api.features.sessions import answers
from api.features.sign_in.routes import CALLBACK, device_code, failed, keep_attempt, page
from api.guard import cookies
from api.guard.credentials import Given
from api.guard.guards import Caller, case, everybody, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import NotFound, WeirError
from catalog.records import rfc3339
from policies.access.device_logins import INTERVAL_S, DeviceLogins
from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit.log import AuditLog

router = FeatureRouter("/auth", tags=["sign-in"])


class DeviceBody(RequestBody):
    """Which command line wants in."""

    label: Label = Field("", max_length=100, description="Shown to the person who lets it in: the machine.")


class DevicePollBody(RequestBody):
    """The command line's own secret."""

    device_code: str = Field(max_length=200)


class DeviceProviderBody(RequestBody):
    """By which provider the person signs in."""

    provider: str = Field(max_length=100)


@router.get(
    "/sessions", dependencies=[signed_in("the caller's own", scope="manage", cases={"?all=true": case("manage")})]
)
def list_sessions(
    identity: From[Identity],
    sessions: From[Sessions],
    subject: Caller,
    given: Given,
    all: Annotated[bool, Query(description="Everybody's; needs `manage`.")] = False,
) -> answers.ListedSessions:
    """The caller's sessions that continue, or everybody's."""
    if all:
        identity.require(subject, "manage")
    own = sessions.of_secret(given.text)
    return answers.ListedSessions(
        sessions=[
            answers.listed(each, sessions.idle_end(each), own is not None and own.id == each.id)
            for each in sessions.listed(None if all else subject.user)
        ]
    )


@router.delete("/sessions/{id}", dependencies=[signed_in("anybody's with `manage`")])
def end_session(identity: From[Identity], sessions: From[Sessions], subject: Caller, id: Name) -> answers.EndedSession:
    """End a session of one's own, or with `manage` anybody's."""
    manages = "manage" in identity.permissions(subject)
    seen = sessions.of(id, None if manages else subject.user)
    own = seen.user == subject.user
    sessions.end(seen, "ended by its user" if own else "ended by an administrator", by=subject.user)
    return answers.EndedSession(id=id, ended=True)


@router.delete("/accounts/{user}", dependencies=[needs("manage")])
def unlink(sign_in: From[SignIn], audit: From[AuditLog], subject: Caller, user: Name) -> answers.UnlinkedAccount:
    """Unlink a user's account of a provider: their sessions end, and the next account of that name may take it."""
    sign_in.unlink(user)
    audit.record_by(subject, "sign-in.unlink", user)
    return answers.UnlinkedAccount(user=user, unlinked=True)


@router.post("/device", dependencies=[everybody()], status_code=201)
def begin_device(
    request: Request,
    sign_in: From[SignIn],
    settings: From[Settings],
    device_logins: From[DeviceLogins],
    body: DeviceBody,
) -> answers.DeviceCode:
    """A command line asks to be let in. Open to all; a person lets it in on a page."""
    if not sign_in.providers():
        raise NotFound("No IdentityProvider is declared here; use a token from weir token create --user NAME.")
    base = cookies.base_url(request, settings.api)
    label = "".join(each for each in body.label if each.isprintable())
    fresh = device_logins.begin(label or "a command line")
    address = f"{base}/device"
    return answers.DeviceCode(
        device_code=fresh.secret,
        user_code=fresh.code,
        address=address,
        address_with_code=f"{address}?code={fresh.code}",
        seconds=fresh.seconds,
        interval=INTERVAL_S,
    )


@router.post("/device/poll", dependencies=[everybody(limits="needs the command line's own secret")])
def poll_device(
    device_logins: From[DeviceLogins], sessions: From[Sessions], body: DevicePollBody
) -> answers.DevicePoll:
    """Whether somebody let the command line in. Its token is in one answer only. Open to all."""
    state, session = device_logins.poll(body.device_code)
    if session is None:
        return answers.DevicePoll(state=state, token=None, user=None)
    token = sessions.renew(session)
    return answers.DevicePoll(state=state, token=token, user=sessions.of(session).user)


@router.get("/device/{code}", dependencies=[everybody()])
def show_device(device_logins: From[DeviceLogins], code: Name) -> answers.DeviceWaiting:
    """The command line that shows a code, for the person who is to let it in. Open to all."""
    seen = device_logins.waiting(code)
    return answers.DeviceWaiting(user_code=device_code(seen.code), label=seen.label, created=rfc3339(seen.created_at))


@router.post("/device/{code}/continue", dependencies=[everybody(limits="only a page of Weir may send it")])
def continue_device(
    request: Request,
    response: Response,
    settings: From[Settings],
    device_logins: From[DeviceLogins],
    sign_in: From[SignIn],
    code: Name,
    body: DeviceProviderBody,
) -> answers.SignInAddress:
    """The person takes the code for theirs and signs in by a provider. Only a page of Weir may send this."""
    cookies.require_page(request, settings.api)
    seen = device_logins.waiting(code)
    redirect = cookies.base_url(request, settings.api) + CALLBACK + body.provider
    begun = sign_in.begin(body.provider, redirect, "/", seen.code)
    keep_attempt(response, settings, begun.cookie, begun.value)
    return answers.SignInAddress(address=begun.address)


@router.post(
    "/device/{code}/let-in",
    dependencies=[everybody(limits="needs the ticket of a sign-in")],
    response_class=Response,
    openapi_extra=takes("application/x-www-form-urlencoded"),
)
async def let_in_device(request: Request, settings: From[Settings], sign_in: From[SignIn], code: Name) -> Response:
    """The person who signed in for a command line lets it in, or refuses it. Only the page that follows the sign-in has
    the ticket that this needs."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    ticket, decision = ("".join(form.get(name, [])) for name in ("ticket", "decision"))
    try:
        cookies.require_own(request, settings.api)
        text = await run_in_threadpool(_decided, sign_in, code, ticket, decision)
    except WeirError as error:
        return failed(request, error)
    return page("Done", text, "Open Weir")


def _decided(sign_in: SignIn, code: str, ticket: str, decision: str) -> str:
    user = sign_in.decide(code, ticket, decision)
    done = f"is signed in as {user}" if user is not None else "was not let in"
    return f"The command line {done}. You can close this page."


@router.post("/device/{code}/refuse", dependencies=[everybody(limits="only a page of Weir may send it")])
def refuse_device(
    request: Request, settings: From[Settings], device_logins: From[DeviceLogins], code: Name
) -> answers.DeviceRefused:
    """The person does not know the code. Only a page of Weir may send this."""
    cookies.require_page(request, settings.api)
    device_logins.refuse(code)
    return answers.DeviceRefused(refused=True)
