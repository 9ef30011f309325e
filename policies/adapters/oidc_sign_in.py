"""Sign-in by OpenID Connect: the code flow with PKCE, refresh, userinfo, logout tokens. Authlib does the protocol."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import httpx2
import jwt
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc.errors import JoseError
from jwt.exceptions import InvalidTokenError, PyJWKClientError

from catalog.declared.server_addresses import ServerAddresses
from catalog.declared.server_specs import Secret
from catalog.errors import InvalidInput, NotSignedIn, SettingsError, Unavailable
from policies.access.session_ports import Account, AccountGone, LogoutNotice, NewTokensOnly, ProviderTokens
from policies.adapters.oidc import ALGORITHMS
from policies.adapters.oidc_documents import TIMEOUT_S, IssuerDocument, IssuerDocuments, unavailable
from policies.declared.provider_specs import IdentityProviderSpec

_LEEWAY_S = 30
_REFUSALS = frozenset({"invalid_grant", "interaction_required", "consent_required", "login_required"})
"""What a token endpoint answers when it does not vouch for the account any more. Other errors are of its own."""
_WORD = re.compile(r"[a-z_]{1,40}\Z")
_LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
_LOGOUT_LASTS_S = 300
_OF_THE_TOKEN = frozenset({"iss", "aud", "exp", "iat", "nbf", "nonce", "azp", "at_hash", "sid", "jti", "typ"})
"""Claims about a token, which userinfo does not replace."""


class OidcSignIn:
    """`OpenIdClient`. `secret` reads what a declaration names; `ca` gives the path of a file of authorities."""

    def __init__(
        self, secret: Callable[[Secret], str], ca: Callable[[str], str], servers: ServerAddresses | None = None
    ) -> None:
        self._secret, self._ca = secret, ca
        self._servers = servers or ServerAddresses()
        self._documents = IssuerDocuments(self._servers)

    def address(self, spec: IdentityProviderSpec, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        document = self._document(spec)
        with self._client(spec, document) as client:
            fresh, _ = client.create_authorization_url(
                document.addresses["authorization_endpoint"],
                state=state,
                nonce=nonce,
                code_verifier=verifier,
                redirect_uri=redirect_uri,
            )
        return str(fresh)

    def finish(
        self, spec: IdentityProviderSpec, redirect_uri: str, answer: Mapping[str, str], nonce: str, verifier: str
    ) -> Account:
        document = self._document(spec)
        issuer = answer.get("iss")
        if (issuer is not None or document.names_itself) and issuer != spec.issuer:
            raise _refused("the answer is of another issuer")
        with self._client(spec, document) as client:
            with _asking(spec, _refused("the code is wrong, has expired or was used before")):
                response = _given(
                    client.fetch_token(
                        document.addresses["token_endpoint"],
                        grant_type="authorization_code",
                        code=answer["code"],
                        code_verifier=verifier,
                        redirect_uri=redirect_uri,
                    )
                )
            claims = self._id_token(spec, document, response, nonce)
            fresh = self._userinfo(spec, document, client, str(claims["sub"])) or {}
        return _account(spec, claims, fresh, response, None)

    def confirm(self, spec: IdentityProviderSpec, subject: str, tokens: ProviderTokens) -> Account:
        document = self._document(spec)
        before = {"access_token": tokens.access, "token_type": "Bearer"}
        claims: dict[str, object] = {}
        with self._client(spec, document, before) as client:
            response: Mapping[str, Any] = before
            if tokens.refresh:
                with _asking(spec, AccountGone()):
                    response = _given(client.refresh_token(document.addresses["token_endpoint"], tokens.refresh))
            try:
                if response is not before and response.get("id_token"):
                    claims = self._id_token(spec, document, response, None)
                fresh = self._userinfo(spec, document, client, subject)
            except Unavailable:
                if response is before:
                    raise
                raise NewTokensOnly(_tokens(response, tokens.refresh)) from None
        if claims.get("sub", subject) != subject or (fresh is None and not claims):
            raise AccountGone
        return _account(spec, {**claims, "sub": subject}, fresh or {}, response, tokens.refresh)

    def logout_notice(self, spec: IdentityProviderSpec, token: str) -> LogoutNotice:
        document = self._document(spec)
        try:
            kind = jwt.get_unverified_header(token).get("typ")
            claims = self._decoded(spec, document, token, ["iss", "aud", "iat", "jti"])
        except (InvalidTokenError, PyJWKClientError):
            raise _bad_logout("it does not hold") from None
        events, jti, issued = claims.get("events"), claims.get("jti"), claims.get("iat")
        if kind is not None and str(kind).lower().removeprefix("application/") not in ("logout+jwt", "jwt"):
            raise _bad_logout("it is a token of another kind")
        if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict) or "nonce" in claims:
            raise _bad_logout("it announces no logout")
        now = datetime.now(UTC).timestamp()
        if not isinstance(issued, int | float) or not now - _LOGOUT_LASTS_S <= issued <= now + _LEEWAY_S:
            raise _bad_logout("it is too old")
        subject, session = (value if isinstance(value := claims.get(name), str) else None for name in ("sub", "sid"))
        if not (subject or session) or not isinstance(jti, str) or not jti:
            raise _bad_logout("it names neither a person nor a session")
        expires = datetime.fromtimestamp(issued + _LOGOUT_LASTS_S + _LEEWAY_S, UTC)
        return LogoutNotice(subject, session, f"{spec.issuer} {jti}", expires)

    def sign_out_address(self, spec: IdentityProviderSpec, return_to: str) -> str | None:
        address = self._document(spec).addresses.get("end_session_endpoint")
        if address is None:
            return None
        # By the client's id and not by an ID token, which would be read in addresses and logs.
        query = urlencode({"client_id": spec.client_id, "post_logout_redirect_uri": return_to})
        return f"{address}{'&' if '?' in address else '?'}{query}"

    # --- inside ----------------------------------------------------------------------------------------------------

    def _document(self, spec: IdentityProviderSpec) -> IssuerDocument:
        document = self._documents.get(spec.issuer, self._ca(spec.ca) if spec.ca else None)
        document.check_endpoints(self._servers)
        return document

    @contextlib.contextmanager
    def _client(
        self, spec: IdentityProviderSpec, document: IssuerDocument, token: Mapping[str, Any] | None = None
    ) -> Iterator[Any]:
        secret = self._secret(spec.client_secret) if spec.client_secret else None
        methods = document.token_auth
        method = "client_secret_basic" if not methods or "client_secret_basic" in methods else "client_secret_post"
        client = OAuth2Client(
            spec.client_id,
            secret,
            token_endpoint_auth_method=method if secret else "none",
            scope=" ".join(spec.scopes),
            code_challenge_method="S256",
            token=token,
            verify=document.tls,
            timeout=TIMEOUT_S,
        )
        try:
            yield client
        finally:
            client.close()

    def _id_token(
        self, spec: IdentityProviderSpec, document: IssuerDocument, response: Mapping[str, Any], nonce: str | None
    ) -> dict[str, object]:
        """The checked claims of an ID token. Raises NotSignedIn. `nonce` None: of a refresh, which may leave it out."""
        token = response.get("id_token")
        if not isinstance(token, str):
            raise _refused("it gave no ID token; the scope openid is missing, or it knows OAuth only")
        try:
            header = jwt.get_unverified_header(token)
            claims = self._decoded(spec, document, token, ["iss", "sub", "aud", "exp", "iat"])
            params = {"client_id": spec.client_id, "access_token": response.get("access_token")}
            checked = CodeIDToken(claims, header, params=params | ({"nonce": nonce} if nonce else {}))
            checked.validate(leeway=_LEEWAY_S)
        except (InvalidTokenError, PyJWKClientError, JoseError, ValueError) as error:
            raise _refused(f"its ID token does not hold ({type(error).__name__})") from None
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise _refused("its ID token names no subject")
        return claims

    @staticmethod
    def _decoded(
        spec: IdentityProviderSpec, document: IssuerDocument, token: str, required: list[str]
    ) -> dict[str, object]:
        return jwt.decode(
            token,
            document.signing_key(token),
            algorithms=ALGORITHMS,
            audience=spec.client_id,
            issuer=spec.issuer,
            leeway=_LEEWAY_S,
            options={"require": required},
        )

    @staticmethod
    def _userinfo(
        spec: IdentityProviderSpec, document: IssuerDocument, client: Any, subject: str
    ) -> dict[str, object] | None:
        """Userinfo of this subject; None where the provider has none or gives it as a signed token.

        Raises AccountGone when the token is not taken any more.
        """
        address = document.addresses.get("userinfo_endpoint")
        if address is None:
            return None
        try:
            # By a header of ours: the client would take a token that lasts a minute or less for expired.
            token = {"Authorization": f"Bearer {client.token['access_token']}", "Accept": "application/json"}
            answer = client.request("GET", address, headers=token, withhold_token=True)
            if answer.status_code in (400, 401, 403):
                raise AccountGone
            if "json" not in answer.raise_for_status().headers.get("content-type", ""):
                return None
            claims = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise unavailable(spec.issuer) from error
        if not isinstance(claims, dict) or claims.get("sub") != subject:
            raise _refused("its userinfo is of another person")
        return claims


@contextlib.contextmanager
def _asking(spec: IdentityProviderSpec, refusal: Exception) -> Iterator[None]:
    """Around a question to the token endpoint. `refusal` is raised when it refuses the grant; Unavailable for all else
    that gives none, so that a limit or a bad hour of the provider ends nobody's session."""
    try:
        yield
    except AuthlibBaseError as error:
        if error.error in _REFUSALS:
            raise refusal from None
        word = error.error if isinstance(error.error, str) and _WORD.match(error.error) else "of its own"
        raise _of_the_secret(error) or unavailable(spec.issuer, word) from error
    except (httpx2.HTTPError, OSError, ValueError, TypeError, AttributeError) as error:
        # Authlib looks into an answer before its shape is known.
        raise unavailable(spec.issuer) from error


