"""Who calls: a bearer token, a session's cookie or a client certificate to a subject."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from cachetools import TTLCache
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from api.config.settings import Settings
from api.config.tls_settings import CLIENT_CERTIFICATE
from api.guard import cookies
from api.guard.services import InstanceOf
from api.wiring.instance import Instance
from catalog.errors import NotSignedIn
from policies.access.api_tokens import PREFIX
from policies.access.certificates import Certificates, PeerCertificate
from policies.access.identity import Identity
from policies.model import Subject

LOOKS_AGAIN = "X-Weir-Looks-Again"
"""Header of a request that a page sends without its person: finding out whether something changed."""
bearer = HTTPBearer(auto_error=False, description="A token from `weir token create --user NAME`.")

LATELY_S = 0.05
"""Seconds that the owner of a token counts on routes that are asked for often."""
_LATELY = threading.Lock()


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


def subject_of(built: Instance, given: Credential, *, use: bool = True) -> Subject:
    """Who signs in. `use` False: a look that does not count as use of a session.

    Raises NotSignedIn (401); NotAllowed (403) for the token or session of one and the certificate of another account.
    """
    if given.signing is not None:
        return built[Certificates].signed_in(given.signing)
    subject = built[Identity].authenticate(given.text, cookie=given.cookie, use=use)
    if given.certificate is not None:
        built[Certificates].require_same(subject, given.certificate)
    return subject


def later(built: Instance, given: Credential) -> Callable[[], Subject]:
    """Gives the subject as they are later on, while a request's work continues; see `Identity.session`."""
    if given.signing is not None:
        return built[Certificates].later(given.signing)
    return built[Identity].session(given.text, cookie=given.cookie)


async def credential(
    request: Request,
    built: InstanceOf,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Credential:
    """See `credential_of`."""
    return credential_of(request, built, credentials)


def credential_of(request: Request, built: Instance, credentials: HTTPAuthorizationCredentials | None) -> Credential:
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
    secret = cookies.session_cookie(request, built[Settings].api)
    if secret is None and certificate is not None:
        if request.method not in cookies.SAFE:
            cookies.require_own(request, built[Settings].api)
        return Credential(certificate=certificate)
    if secret is None:
        raise NotSignedIn("This request has no token; send 'Authorization: Bearer TOKEN'.")
    if request.method not in cookies.SAFE:
        cookies.require_csrf(request, built[Settings].api, secret)
    return Credential(secret, cookie=True, certificate=certificate)


def client_certificate(request: Request) -> PeerCertificate | None:
    """The certificate that the client proved to have in the TLS handshake of its connection to this process."""
    certificate: PeerCertificate | None = request.scope.get(CLIENT_CERTIFICATE)
    return certificate


def is_use(request: Request) -> bool:
    """Whether a person is at work: pages that only look again by themselves name that, and keep no session alive."""
    return request.method not in cookies.SAFE or request.headers.get(LOOKS_AGAIN) is None


def subject_lately(request: Request, built: Instance, given: Credential) -> Subject:
    """As `subject_of`, for routes that are asked for hundreds of times a second: who a token of Weir belongs to counts for a
    moment. What is revoked in this process ends at once, what another process revokes within that moment."""
    kept: TTLCache[tuple[int, bytes], Subject] = request.app.state.lately
    key = built[Identity].revocations, given.digest
    with _LATELY:
        subject = kept.get(key)
    if subject is None:
        subject = subject_of(built, given, use=is_use(request))
        if given.text.startswith(PREFIX):
            with _LATELY:
                kept[key] = subject
    return subject


Given = Annotated[Credential, Depends(credential)]
