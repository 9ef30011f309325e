"""The cookie of a browser's session, and that a request which changes something was sent by a page of this Weir."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from fastapi import Request, Response

from api.config.http_settings import ApiSettings
from catalog.declared.loopback import is_loopback
from catalog.errors import Conflict, NotAllowed

CSRF_HEADER = "X-Weir-CSRF"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def session_cookie(request: Request, settings: ApiSettings) -> str | None:
    """The secret of the browser's session; the name that does not belong to this kind of address is not looked at."""
    return request.cookies.get(settings.session_cookie) or None


def set_session(response: Response, settings: ApiSettings, secret: str, seconds: int) -> None:
    """`seconds`: how long the browser keeps it."""
    response.set_cookie(
        settings.session_cookie, secret, seconds, path="/", secure=settings.secure, httponly=True, samesite="strict"
    )


def clear_session(response: Response, settings: ApiSettings) -> None:
    """Takes the cookie from the browser."""
    response.delete_cookie(settings.session_cookie, path="/", secure=settings.secure, httponly=True, samesite="strict")


def attempts(request: Request, settings: ApiSettings) -> dict[str, str]:
    """The cookies of sign-ins that this browser began, by their plain names.

    With TLS only those with a prefix that no other host of the domain can set: a host that could plant one here could have
    their own sign-in finished in this browser.
    """
    prefix = settings.host_prefix
    return {name.removeprefix(prefix): value for name, value in request.cookies.items() if name.startswith(prefix)}


def keep_attempt(response: Response, settings: ApiSettings, name: str, value: str, path: str, seconds: int) -> None:
    """Bind a sign-in to this browser. `path`: where it comes back to; with TLS browsers want it for the whole host."""
    response.set_cookie(
        settings.host_prefix + name,
        value,
        seconds,
        path="/" if settings.secure else path,
        secure=settings.secure,
        httponly=True,
        samesite="lax",
    )


def drop_attempt(response: Response, settings: ApiSettings, name: str, path: str) -> None:
    """Takes the cookie of a sign-in that is done."""
    response.delete_cookie(
        settings.host_prefix + name,
        path="/" if settings.secure else path,
        secure=settings.secure,
        httponly=True,
        samesite="lax",
    )


def csrf_token(secret: str) -> str:
    """What a page sends with each request that changes something; made of the session's secret, which it cannot read."""
    return hmac.new(secret.encode(errors="replace"), b"weir csrf", hashlib.sha256).hexdigest()


def base_url(request: Request, settings: ApiSettings) -> str:
    """The address by which browsers come. Raises Conflict where that is not known for certain."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = request.headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        name = ""
    if not is_loopback(name):
        raise Conflict(
            "Signing in here needs the setting api.public_url (WEIR_API__PUBLIC_URL): the address that browsers use, as in"
            " https://weir.example.com."
        )
    return f"{'https' if settings.secure else 'http'}://{host}"


def require_page(request: Request, settings: ApiSettings) -> None:
    """Raises NotAllowed when a request was not sent by a page of this address, as far as a browser names where it is from.

    The header is one that pages of others cannot send without asking first.
    """
    require_own(request, settings)
    if not request.headers.get(CSRF_HEADER):
        raise _not_ours()


def require_own(request: Request, settings: ApiSettings) -> None:
    """The same without the header, which a form cannot send; its proof is in its body."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    foreign = (site is not None and site not in ("same-origin", "none")) or (
        origin is not None and not _is_own(origin, request.headers, settings)
    )
    if foreign:
        raise _not_ours()


def require_csrf(request: Request, settings: ApiSettings, secret: str) -> None:
    """The same for a request in a session: its header has to be this session's."""
    require_page(request, settings)
    token = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(token.encode(errors="replace"), csrf_token(secret).encode()):
        raise _not_ours()


def _is_own(origin: str, headers: Mapping[str, str], settings: ApiSettings) -> bool:
    if settings.public_url:
        return origin.lower() == settings.public_url.rstrip("/").lower()
    return origin.partition("://")[2] == headers.get("host")


def _not_ours() -> NotAllowed:
    return NotAllowed(
        f"This request would change something, and was not sent by a page of this Weir: {CSRF_HEADER} is missing or wrong."
        " Load the page again; programs send a token instead of a cookie.",
        details={"reasons": ["csrf"]},
    )
