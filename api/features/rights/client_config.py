"""Ready configurations of Kafka clients for a consumer: what connects, what to read. Without a secret. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.records import ClusterRecord
from policies.matching import EVERYTHING

PASSWORD, AUTHORITY, CERTIFICATE, KEY = "KAFKA_PASSWORD", "KAFKA_CA", "KAFKA_CERTIFICATE", "KAFKA_KEY"
"""Environment variables that a configuration reads: the password, and files in PEM."""
_MODULES = {"PLAIN": "plain.PlainLoginModule", "SCRAM": "scram.ScramLoginModule"}
_JAAS = r""".replace("\\", "\\\\").replace('"', '\\"')"""
"""Quotes a text for a line of JAAS, in Python."""
_QUIX_ADMIN = '''from quixstreams.models.topics import TopicAdmin, TopicConfig, TopicManager


class Admin(TopicAdmin):
    """Does not ask for the settings of a topic: they need another right than READ."""

    def inspect_topics(self, topic_names, timeout=30):
        known = self.list_topics(timeout)
        return {
            name: TopicConfig(len(known[name].partitions), 1, {}) if name in known else None for name in topic_names
        }


'''
_NO_GROUP = "GROUP-OF-YOURS"


@dataclass(frozen=True, slots=True)
class Connection:
    """How a principal reads a topic. `mechanism`: of SASL, None where it signs in by certificate or not at all; `any_group`:
    it may use every group whose name begins with `group`."""

    bootstrap: str
    topic: str
    group: str
    protocol: str
    mechanism: str | None
    username: str
    own_authority: bool
    certificate: bool
    any_group: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """librdkafka's settings; `${env:NAME}` is a variable of the environment."""
        settings = {
            "bootstrap.servers": self.bootstrap,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
        }
        if self.protocol != "PLAINTEXT":
            settings["security.protocol"] = self.protocol
        if self.mechanism is not None:
            settings["sasl.mechanism"] = self.mechanism
            settings["sasl.username"] = self.username
            settings["sasl.password"] = _env(PASSWORD)
        if self.own_authority:
            settings["ssl.ca.location"] = _env(AUTHORITY)
        if self.certificate:
            settings["ssl.certificate.location"], settings["ssl.key.location"] = _env(CERTIFICATE), _env(KEY)
        return settings


def connection(record: ClusterRecord, principal: str, topic: str, groups: Sequence[str]) -> Connection:
    """How a principal connects to a cluster, by the security in the cluster's document."""
    security: Mapping[str, Any] = record.settings.get("security") or {}
    tls, sasl = security.get("tls"), security.get("sasl")
    name = principal.partition(":")[2]
    by_certificate = tls is not None and (sasl is None or "=" in name)
    protocol = ("SASL_" if sasl and not by_certificate else "") + ("SSL" if tls is not None else "PLAINTEXT")
    group = _group(groups, name)
    return Connection(
        bootstrap=",".join(record.bootstrap),
        topic=topic,
        group=group,
        protocol=protocol,
        mechanism=str(sasl.get("mechanism", "PLAIN")) if sasl and not by_certificate else None,
        username=name,
        own_authority=bool(tls and tls.get("ca")),
        certificate=by_certificate,
        any_group=group not in groups and group != _NO_GROUP,
    )


def _group(groups: Sequence[str], name: str) -> str:
    for group in groups:
        begin, star, rest = group.partition(EVERYTHING)
        if not star:
            return group
        if not rest:
            return f"{begin}{name}" if not begin.startswith(name) else f"{begin}1"
    return _NO_GROUP


def properties(given: Connection) -> str:
    """librdkafka's settings as lines, as `weir rights try` reads them."""
    return "".join(f"{key}={value}\n" for key, value in given.settings.items())


def python(given: Connection) -> str:
    """A consumer with confluent-kafka."""
    lines = "".join(f"    {json.dumps(key)}: {_quoted(value)},\n" for key, value in given.settings.items())
    return (
        f"{_imports(given)}from confluent_kafka import Consumer\n\nconsumer = Consumer({{\n{lines}}})\n"
        f"consumer.subscribe([{json.dumps(given.topic)}])\n"
    )


def java(given: Connection) -> str:
    """Properties of a Java consumer; its clients read the variables of the environment by a config provider."""
    lines = {
        "bootstrap.servers": given.bootstrap,
        "group.id": given.group,
        "auto.offset.reset": "earliest",
        **_java_security(given, _env),
    }
    if any("${env:" in value for value in lines.values()):
        provider = "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
        lines = {"config.providers": "env", "config.providers.env.class": provider, **lines}
    text = "".join(f"{key}={_property(value)}\n" for key, value in lines.items())
    note = (
        f'# {PASSWORD} needs a backslash before each " and each backslash of the password.\n' if given.mechanism else ""
    )
    return f"# topic: {given.topic}\n{note}{text}"


