"""Who calls: a bearer token, a session's cookie or a client certificate to a subject, and what that subject may do."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from cachetools import TTLCache
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from api.config.http_settings import AUTHENTICATED
from api.config.tls_settings import CLIENT_CERTIFICATE
from api.http.callers import cookies
from api.http.callers.scopes import require_scope
from api.wiring.services import Services
from catalog.errors import NotAllowed, NotSignedIn
from policies.access.api_tokens import PREFIX
from policies.access.certificates import PeerCertificate
from policies.decision.domains import Power, Reach
from policies.model import Subject

LOOKS_AGAIN = "X-Weir-Looks-Again"
"""Header of a request that a page sends without its person: finding out whether something changed."""
bearer = HTTPBearer(auto_error=False, description="A token from `weir token create --user NAME`.")

LATELY_S = 0.05
"""Seconds that the owner of a token counts on routes that are asked for often."""
_LATELY = threading.Lock()


async def services(request: Request) -> Services:
    """The services of this application, built once at its start."""
    built: Services = request.app.state.services
    return built


ServicesOf = Annotated[Services, Depends(services)]


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request signs in with.

    text         a bearer token, or the secret of a session; empty where nothing but a certificate was sent
    cookie       the text is the secret of a browser's session, not a bearer token
    certificate  of the connection. It signs in where there is no text; beside one it may not be of another account
    """

    text: str = ""
    cookie: bool = False
    certificate: PeerCertificate | None = None

    @property
    def signing(self) -> PeerCertificate | None:
        """The certificate, where it is what signs in; None where a token or a session does."""
        return None if self.text else self.certificate

    @property
    def digest(self) -> bytes:
        """What is remembered of a credential that was good: the token itself is kept nowhere."""
        beside = self.certificate.fingerprint if self.certificate is not None else ""
        return hashlib.sha256(f"{beside}\n{self.cookie}\n{self.text}".encode(errors="replace")).digest()


def subject_of(built: Services, given: Credential, *, use: bool = True) -> Subject:
    """Who signs in. `use` False: a look that does not count as use of a session.

    Raises NotSignedIn (401); NotAllowed (403) for the token or session of one and the certificate of another account.
    """
    if given.signing is not None:
        return built.certificates.signed_in(given.signing)
    subject = built.identity.authenticate(given.text, cookie=given.cookie, use=use)
    if given.certificate is not None:
        built.certificates.require_same(subject, given.certificate)
    return subject


def later(built: Services, given: Credential) -> Callable[[], Subject]:
    """Gives the subject as they are later on, while a request's work continues; see `Identity.session`."""
    if given.signing is not None:
        return built.certificates.later(given.signing)
    return built.identity.session(given.text, cookie=given.cookie)


