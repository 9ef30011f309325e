"""A Keycloak for tests, fetched from Maven Central and started on the Java of the local servers."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from stack.installed import artifacts, coursier, java
from stack.installed.versions import JAVA, Component
from stack.processes.ports import free_port
from stack.progress import Silent

VERSION = "26.7.3"
KEYCLOAK = Component("keycloak", (f"org.keycloak:keycloak-quarkus-dist:{VERSION}",), archive=("", "zip"))
REALM, CLIENT = "company", "weir"
START_S = 240.0
"""The first start of an unpacked Keycloak builds itself."""


class Keycloak:
    """A running one. `url`: of the server; `issuer`: of the realm `company`; `secret`: of the client `weir`."""

    def __init__(self, url: str, secret: str, password: str) -> None:
        self.url, self.secret, self._password = url, secret, password
        self.issuer = f"{url}/realms/{REALM}"

    def leave(self, person: str, group: str) -> None:
        """Take a person out of a group, as an administrator of Keycloak does."""
        user = self._user(person)
        groups = self._admin("GET", f"users/{user}/groups").json()
        (gone,) = [each["id"] for each in groups if each["path"] == group]
        self._admin("DELETE", f"users/{user}/groups/{gone}")

    def sign_out(self, person: str) -> None:
        """End all sessions of a person; Keycloak informs the clients by back-channel logout."""
        self._admin("POST", f"users/{self._user(person)}/logout")

    def _user(self, person: str) -> str:
        (user,) = self._admin("GET", f"users?username={person}&exact=true").json()
        return str(user["id"])

    def _admin(self, method: str, path: str) -> httpx.Response:
        form = {"grant_type": "password", "client_id": "admin-cli", "username": "admin", "password": self._password}
        answer = httpx.post(f"{self.url}/realms/master/protocol/openid-connect/token", data=form)
        headers = {"Authorization": f"Bearer {answer.raise_for_status().json()['access_token']}"}
        done = httpx.request(method, f"{self.url}/admin/realms/{REALM}/{path}", headers=headers, timeout=30)
        return done.raise_for_status()


@contextmanager
def keycloak(folder: Path, weir: str, people: dict[str, list[str]]) -> Iterator[Keycloak]:
    """Runs until the end of the block. `weir`: its address; `people`: name, which is the password too -> paths of groups."""
    home = _unpacked(folder)
    secret, password = secrets.token_urlsafe(), secrets.token_urlsafe()
    imports = home / "data" / "import"
    imports.mkdir(parents=True)
    (imports / "company.json").write_text(json.dumps(_realm(weir, secret, people)))
    port, management = free_port(set()), free_port(set())
    runtime = java.find("", folder / "java.log", Silent(), JAVA)
    environment = os.environ | {
        "JAVA": runtime.program,
        "JAVA_OPTS_KC_HEAP": "-Xmx512m",
        "KC_BOOTSTRAP_ADMIN_USERNAME": "admin",
        "KC_BOOTSTRAP_ADMIN_PASSWORD": password,
        "KC_HTTP_MANAGEMENT_PORT": str(management),
    }
    command = ["sh", str(home / "bin" / "kc.sh"), "start-dev", "--import-realm", "--http-host=127.0.0.1"]
    command += [f"--http-port={port}", f"--hostname=http://localhost:{port}"]
    log = folder / "keycloak.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    running = Keycloak(f"http://localhost:{port}", secret, password)
    try:
        deadline = time.monotonic() + START_S
        while not _answers(f"{running.issuer}/.well-known/openid-configuration"):
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-4000:]
            time.sleep(0.5)
        yield running
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def _unpacked(folder: Path) -> Path:
    runtime = java.find("", folder / "java.log", Silent(), JAVA)
    cache = artifacts.cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with coursier.running(runtime, cache) as fetcher:
        (packed,) = fetcher.fetch(KEYCLOAK)
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder / f"keycloak-{VERSION}"


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def _realm(weir: str, secret: str, people: dict[str, list[str]]) -> dict[str, Any]:
    """The realm as docs/how-to/single-sign-on.md describes it."""
    back_channel = f"{weir}/api/v1/auth/backchannel/{REALM}"
    return {
        "realm": REALM,
        "enabled": True,
        "sslRequired": "none",
        "groups": [
            {"name": group.strip("/")} for group in sorted({each for all_of in people.values() for each in all_of})
        ],
        "users": [
            {
                "username": name,
                "enabled": True,
                "email": f"{name}@example.com",
                "emailVerified": True,
                "firstName": name,
                "lastName": "Example",
                "groups": groups,
                "credentials": [{"type": "password", "value": name, "temporary": False}],
            }
            for name, groups in people.items()
        ],
        "clients": [
            {
                "clientId": CLIENT,
                "secret": secret,
                "protocol": "openid-connect",
                "publicClient": False,
                "standardFlowEnabled": True,
                "directAccessGrantsEnabled": False,
                "redirectUris": [f"{weir}/api/v1/auth/callback/{REALM}"],
                "attributes": {
                    "pkce.code.challenge.method": "S256",
                    "post.logout.redirect.uris": f"{weir}/",
                    "backchannel.logout.url": back_channel,
                    "backchannel.logout.session.required": "true",
                },
                "protocolMappers": [
                    {
                        "name": "groups",
                        "protocol": "openid-connect",
                        "protocolMapper": "oidc-group-membership-mapper",
                        "config": {
                            "claim.name": "groups",
                            "full.path": "true",
                            "id.token.claim": "true",
                            "access.token.claim": "false",
                            "userinfo.token.claim": "true",
                        },
                    }
                ],
            }
        ],
    }
