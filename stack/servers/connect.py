"""Kafka Connect: one distributed worker with the file plugins and Debezium's plugin for PostgreSQL."""

from __future__ import annotations

import shutil
from pathlib import Path

from stack.home import write_atomically
from stack.installed import artifacts, versions
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity
from stack.servers.kafka import LOGGING
from stack.servers.registry import answers
from stack.servers.server import Launch, ServerFacts, Site

PLUGINS = ("connect-file", "debezium-postgres")
"""Each has a class loader of its own."""


class Connect:
    facts = ServerFacts("connect", "Kafka Connect", versions.KAFKA, ("connect", *PLUGINS))

    def prepare(self, site: Site) -> Launch:
        config = site.home.config("connect")
        write_atomically(config / "worker.properties", self._properties(site, config, _plugins(config)))
        write_atomically(config / "log4j2.properties", LOGGING)
        options = [f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}", "-XX:TieredStopAtLevel=1"]
        if login := site.login("connect"):
            options.append(f"-Djava.security.auth.login.config={_who_may_enter(config, *login)}")
        main = ["org.apache.kafka.connect.cli.ConnectDistributed", str(config / "worker.properties")]
        argv = site.java_command("connect", site.settings.connect_memory, ("connect",), options, main)
        return Launch(argv, site.environment(), config)

    def _properties(self, site: Site, config: Path, plugins: Path) -> str:
        lines = [
            f"bootstrap.servers={LOOPBACK}:{site.ports['kafka']}",
            f"listeners=http://{LOOPBACK}:{site.ports['connect']}",
            f"rest.advertised.host.name={LOOPBACK}",
            f"rest.advertised.port={site.ports['connect']}",
            "group.id=_weir.connect",
            *(f"{what}.storage.topic=_weir.connect.{what}" for what in ("config", "offset", "status")),
            *(f"{what}.storage.replication.factor=1" for what in ("config", "offset", "status")),
            "offset.storage.partitions=1",
            "status.storage.partitions=1",
            "key.converter=org.apache.kafka.connect.json.JsonConverter",
            "value.converter=org.apache.kafka.connect.json.JsonConverter",
            "key.converter.schemas.enable=false",
            "value.converter.schemas.enable=false",
            "offset.flush.interval.ms=2000",
            # Waiting for other workers to come back: there are none.
            "scheduled.rebalance.max.delay.ms=0",
            f"plugin.path={plugins}",
            "plugin.discovery=service_load",
            # A connector may name a secret of the worker: ${file:PATH:KEY} below this folder.
            "config.providers=file",
            "config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider",
            f"config.providers.file.param.allowed.paths={_own_secrets(site)}",
            "connector.client.config.override.policy=None",
        ]
        if site.login("connect"):
            lines.append(
                "rest.extension.classes=org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
            )
        if login := site.login("kafka"):
            for prefix in ("", "producer.", "consumer.", "admin."):
                lines += [f"{prefix}{line}" for line in _kafka_login(*login)]
        return "\n".join((*lines, ""))

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """It needs nothing more."""

    def ready(self, site: Site) -> bool:
        # The root answers before the worker has joined its group; this does not.
        return answers(site.ports["connect"], "/connectors", site.login("connect"))

    def url(self, site: Site) -> str:
        return f"http://{LOOPBACK}:{site.ports['connect']}"


def _own_secrets(site: Site) -> Path:
    """The folder whose files a connector may name."""
    folder = site.home.root / "secrets" / "connect"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _plugins(config: Path) -> Path:
    """A folder with a link for each plugin, as `plugin.path` wants it."""
    folder = config / "plugins"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in PLUGINS:
        (folder / name).symlink_to(artifacts.folder(name), target_is_directory=True)
    return folder


def _kafka_login(user: str, password: str) -> list[str]:
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="{user}" password="{password}";'
    return ["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN", f"sasl.jaas.config={jaas}"]


def _who_may_enter(config: Path, user: str, password: str) -> Path:
    """The file that names the one user of the REST interface."""
    write_atomically(config / "users.properties", f"{user}={password}\n")
    module = "org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule"
    entry = f'KafkaConnect {{\n  {module} required\n  file="{config / "users.properties"}";\n}};\n'
    write_atomically(config / "jaas.conf", entry)
    return config / "jaas.conf"
