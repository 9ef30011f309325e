"""What an OpenID Connect issuer publishes of itself: its addresses and its keys, fetched when needed and kept a while."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
from cachetools import TTLCache
from jwt.exceptions import PyJWKClientError, PyJWTError

from catalog.declared.loopback import is_loopback
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError, Unavailable

TIMEOUT_S = 5.0
_KEPT_S = 600
_FAILED_S = 5
_MOST = 256
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_CALLED = ("token_endpoint", "jwks_uri", "userinfo_endpoint")
"""Endpoints that Weir calls; the others are called by browsers."""
_OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")


@dataclass(frozen=True, slots=True)
class IssuerDocument:
    """A checked discovery document, and the keys behind it."""

    issuer: str
    addresses: dict[str, str]
    token_auth: tuple[str, ...]
    names_itself: bool
    keys: jwt.PyJWKClient
    tls: ssl.SSLContext

    def check_endpoints(self, servers: ServerAddresses) -> None:
        """Raises SettingsError for an endpoint that may not be called. One that resolves to another address after this has no
        certificate for its name there: every call is https."""
        for name in _CALLED:
            if address := self.addresses.get(name):
                servers.require_url(address, f"{name} of {self.issuer}")

    def signing_key(self, token: str) -> jwt.PyJWK:
        """The key that a token names; a provider with one key need not name it.

        Raises Unavailable when the provider's keys cannot be read, PyJWKClientError when the key is not among them.
        """
        name = jwt.get_unverified_header(token).get("kid")
        with self._reading_keys():
            keys = [key for key in self.keys.get_jwk_set().keys if key.public_key_use in ("sig", None)]
        if name is not None:
            with self._reading_keys(unknown=PyJWKClientError):
                return self.keys.get_signing_key(name)  # fetches the keys once more, as the name may be new
        if len(keys) != 1:
            raise PyJWKClientError("the token names no key, and the issuer has several")
        return keys[0]

    @contextlib.contextmanager
    def _reading_keys(self, unknown: type[Exception] | None = None) -> Iterator[None]:
        """Around a look at the keys that a provider publishes: what cannot be read is an outage of it.

        `unknown`: the very type of the error that passes, for a name that is not among them.
        """
        try:
            yield
        except (PyJWTError, OSError, ValueError, TypeError, AttributeError) as error:
            # PyJWT looks into what came before its shape is known.
            if type(error) is unknown:
                raise
            raise unavailable(self.issuer) from error


class IssuerDocuments:
    """Discovery documents by issuer, kept ten minutes. Safe for threads."""

    def __init__(self, servers: ServerAddresses | None = None) -> None:
        self._servers = servers or ServerAddresses()
        self._kept: TTLCache[tuple[str, str | None], IssuerDocument] = TTLCache(_MOST, _KEPT_S)
        self._failed: TTLCache[tuple[str, str | None], bool] = TTLCache(_MOST, _FAILED_S)
        self._gates: TTLCache[tuple[str, str | None], threading.Lock] = TTLCache(_MOST, _KEPT_S)
        self._lock = threading.Lock()

    def get(self, issuer: str, ca: str | None) -> IssuerDocument:
        """Raises Unavailable when the issuer does not answer, SettingsError when the document is of another issuer or
        names an address that is not private, or an
        issuer that may not be called."""
        with self._lock:
            if (document := self._known(issuer, ca)) is not None:
                return document
            gate = self._gates.setdefault((issuer, ca), threading.Lock())
        # One caller fetches for all: anybody may ask, and an issuer that hangs must not keep a thread for each.
        if not gate.acquire(timeout=TIMEOUT_S):
            raise unavailable(issuer)
        try:
            with self._lock:
                if (document := self._known(issuer, ca)) is not None:
                    return document
            return self._fetch(issuer, ca)
        finally:
            gate.release()

    def _known(self, issuer: str, ca: str | None) -> IssuerDocument | None:
        """Raises Unavailable for an issuer that did not answer a moment ago."""
        if (issuer, ca) in self._failed:
            raise unavailable(issuer)
        return self._kept.get((issuer, ca))

    def _fetch(self, issuer: str, ca: str | None) -> IssuerDocument:
        self._servers.require_url(issuer, "spec.issuer")
        try:
            document = _fetched(issuer, ca)
        except Unavailable:
            with self._lock:
                self._failed[issuer, ca] = True
            raise
        with self._lock:
            self._kept[issuer, ca] = document
        return document


def unavailable(issuer: str, error: str | None = None) -> Unavailable:
    """`error`: the code of an error that it answered with."""
    does = "does not answer" if error is None else f"answers with an error ({error})"
    return Unavailable(
        f"The issuer {issuer} that signs people in {does}; try again in a moment.",
        details={"server": "oidc"},
    )


def _fetched(issuer: str, ca: str | None) -> IssuerDocument:
    address = issuer.rstrip("/") + "/.well-known/openid-configuration"
    try:
        tls = ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"The file of authorities for {issuer} cannot be read as PEM certificates; correct spec.ca."
        ) from error
    try:
        answer = httpx.get(address, timeout=TIMEOUT_S, verify=tls)
        if answer.is_client_error:
            raise SettingsError(
                f"{address} answers {answer.status_code}; check spec.issuer, which is written exactly as the provider names it."
            )
        document: Any = answer.raise_for_status().json()
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise unavailable(issuer) from error
    if not isinstance(document, dict) or document.get("issuer") != issuer:
        raise SettingsError(f"{address} is not the document of the issuer {issuer}; correct spec.issuer.")
    addresses = {}
    for name in (*_ENDPOINTS, *_OPTIONAL):
        value = document.get(name)
        if value is None and name in _OPTIONAL:
            continue
        if not isinstance(value, str) or not _private(value):
            raise SettingsError(f"{address} names no {name} that begins with https://; the provider cannot be used.")
        addresses[name] = value
    methods = document.get("token_endpoint_auth_methods_supported")
    return IssuerDocument(
        issuer=issuer,
        addresses=addresses,
        token_auth=tuple(each for each in methods if isinstance(each, str)) if isinstance(methods, list) else (),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        keys=jwt.PyJWKClient(addresses["jwks_uri"], timeout=TIMEOUT_S, ssl_context=tls),
        tls=tls,
    )


def _private(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
