"""Bearer tokens of an OpenID Connect issuer: checked by its published keys, turned into a user and groups."""

from __future__ import annotations

import ssl
import threading

import httpx
import jwt
from jwt.exceptions import InvalidTokenError, PyJWKClientConnectionError, PyJWKClientError

from catalog.errors import NotSignedIn, SettingsError, Unavailable
from catalog.unseen import has_unseen
from policies.access.provider_rights import is_vouched
from policies.declared.person_names import is_own
from policies.model import Subject
from policies.settings import OidcSettings

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a private key. Never one by a shared secret, which anybody who knows the public key could make."""
_TYPES = frozenset({"jwt", "at+jwt"})
"""What a token that signs somebody in may be (RFC 9068, RFC 8725 3.11); a notice of a sign-out is `logout+jwt`."""
_TIMEOUT_S = 5.0
_LEEWAY_S = 30


class OidcVerifier:
    """`TokenVerifier` for one issuer. Its keys are fetched when first needed, kept, and asked for again at most every
    30 seconds when a token names one that is not known. Safe for threads."""

    def __init__(self, settings: OidcSettings) -> None:
        if not settings.issuer or not settings.audience:
            raise SettingsError("Sign-in by OpenID Connect needs both an issuer and an audience.")
        if settings.ca is not None and not settings.ca.is_file():
            raise SettingsError(f"The file {settings.ca} of the issuer's authorities is not there.")
        self._settings, self._issuer = settings, settings.issuer
        self._tls = ssl.create_default_context(cafile=str(settings.ca) if settings.ca else None)
        self._keys: jwt.PyJWKClient | None = None
        self._lock = threading.Lock()

    def verify(self, token: str) -> Subject | None:
        """None for a text that is not a token of this issuer. Raises NotSignedIn, which names what is wrong with one that is,
        and Unavailable when the issuer does not answer."""
        try:
            unverified = jwt.decode(token, options={"verify_signature": False})
        except InvalidTokenError:
            return None
        if unverified.get("iss") != self._issuer:
            return None
        typ = str(jwt.get_unverified_header(token).get("typ") or "jwt").lower().removeprefix("application/")
        if typ not in _TYPES or "events" in unverified:
            raise _refused("it is a token of another use, such as a notice of a sign-out")
        try:
            key = self._known_keys().get_signing_key_from_jwt(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._settings.audience,
                issuer=self._issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        except PyJWKClientConnectionError as error:
            raise self._away() from error
        except (InvalidTokenError, PyJWKClientError) as error:
            raise _refused(_WRONG.get(type(error), "it does not hold")) from error
        return self._subject(claims)

    def _subject(self, claims: dict[str, object]) -> Subject:
        name = claims.get(self._settings.user_claim)
        if not isinstance(name, str) or not name.strip():
            raise _refused(f"it has no claim {self._settings.user_claim!r}, which names the user")
        if not is_vouched(claims, self._settings.user_claim):
            raise _refused("its address was not verified (email_verified), so it names nobody")
        if is_own(name):
            raise _refused(f"{name!r} is Weir's own user and signs in with its own token only")
        groups = claims.get(self._settings.groups_claim, [])
        names = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
        # Keycloak writes a group as a path: /sales.
        return Subject(
            name, frozenset(each.removeprefix("/") for each in names if isinstance(each, str) and not has_unseen(each))
        )

    def _known_keys(self) -> jwt.PyJWKClient:
        with self._lock:
            if self._keys is None:
                self._keys = jwt.PyJWKClient(self._keys_address(), timeout=_TIMEOUT_S, ssl_context=self._tls)
            return self._keys

    def _keys_address(self) -> str:
        address = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
        try:
            document = httpx.get(address, timeout=_TIMEOUT_S, verify=self._tls).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise self._away() from error
        if not isinstance(document, dict) or document.get("issuer") != self._issuer:
            raise SettingsError(f"{address} is not the document of the issuer {self._issuer}; fix the setting.")
        keys = document.get("jwks_uri")
        if not isinstance(keys, str) or not keys.startswith(("https://", "http://")):
            raise SettingsError(f"{address} names no address of keys.")
        return keys

    def _away(self) -> Unavailable:
        return Unavailable(
            f"The issuer {self._issuer} that signs people in does not answer; try again when it does.",
            details={"server": "oidc"},
        )


_WRONG: dict[type[Exception], str] = {
    jwt.ExpiredSignatureError: "it has expired; sign in again",
    jwt.ImmatureSignatureError: "it is not valid yet; check the clocks",
    jwt.InvalidAudienceError: "it was made for another application",
    jwt.InvalidSignatureError: "its signature is wrong",
    jwt.InvalidAlgorithmError: "it is signed in a way that is not accepted",
    jwt.MissingRequiredClaimError: "it lacks a claim that every token needs (exp, iss, aud)",
}


def _refused(reason: str) -> NotSignedIn:
    return NotSignedIn(f"The token of the sign-in service is refused: {reason}.")