async def credential(
    request: Request,
    built: ServicesOf,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Credential:
    """See `credential_of`."""
    return credential_of(request, built, credentials)


def credential_of(request: Request, built: Services, credentials: HTTPAuthorizationCredentials | None) -> Credential:
    """The bearer token of the request, else its session's cookie, else the certificate. Raises NotSignedIn (401).

    NotAllowed (403) when a cookie comes with a request that changes something and no page of Weir sent it, or when a page
    of another site had a browser send its certificate with one.
    """
    certificate = client_certificate(request)
    if len(request.headers.getlist("authorization")) > 1:
        raise NotSignedIn("This request has more than one Authorization header; send one.")
    if credentials is not None:
        return Credential(credentials.credentials, certificate=certificate)
    if request.headers.get("authorization"):
        raise NotSignedIn(
            "This request has an Authorization header that is not a bearer token; send 'Authorization: Bearer TOKEN'."
        )
    secret = cookies.session_cookie(request, built.settings.api)
    if secret is None and certificate is not None:
        if request.method not in cookies.SAFE:
            cookies.require_own(request, built.settings.api)
        return Credential(certificate=certificate)
    if secret is None:
        raise NotSignedIn("This request has no token; send 'Authorization: Bearer TOKEN'.")
    if request.method not in cookies.SAFE:
        cookies.require_csrf(request, built.settings.api, secret)
    return Credential(secret, cookie=True, certificate=certificate)


def client_certificate(request: Request) -> PeerCertificate | None:
    """The certificate that the client proved to have in the TLS handshake of its connection to this process."""
    certificate: PeerCertificate | None = request.scope.get(CLIENT_CERTIFICATE)
    return certificate


def caller(request: Request, built: ServicesOf, given: Annotated[Credential, Depends(credential)]) -> Subject:
    """The subject of the request. Raises NotSignedIn (401), NotAllowed (403) for a token without the scope it needs,
    LimitExceeded (429) for a person who asks too often."""
    return _let_in(request, subject_of(built, given, use=is_use(request)))


def _let_in(request: Request, subject: Subject) -> Subject:
    """What holds for a subject who is known, on every route."""
    setattr(request.state, AUTHENTICATED, True)
    request.app.state.person_rates.require(subject.user, request.method, request.scope["path"])
    require_scope(subject, request.method, request.scope["route"].path)
    return subject


def caller_lately(request: Request, built: Services, given: Credential) -> Subject:
    """As `caller`, for routes that are asked for hundreds of times a second: who a token of Weir belongs to counts for a
    moment, so what is revoked ends within that moment."""
    kept: TTLCache[bytes, Subject] = request.app.state.lately
    key = given.digest
    with _LATELY:
        subject = kept.get(key)
    if subject is None:
        subject = subject_of(built, given, use=is_use(request))
        if given.text.startswith(PREFIX):
            with _LATELY:
                kept[key] = subject
    return _let_in(request, subject)


def is_use(request: Request) -> bool:
    """Whether a person is at work: pages that only look again by themselves name that, and keep no session alive."""
    return request.method not in cookies.SAFE or request.headers.get(LOOKS_AGAIN) is None


Given = Annotated[Credential, Depends(credential)]
Caller = Annotated[Subject, Depends(caller)]


def session(built: ServicesOf, _: Caller, given: Given) -> Callable[[], Subject]:
    """Gives the caller as they are later on; see `later`."""
    return later(built, given)


def permitted(permission: str) -> Callable[[Subject, Services], Subject]:
    """A dependency that lets only subjects with one permission pass (403 otherwise)."""

    def check(subject: Caller, built: ServicesOf) -> Subject:
        require(built, subject, permission)
        return subject

    return check


def require(built: Services, subject: Subject, permission: str) -> None:
    """Raise NotAllowed (403) unless the subject holds the permission."""
    if permission not in built.identity.permissions(subject):
        raise NotAllowed(
            f"{subject.user} lacks the permission {permission!r}; ask an administrator for a role that carries it.",
            details={"permission": permission, "reasons": [f"no role of {subject.user} carries {permission}"]},
        )


def require_on(built: Services, subject: Subject, power: Power, reference: str) -> None:
    """As `require`, for one dataset: the permission, or that of its domain."""
    if not built.may(subject, power, reference):
        require(built, subject, power)


def reach_of(built: Services, subject: Subject, power: Power) -> Reach | None:
    """The datasets for which the subject has a power by their domains; None where a permission gives it for all of them.
    Raises NotAllowed (403) where there are none."""
    if power in built.identity.permissions(subject):
        return None
    reach = built.identity.reach(subject, power)
    if not reach:
        require(built, subject, power)
    return reach


def declarer(subject: Caller, built: ServicesOf) -> Subject:
    """Who may declare something: who manages, and admins and stewards of domains, within these. Raises NotAllowed (403)."""
    if not any(Power.EDIT in powers for powers in built.identity.domains(subject).values()):
        require(built, subject, "manage")
    return subject


Session = Annotated[Callable[[], Subject], Depends(session)]
Manager = Annotated[Subject, Depends(permitted("manage"))]
Declarer = Annotated[Subject, Depends(declarer)]
ScanOperator = Annotated[Subject, Depends(permitted("scan"))]
Reviewer = Annotated[Subject, Depends(permitted("review"))]
Producer = Annotated[Subject, Depends(permitted("lineage:write"))]
Auditor = Annotated[Subject, Depends(permitted("audit:read"))]