def console(given: Connection) -> str:
    """Kafka's console consumer, with its properties in a file; for a shell."""
    command = ["kafka-console-consumer.sh", "--bootstrap-server", given.bootstrap, "--topic", given.topic]
    command += ["--group", given.group, "--from-beginning", "--consumer.config", "client.properties"]
    return f"cat > client.properties <<'END'\n{java(given)}END\n{shlex.join(command)}\n"


def spark(given: Connection) -> str:
    """Options of Spark's Kafka source in Python. Executors get what is in them; keep plans out of logs."""
    options = {
        "kafka.bootstrap.servers": given.bootstrap,
        "subscribe": given.topic,
        "startingOffsets": "earliest",
        # Queries of one group would read a part each; behind a prefix, Spark gives each query a name of its own.
        "groupIdPrefix" if given.any_group else "kafka.group.id": given.group,
        **{f"kafka.{key}": value for key, value in _java_security(given, _env).items()},
    }
    lines = "".join(
        f"    {json.dumps(key)}: {_quoted(value, _JAAS if key == 'kafka.sasl.jaas.config' else '')},\n"
        for key, value in options.items()
    )
    return f'{_imports(given)}options = {{\n{lines}}}\nframe = spark.readStream.format("kafka").options(**options).load()\n'


def quix(given: Connection) -> str:
    """An application of Quix Streams, which would ask for the right to see the settings of the topic."""
    names = {
        "bootstrap.servers": "bootstrap_servers",
        "security.protocol": "security_protocol",
        "sasl.mechanism": "sasl_mechanism",
        "sasl.username": "sasl_username",
        "sasl.password": "sasl_password",
        "ssl.ca.location": "ssl_ca_location",
        "ssl.certificate.location": "ssl_certificate_location",
        "ssl.key.location": "ssl_key_location",
    }
    lines = "".join(f"    {names[key]}={_quoted(value)},\n" for key, value in given.settings.items() if key in names)
    return (
        f"{_imports(given)}from quixstreams import Application\nfrom quixstreams.kafka import ConnectionConfig\n{_QUIX_ADMIN}"
        f"connection = ConnectionConfig(\n{lines})\n"
        f"group = {json.dumps(given.group)}\n"
        f"topics = TopicManager(Admin(connection), group, auto_create_topics=False)\n"
        f"app = Application(broker_address=connection, consumer_group=group, topic_manager=topics,\n"
        f'                  auto_offset_reset="earliest",\n'
        f'                  producer_extra_config={{"enable.idempotence": False}})  # a reader may not write\n'
        f"topic = app.topic({json.dumps(given.topic)})\n"
    )


def _java_security(given: Connection, env: Any) -> dict[str, str]:
    lines: dict[str, str] = {}
    if given.protocol != "PLAINTEXT":
        lines["security.protocol"] = given.protocol
    if given.mechanism is not None:
        module = _MODULES["SCRAM" if given.mechanism.startswith("SCRAM") else "PLAIN"]
        name = given.username.replace("\\", "\\\\").replace('"', '\\"')
        lines["sasl.mechanism"] = given.mechanism
        lines["sasl.jaas.config"] = (
            f'org.apache.kafka.common.security.{module} required username="{name}" password="{env(PASSWORD)}";'
        )
    if given.own_authority:
        lines |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": env(AUTHORITY)}
    if given.certificate:
        lines |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": env(KEY)}
    return lines


def _property(value: str) -> str:
    """A value in a file that Java reads as Latin-1, with backslashes as escapes."""
    return "".join(
        "\\\\" if sign == "\\" else sign if " " <= sign <= "~" else f"\\u{unit:04x}"
        for sign in value
        for unit in _units(sign)
    )


def _units(sign: str) -> list[int]:
    """A sign as Java has it: one number of 16 bits, or two."""
    encoded = sign.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(encoded[at : at + 2], "big") for at in range(0, len(encoded), 2)]


def _imports(given: Connection) -> str:
    return "import os\n\n" if any("${env:" in value for value in given.settings.values()) else ""


def _env(name: str) -> str:
    return f"${{env:{name}}}"


def _quoted(value: str, escape: str = "") -> str:
    """A Python expression; variables of the environment are read where it runs. `escape`: what is called on the variable."""
    before, mark, rest = value.partition("${env:")
    if not mark:
        return json.dumps(value)
    name, _, after = rest.partition("}")
    read = f"os.environ[{json.dumps(name)}]{escape}"
    parts = [json.dumps(before)] if before else []
    return " + ".join([*parts, read, *([json.dumps(after)] if after else [])])
