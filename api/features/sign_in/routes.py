"""`/auth`: signing in by a declared identity provider, and out again; the session of a browser."""

from __future__ import annotations

import html
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse

from api.config.settings import Settings
from api.edge.answer_headers import PAGE_POLICY
from api.edge.errors import status_of
from api.edge.openapi import takes
from api.edge.parameters import Name, Text
from api.features.sign_in import answers
from api.guard import cookies
from api.guard.browsers import browser_of
from api.guard.credentials import Given, is_use, subject_of
from api.guard.guards import everybody, own_session
from api.guard.router import FeatureRouter
from api.guard.services import From, InstanceOf
from catalog.errors import InvalidInput, NotSignedIn, Unavailable, WeirError
from policies.access.sessions import Sessions
from policies.access.sign_in import LASTS_S, Asks, SignIn, cookie_of

router = FeatureRouter("/auth", tags=["sign-in"], tolerant=True)
CALLBACK = "/api/v1/auth/callback/"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Weir: sign-in</title>
<style>body{{font:16px/1.5 system-ui;max-width:36rem;margin:4rem auto;padding:0 1rem}}</style>
<h1>{title}</h1><p>{text}</p><p><a href="/">{link}</a></p></html>"""
_ASK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Weir: sign in a command line</title>
<style>body{{font:16px/1.5 system-ui;max-width:36rem;margin:4rem auto;padding:0 1rem}}button{{font:inherit}}</style>
<h1>Let this command line in?</h1>
<p><strong>{label}</strong> shows the code <code>{code}</code>. It will be able to do all that <strong>{user}</strong> may do.</p>
<p>Let it in only if you ran <code>weir login</code> yourself, and see this very code there.</p>
<form method="post" action="{action}"><input type="hidden" name="ticket" value="{ticket}">
<button name="decision" value="let-in">Let it in as {user}</button>
<button name="decision" value="refuse">Refuse it</button></form></html>"""
_ASK_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY.replace("form-action 'none'", "form-action 'self'"),
    # Without a referrer browsers send the form with the origin `null`, which could be anybody's.
    "Referrer-Policy": "same-origin",
}
_MOST_FORM = 64 * 1024


@router.get("/session", dependencies=[everybody()])
def session(
    request: Request, sign_in: From[SignIn], settings: From[Settings], sessions: From[Sessions]
) -> answers.SignInState:
    """How one can sign in, and the session of the browser's cookie, if there is one. Open to all."""
    providers = [
        answers.SignInProvider(name=name, title=spec.title or name)
        for name, spec in sorted(sign_in.providers().items())
    ]
    state = answers.SignInState(providers=providers, session=None, ended=None, problem=None)
    secret = cookies.session_cookie(request, settings.api)
    if secret is None:
        return state
    try:
        seen = sessions.signed_in(secret, "browser", use=is_use(request))
    except NotSignedIn as error:
        return state.model_copy(update={"ended": error.message})
    except Unavailable as error:
        return state.model_copy(update={"problem": error.message})
    return state.model_copy(update={"session": answers.own_session(seen, secret, sessions.idle_end(seen.session))})


@router.get("/login/{provider}", dependencies=[everybody()], status_code=303, response_class=Response)
def login(
    request: Request,
    sign_in: From[SignIn],
    settings: From[Settings],
    sessions: From[Sessions],
    provider: Name,
    return_to: Annotated[Text, Query(alias="return", description="Path of the page to come back to.")] = "/",
) -> Response:
    """Send the browser to a provider to sign in there. Open to all; a cookie binds what comes back to this browser."""
    try:
        sign_in.require(provider)
        redirect = cookies.base_url(request, settings.api) + CALLBACK + quote(provider, safe="")
        secret = cookies.session_cookie(request, settings.api)
        before = sessions.of_secret(secret) if secret else None
        begun = sign_in.begin(provider, redirect, return_to, replaces=before.id if before else None)
    except WeirError as error:
        return failed(request, error)
    answer = RedirectResponse(begun.address, 303)
    keep_attempt(answer, settings, begun.cookie, begun.value)
    return answer