def _given(answer: Any) -> Mapping[str, Any]:
    """Raises ValueError for an answer without a token."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("access_token"), str):
        raise ValueError("the answer has no access token")
    return answer


def _account(
    spec: IdentityProviderSpec,
    claims: Mapping[str, object],
    fresh: Mapping[str, object],
    response: Mapping[str, Any],
    refresh: str | None,
) -> Account:
    sid = claims.get("sid")
    newer = {name: value for name, value in fresh.items() if name not in _OF_THE_TOKEN}
    if newer.get("email", claims.get("email")) != claims.get("email"):
        newer.setdefault("email_verified", None)  # what the token vouches for is another address
    return Account(
        spec.issuer,
        str(claims["sub"]),
        {**claims, **newer},
        _tokens(response, refresh),
        sid if isinstance(sid, str) else None,
    )


def _tokens(response: Mapping[str, Any], before: str | None) -> ProviderTokens:
    """`before`: the refresh token that stays in use where the provider gives no other."""
    new = response.get("refresh_token")
    return ProviderTokens(str(response["access_token"]), new if isinstance(new, str) else before)


def _refused(reason: str) -> NotSignedIn:
    return NotSignedIn(f"The sign-in service's answer is refused: {reason}; sign in again.")


def _of_the_secret(error: AuthlibBaseError) -> SettingsError | None:
    """A provider that does not take our own name and secret: no fault of the person who signs in."""
    if error.error not in ("invalid_client", "unauthorized_client"):
        return None
    return SettingsError("The sign-in service does not take Weir's client id and secret; check the IdentityProvider.")


def _bad_logout(reason: str) -> InvalidInput:
    return InvalidInput(f"The logout token is refused: {reason}.")
