"""Neo4j community: Bolt on the loopback address, with a random password."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

from stack.errors import StackError
from stack.home import write_atomically
from stack.installed import versions
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity
from stack.servers import gateway
from stack.servers.server import COMMON_OPTIONS, COMPILED_LATE, Launch, ServerFacts, Site

USER = "neo4j"
BOLT_HANDSHAKE = bytes.fromhex("6060b017" + "00000405" + "00000000" * 3)
"""Bolt's magic number and one offered version, 5.4."""
OPENS = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
]


class Neo4j:
    facts = ServerFacts("neo4j", "Neo4j", versions.NEO4J, ("neo4j",))

    def password(self, site: Site) -> str:
        return site.home.secret("neo4j.password")

    def prepare(self, site: Site) -> Launch:
        config = site.home.config("neo4j")
        data = site.home.data("neo4j")
        data.mkdir(parents=True, exist_ok=True)
        write_atomically(config / "neo4j.conf", self._conf(site, data))
        words = [f"-Xmx{site.settings.neo4j_memory}", *COMMON_OPTIONS, *COMPILED_LATE, *OPENS]
        argv = site.java_file("neo4j", [*words, "-cp", gateway.class_path("neo4j"), *gateway.MAIN])
        return Launch(argv, site.environment(), data)

    def _conf(self, site: Site, data: Path) -> str:
        port = site.ports["neo4j"]
        return "\n".join(
            (
                f"server.default_listen_address={LOOPBACK}",
                "server.bolt.enabled=true",
                f"server.bolt.listen_address={LOOPBACK}:{port}",
                f"server.bolt.advertised_address={LOOPBACK}:{port}",
                "server.http.enabled=false",
                "server.https.enabled=false",
                "dbms.security.auth_enabled=true",
                "dbms.usage_report.enabled=false",
                f"server.directories.logs={site.home.logs / 'neo4j'}",
                f"server.memory.pagecache.size={site.settings.neo4j_page_cache}",
                # Parameters of queries are data; no query is written to a log.
                "db.logs.query.enabled=OFF",
                # By default the network threads wait 2 times 5 s for latecomers when the server stops.
                "internal.dbms.bolt.netty_server_shutdown_quiet_period=0",
                "internal.dbms.bolt.netty_server_shutdown_timeout=2",
                # The default reserves 256 MB of disk at the first start.
                "db.tx_log.preallocate=false",
                "db.tx_log.rotation.size=32m",
                "db.tx_log.rotation.retention_policy=1 files",
                "",
            )
        )

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        title, timeout = self.facts.title, site.settings.start_timeout
        with gateway.opened(title, identity, log, timeout) as opened:
            self._start(opened, site)

    def _start(self, opened: Any, site: Site) -> None:
        jvm = opened.jvm
        nothing = opened.new_array(jvm.java.lang.String, 0)
        home = jvm.java.nio.file.Path.of(str(site.home.data("neo4j")), nothing)
        config = jvm.java.nio.file.Path.of(str(site.home.config("neo4j")), nothing)
        if not (site.home.data("neo4j") / "data" / "databases").exists():
            # Counts only before the first start, which makes the user from it.
            words = opened.new_array(jvm.java.lang.String, 3)
            words[0], words[1], words[2] = "dbms", "set-initial-password", self.password(site)
            context = jvm.org.neo4j.cli.ExecutionContext(home, config)
            if jvm.org.neo4j.cli.AdminTool.execute(context, words) != 0:
                raise StackError("Neo4j's first password could not be set.")
        builder = jvm.org.neo4j.dbms.api.DatabaseManagementServiceBuilder(home)
        service = builder.loadPropertiesFromFile(config.resolve("neo4j.conf")).build()
        gateway.keep_alive(opened, service, "shutdown")

    def ready(self, site: Site) -> bool:
        return speaks_bolt(site.ports["neo4j"])

    def url(self, site: Site) -> str:
        return f"bolt://{LOOPBACK}:{site.ports['neo4j']}"


def speaks_bolt(port: int) -> bool:
    """Whether a Bolt handshake is answered. Neo4j opens the port last, when its databases are there."""
    try:
        with socket.create_connection((LOOPBACK, port), 1) as connection:
            connection.settimeout(2)
            connection.sendall(BOLT_HANDSHAKE)
            answer = connection.recv(4)
            return len(answer) == 4 and answer != b"\0\0\0\0" and not answer.startswith(b"HTTP")
    except OSError:
        return False
