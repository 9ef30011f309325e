"""The schema registry: Apicurio, used through its Confluent-compatible interface."""

from __future__ import annotations

import base64
import http.client
from pathlib import Path

from stack.installed import artifacts, versions
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity
from stack.servers.server import COMMON_OPTIONS, Launch, ServerFacts, Site


class Registry:
    facts = ServerFacts("registry", "the schema registry", versions.REGISTRY, ("registry",))

    def prepare(self, site: Site) -> Launch:
        data = site.home.data("registry")
        data.mkdir(parents=True, exist_ok=True)
        root = artifacts.folder("registry")
        runner = next(iter(sorted(root.rglob("quarkus-run.jar"))))
        settings = {
            "quarkus.http.host": LOOPBACK,
            "quarkus.http.port": str(site.ports["registry"]),
            # Its health checks have a port of their own, by default 9000 on every address; any free one will do.
            "quarkus.management.host": LOOPBACK,
            "quarkus.management.port": "0",
            "quarkus.log.level": "WARN",
            'quarkus.log.category."io.apicurio".level': "WARN",
            "quarkus.http.access-log.enabled": "false",
            "quarkus.banner.enabled": "false",
            # The default storage is memory; a file survives a restart.
            "apicurio.datasource.url": f"jdbc:h2:file:{data / 'registry'};DB_CLOSE_ON_EXIT=FALSE",
            "apicurio.rest.deletion.artifact.enabled": "true",
            "apicurio.rest.deletion.artifact-version.enabled": "true",
            "apicurio.rest.deletion.group.enabled": "true",
        }
        if login := site.login("registry"):
            settings |= _login(*login)
        words = [f"-Xmx{site.settings.registry_memory}", *COMMON_OPTIONS, "-XX:TieredStopAtLevel=1"]
        words += [f"-D{name}={value}" for name, value in settings.items()]
        argv = site.java_file("registry", [*words, "-jar", str(runner)])
        return Launch(argv, site.environment(), data)

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """Needs nothing."""

    def ready(self, site: Site) -> bool:
        return answers(site.ports["registry"], "/apis/ccompat/v7/subjects", site.login("registry"))

    def url(self, site: Site) -> str:
        return f"http://{LOOPBACK}:{site.ports['registry']}/apis/ccompat/v7"


def _login(user: str, password: str) -> dict[str, str]:
    """Properties with which one user is let in by HTTP Basic, and nobody else to any path."""
    return {
        "quarkus.http.auth.basic": "true",
        "quarkus.security.users.embedded.plain-text": "true",
        f"quarkus.security.users.embedded.users.{user}": password,
        f"quarkus.security.users.embedded.roles.{user}": "sr-admin",
        "quarkus.http.auth.permission.weir.paths": "/*",
        "quarkus.http.auth.permission.weir.policy": "authenticated",
    }


def answers(port: int, path: str, login: tuple[str, str] | None = None) -> bool:
    """Whether a GET of this path on the loopback port is answered with 200; with a user and password where given."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    headers = {}
    if login is not None:
        headers["Authorization"] = "Basic " + base64.b64encode(":".join(login).encode()).decode()
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
