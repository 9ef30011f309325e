"""Bearer tokens of an OpenID Connect issuer: which ones sign a user in. The issuer answers over HTTP as real ones do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from catalog.errors import NotSignedIn, SettingsError, Unavailable
from policies.adapters.oidc import OidcVerifier
from policies.model import Subject
from policies.settings import OidcSettings


class Issuer:
    """Two keys, of which `published` are given out. `asked` counts how often somebody wanted them."""

    def __init__(self) -> None:
        self.keys = {name: rsa.generate_private_key(65537, 2048) for name in ("one", "two")}
        self.published = ["one"]
        self.asked = 0
        self.named: str | None = None
        issuer = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(issuer.answer(self.path)).encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}/realms/weir"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> Any:
        if path.endswith("/.well-known/openid-configuration"):
            return {"issuer": self.named or self.url, "jwks_uri": self.url + "/keys"}
        self.asked += 1
        return {"keys": [self.public(name) for name in self.published]}

    def public(self, name: str) -> dict[str, Any]:
        document = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.keys[name].public_key()))
        return {**document, "kid": name, "use": "sig", "alg": "RS256"}

    def claims(self) -> dict[str, Any]:
        return {"iss": self.url, "aud": "weir", "preferred_username": "ana", "exp": time.time() + 60}

    def token(self, key: str = "one", header: dict[str, Any] | None = None, **changed: Any) -> str:
        claims = self.claims() | {"groups": ["/sales"]}
        claims_sent = {name: value for name, value in (claims | changed).items() if value is not None}
        return jwt.encode(claims_sent, self.keys[key], algorithm="RS256", headers={"kid": key} | (header or {}))


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()


@pytest.fixture
def verifier(issuer: Issuer) -> OidcVerifier:
    return OidcVerifier(OidcSettings(issuer=issuer.url, audience="weir"))


def test_a_token_that_holds_names_user_and_groups(issuer: Issuer, verifier: OidcVerifier) -> None:
    assert verifier.verify(issuer.token()) == Subject("ana", frozenset({"sales"}))
    assert verifier.verify(issuer.token(aud=["other", "weir"], groups=None)) == Subject("ana")
    assert issuer.asked == 1


def test_what_does_not_hold_is_refused_with_the_reason(issuer: Issuer, verifier: OidcVerifier) -> None:
    pem = (
        issuer.keys["one"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    claims = issuer.claims()
    head, _, signature = issuer.token().split(".")
    other = issuer.token(preferred_username="petra").split(".")[1]
    cases = {
        issuer.token(exp=time.time() - 60): "expired",
        issuer.token(exp=None): "lacks a claim",
        issuer.token(nbf=time.time() + 600): "not valid yet",
        issuer.token(aud="other"): "another application",
        issuer.token(aud=None): "lacks a claim",
        issuer.token(preferred_username=None): "'preferred_username'",
        issuer.token(preferred_username="admin"): "Weir's own user",
        f"{head}.{other}.{signature}": "signature is wrong",
        issuer.token("two", {"kid": "one"}): "signature is wrong",
        jwt.encode(claims, "x" * 64, "HS256", headers={"kid": "one"}): "not accepted",
        jwt.encode(claims, "", "none", headers={"kid": "one"}): "not accepted",
    }
    for token, expected in cases.items():
        with pytest.raises(NotSignedIn, match=expected):
            verifier.verify(token)
    with pytest.raises(jwt.InvalidKeyError):  # the confusion of keys that no library should allow to be made
        jwt.encode(claims, pem, "HS256")


def test_no_confusion_of_keys_uses_and_names(issuer: Issuer, verifier: OidcVerifier) -> None:
    header: dict[str, Any]
    for header in ({"kid": ""}, {"kid": "../../one"}, {"kid": "one\x00"}, {"typ": "logout+jwt"}, {"typ": "dpop+jwt"}):
        with pytest.raises(NotSignedIn):
            verifier.verify(issuer.token(header=header))
    wrong: tuple[dict[str, Any], ...] = (
        {"aud": "Weir"}, {"aud": "weir "}, {"aud": {"weir": 1}}, {"aud": []}, {"exp": float("inf")}, {"nbf": "x"},
        {"preferred_username": ["ana"]}, {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}},
        *({"preferred_username": name} for name in ("Admin", "weir", "WEIR", "ａｄｍｉｎ", " ")),
    )  # fmt: skip
    for claims in wrong:
        with pytest.raises(NotSignedIn):
            verifier.verify(issuer.token(**claims))
    critical: tuple[dict[str, Any], ...] = ({"crit": ["x"], "x": 1}, {"b64": False, "crit": ["b64"]})
    for header in critical:
        assert verifier.verify(issuer.token(header=header)) is None
    # Addresses of keys that the token itself names are not looked at.
    for header in ({"jku": "https://evil.example/jwks"}, {"x5u": "https://evil.example"}, {"jwk": {"kty": "RSA"}}):
        assert verifier.verify(issuer.token(header=header)) is not None
        with pytest.raises(NotSignedIn, match="signature is wrong"):
            verifier.verify(issuer.token("two", {"kid": "one", **header}))
    assert verifier.verify(issuer.token(header={"typ": "at+jwt"})) is not None
    shown = verifier.verify(issuer.token(groups=["a\nb", "ok", "\u202ex"]))
    assert shown == Subject("ana", frozenset({"ok"}))


def test_an_address_that_was_not_verified_names_nobody(issuer: Issuer) -> None:
    verifier = OidcVerifier(OidcSettings(issuer=issuer.url, audience="weir", user_claim="email"))
    for verified in (None, False, "true", 1):
        with pytest.raises(NotSignedIn, match="email_verified"):
            verifier.verify(issuer.token(email="ana@example.com", email_verified=verified))
    person = verifier.verify(issuer.token(email="ana@example.com", email_verified=True))
    assert person is not None and person.user == "ana@example.com"


def test_a_stranger_s_token_is_left_to_others(issuer: Issuer, verifier: OidcVerifier) -> None:
    for token in ("", "abc", "a.b.c", "weir_" + "A" * 43, issuer.token(iss="https://elsewhere.example")):
        assert verifier.verify(token) is None
    assert issuer.asked == 0


def test_unknown_keys_cannot_flood_the_issuer(issuer: Issuer, verifier: OidcVerifier) -> None:
    verifier.verify(issuer.token())
    for number in range(50):
        with pytest.raises(NotSignedIn):
            verifier.verify(issuer.token(header={"kid": f"unknown-{number}"}))
    assert issuer.asked <= 2


def test_an_issuer_that_is_away_or_another_is_said(issuer: Issuer) -> None:
    issuer.named = "https://elsewhere.example"
    token = issuer.token()
    with pytest.raises(SettingsError, match="not the document of the issuer"):
        OidcVerifier(OidcSettings(issuer=issuer.url, audience="weir")).verify(token)
    issuer.server.shutdown()
    issuer.server.server_close()
    with pytest.raises(Unavailable, match="does not answer"):
        OidcVerifier(OidcSettings(issuer=issuer.url, audience="weir")).verify(token)


def test_half_a_setting_is_refused() -> None:
    with pytest.raises(SettingsError, match="both an issuer and an audience"):
        OidcVerifier(OidcSettings(issuer="https://id.example"))