@router.get(
    "/callback/{provider}",
    dependencies=[everybody(limits="completes a sign-in that this browser began")],
    status_code=303,
    response_class=Response,
)
def callback(request: Request, sign_in: From[SignIn], settings: From[Settings], provider: Name) -> Response:
    """Where a provider sends the browser back to: opens a session, and continues to the page that asked for it."""
    given: dict[str, str] = {}
    try:
        for name, value in request.query_params.multi_items():
            if name in given:
                raise InvalidInput(f"The sign-in service sent {name!r} twice; begin again.")
            given[name] = value
        done = sign_in.finish(provider, given, cookies.attempts(request, settings.api), browser_of(request))
    except WeirError as error:
        return failed(request, error)
    if isinstance(done, Asks):
        answer: Response = _question(done)
    else:
        answer = RedirectResponse(done.return_to, 303)
        lasts = int((done.session.ends_at - done.session.created_at).total_seconds())
        cookies.set_session(answer, settings.api, done.secret, lasts)
    cookies.drop_attempt(answer, settings.api, cookie_of(given.get("state", "")), CALLBACK)
    return answer


@router.post("/logout", dependencies=[own_session("the caller's own")])
def logout(
    request: Request,
    response: Response,
    sessions: From[Sessions],
    settings: From[Settings],
    sign_in: From[SignIn],
    built: InstanceOf,
    given: Given,
) -> answers.SignedOut:
    """End this session. An API token is ended by `/tokens`."""
    # Without asking who this is now: a provider that does not answer must not keep anybody signed in.
    seen = sessions.of_secret(given.text)
    if seen is None or (seen.kind == "browser") != given.cookie:
        subject_of(built, given)
        raise InvalidInput(
            "This request came with an API token, not in a session; revoke it with weir token revoke ID."
            if given.text
            else "This request came with a client certificate, not in a session; there is nothing to end."
        )
    sessions.end(seen, "signed out")
    address = None
    if given.cookie:
        cookies.clear_session(response, settings.api)
        try:
            address = sign_in.sign_out_address(seen.provider, cookies.base_url(request, settings.api) + "/")
        except WeirError:
            address = None  # signed out here all the same
    return answers.SignedOut(address=address)


@router.post(
    "/backchannel/{provider}",
    dependencies=[everybody(limits="needs a logout token that the provider signed")],
    response_class=Response,
    openapi_extra=takes("application/x-www-form-urlencoded"),
)
async def backchannel(request: Request, sign_in: From[SignIn], provider: Name) -> Response:
    """A provider's message that somebody signed out there (OpenID Connect Back-Channel Logout). Open to all: the message
    is signed."""
    body = (await request.body())[:_MOST_FORM]
    tokens = parse_qs(body.decode(errors="replace")).get("logout_token", [])
    if len(tokens) != 1:
        raise InvalidInput("The form must have one logout_token.")
    await run_in_threadpool(sign_in.signed_out_there, provider, tokens[0])
    return Response(status_code=200, headers={"Cache-Control": "no-store"})


def keep_attempt(answer: Response, settings: Settings, name: str, value: str) -> None:
    """The cookie that binds a sign-in to this browser; it comes back with the provider's answer only."""
    cookies.keep_attempt(answer, settings.api, name, value, CALLBACK, LASTS_S)


def page(title: str, text: str, link: str, status: int = 200) -> HTMLResponse:
    """A page of one sentence."""
    return HTMLResponse(_PAGE.format(title=title, text=html.escape(text), link=link), status)


def _question(asks: Asks) -> HTMLResponse:
    shown = device_code(asks.device.code)
    words = {"label": asks.device.label, "code": shown, "user": asks.user, "ticket": asks.ticket}
    action = f"/api/v1/auth/device/{shown}/let-in"
    return HTMLResponse(
        _ASK.format(action=action, **{name: html.escape(text) for name, text in words.items()}), headers=_ASK_HEADERS
    )


def device_code(code: str) -> str:
    """As the command line shows it."""
    return f"{code[:4]}-{code[4:]}"


def failed(request: Request, error: WeirError) -> Response:
    """A page for people; one JSON body for the rest."""
    if "text/html" not in request.headers.get("accept", ""):
        raise error
    return page("You are not signed in", error.message, "Back to the sign-in page", status_of(error))
