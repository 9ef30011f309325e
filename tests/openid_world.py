"""People who sign in: a provider of the package oidc-provider-mock, one whose every answer a test may change, a browser."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import jwt
import oidc_provider_mock
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld

BASE = "http://localhost:8484"
SECRET = "WEIR_SECRET_OPENID"
os.environ.setdefault(SECRET, "the secret of weir at its providers")
LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
_KEY = rsa.generate_private_key(65537, 2048)


def declared(name: str, issuer: str, rights: str = "", **more: Any) -> str:
    """The YAML of a provider. `rights`: the rules, as YAML of one line."""
    spec: dict[str, Any] = {"issuer": issuer, "clientId": "weir", "clientSecret": {"env": SECRET}, **more}
    lines = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in spec.items())
    rules = f"  rights: {rights}\n" if rights else ""
    return f"apiVersion: weir/v1\nkind: IdentityProvider\nmetadata: {{name: {name}}}\nspec:\n{lines}{rules}"


class Provider:
    """A running oidc-provider-mock."""

    def __init__(self, url: str) -> None:
        self.url = url

    def person(self, subject: str, **claims: Any) -> None:
        """Who they are from now on."""
        body = {"preferred_username": subject, **claims}
        assert httpx.put(f"{self.url}/users/{subject}", json=body).status_code == 204

    def revoke(self, subject: str) -> None:
        assert httpx.post(f"{self.url}/users/{subject}/revoke-tokens").status_code == 204

    def answer(self, address: str, subject: str, action: str | None = None) -> str:
        """What a person does at the provider's page: the address it sends the browser back to."""
        form = {"sub": subject} | ({"action": action} if action else {})
        answer = httpx.post(address, data=form, follow_redirects=False)
        assert answer.status_code == 302, answer.text[:500]
        return answer.headers["location"]


@contextmanager
def provider() -> Iterator[Provider]:
    with oidc_provider_mock.run_server_in_thread(port=0) as server:
        yield Provider(f"http://localhost:{server.server_port}")


class Issuer:
    """A provider in this process. `change_token` and `change_answer` alter what it gives; `people` is its userinfo."""

    def __init__(self) -> None:
        self.people: dict[str, dict[str, Any]] = {"s-ana": {"preferred_username": "ana"}}
        self.change: dict[str, Any] = {}
        self.key: Any = _KEY
        self.header: dict[str, Any] = {}
        self.algorithm = "RS256"
        self.document: dict[str, Any] = {}
        self.down = False
        self.lasts = 300
        self.userinfo: dict[str, Any] | None = None
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        issuer = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(*issuer.get(self.path, {name.lower(): value for name, value in self.headers.items()}))

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                self._send(*issuer.post({k: v[0] for k, v in parse_qs(text).items()}))

            def _send(self, status: int, body: Any) -> None:
                if issuer.down:
                    status, body = 503, {}
                self.send_response(status)
                self.send_header("content-type", "text/html" if isinstance(body, bytes) else "application/json")
                self.end_headers()
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def get(self, path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        self.asked.append((path.partition("?")[0], {}))
        if path == "/.well-known/openid-configuration":
            known = {
                name: f"{self.url}/{name}"
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
            }
            return 200, {"issuer": self.url, **known, **self.document}
        if path == "/jwks_uri":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_KEY.public_key()))
            return 200, {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}
        if path == "/userinfo_endpoint":
            subject = headers.get("authorization", "").removeprefix("Bearer at-")
            if subject not in self.people:
                return 401, {"error": "invalid_token"}
            return 200, self.userinfo or {"sub": subject, **self.people[subject]}
        return 404, {}

    def post(self, form: dict[str, str]) -> tuple[int, Any]:
        self.asked.append((f"/{form.get('grant_type')}", form))
        if form.get("grant_type") == "authorization_code":
            kept = self.codes.pop(form.get("code", ""), None)
            if kept is None:
                return 400, {"error": "invalid_grant"}
            return 200, self.tokens(kept["sub"], kept["nonce"])
        subject = form.get("refresh_token", "").removeprefix("rt-")
        return (200, self.tokens(subject, None)) if subject in self.people else (400, {"error": "invalid_grant"})

    def tokens(self, subject: str, nonce: str | None) -> dict[str, Any]:
        claims = {"sub": subject, **self.people[subject], **({"nonce": nonce} if nonce else {})}
        return {
            "access_token": f"at-{subject}",
            "refresh_token": f"rt-{subject}",
            "token_type": "Bearer",
            "expires_in": self.lasts,
            "id_token": self.token(claims),
        }

    def token(self, claims: Mapping[str, Any], typ: str | None = None, **changed: Any) -> str:
        now = time.time()
        base = {"iss": self.url, "aud": "weir", "iat": now, "exp": now + 300, "sid": f"sid-{claims.get('sub')}"}
        full = {
            name: value for name, value in ({**base, **claims, **self.change, **changed}).items() if value is not None
        }
        header = {"kid": "one", **({"typ": typ} if typ else {}), **self.header}
        return jwt.encode(full, self.key, self.algorithm, headers=header)

    def logout_token(self, **changed: Any) -> str:
        claims: dict[str, Any] = {
            "events": {LOGOUT: {}},
            "jti": secrets.token_hex(8),
            "sub": "s-ana",
            "sid": None,
            "exp": None,
        }
        return self.token({**claims, **changed}, typ="logout+jwt")

    def answer(self, address: str, subject: str = "s-ana", **changed: str) -> str:
        """What a person does at the provider's page: the address it sends the browser back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = secrets.token_hex(8)
        self.codes[code] = {"sub": subject, "nonce": asked["nonce"]}
        query = httpx.QueryParams({"code": code, "state": asked["state"], **changed})
        return f"{asked['redirect_uri']}?{query}"


@contextmanager
def issuer() -> Iterator[Issuer]:
    running = Issuer()
    try:
        yield running
    finally:
        running.close()


def browser(world: ApiWorld, base: str = BASE) -> CheckedClient:
    """A browser without a session, on this machine."""
    return CheckedClient(world.app, base_url=base, raise_server_exceptions=False, follow_redirects=False)


def begin(client: CheckedClient, name: str, return_to: str = "/") -> str:
    """Begin to sign in; the provider's address."""
    answer = client.get(f"/api/v1/auth/login/{name}", params={"return": return_to})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def sign_in(
    client: CheckedClient, name: str, at: Provider | Issuer, subject: str, return_to: str = "/"
) -> httpx2.Response:
    """Sign in whole; the answer of the callback."""
    done: httpx2.Response = client.get(at.answer(begin(client, name, return_to), subject))
    return done


def csrf(client: CheckedClient) -> dict[str, str]:
    """The header of a page that changes something."""
    return {"X-Weir-CSRF": client.get("/api/v1/auth/session").json()["session"]["csrf"]}


def form_of(page: httpx2.Response) -> tuple[str, dict[str, str]]:
    """Of the page that asks whether to let a command line in: where its form goes, and what it holds."""
    action = re.search(r'<form method="post" action="([^"]+)"', page.text)
    ticket = re.search(r'name="ticket" value="([^"]+)"', page.text)
    assert action and ticket, page.text
    return unescape(action[1]), {"ticket": unescape(ticket[1])}
