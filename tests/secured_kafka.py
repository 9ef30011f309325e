"""A real Kafka broker that wants TLS and a password: its own process, authority and users, ended with the test."""

from __future__ import annotations

import datetime
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from stack import progress
from stack.installed import artifacts, java
from stack.processes import ports

USER, PASSWORD = "weir", 'it"s \\ secret; yes'
"""A password with every character that a careless JAAS text breaks on."""


APP = "app"
_AUTHORIZER = f"""
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:{USER};User:CN=broker;User:ANONYMOUS
"""


@dataclass(frozen=True)
class SecuredKafka:
    """`scram` wants SCRAM-SHA-512 over TLS, `mutual` a client certificate; both `host:port`."""

    scram: str
    mutual: str
    ca: Path
    certificate: Path
    key: Path

    def client(self, user: str = USER) -> dict[str, str]:
        """librdkafka's settings of one who may sign in."""
        return {
            "bootstrap.servers": self.scram,
            "security.protocol": "SASL_SSL",
            "ssl.ca.location": str(self.ca),
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": user,
            "sasl.password": PASSWORD,
        }


@contextmanager
def secured_kafka(folder: Path, authorizer: bool = False) -> Iterator[SecuredKafka]:
    """Start the broker below `folder` and wait until it answers one who signs in.

    `authorizer`: ACLs hold, USER is a super user, and APP may sign in, too.
    """
    runtime = java.find("", folder / "java.log", progress.Silent())
    artifacts.ensure(("kafka",), runtime, folder / "fetch.log")
    scram = ports.free_port(set())
    mutual = ports.free_port({scram})
    controller = ports.free_port({scram, mutual})
    authority = _Authority(folder)
    authority.issue("broker")
    certificate, key = authority.issue("client")
    properties = folder / "server.properties"
    properties.write_text(_properties(folder, scram, mutual, controller) + (_AUTHORIZER if authorizer else ""))
    command = [runtime.program, "-Xmx256m", "-cp", artifacts.class_path("kafka")]
    subprocess.run(
        [
            *command,
            "kafka.tools.StorageTool",
            "format",
            "-t",
            "c2VjdXJlZC1rYWZrYS0wMA",
            "-c",
            str(properties),
            "--add-scram",
            f"SCRAM-SHA-512=[name={USER},password={PASSWORD}]",
            "--add-scram",
            f"SCRAM-SHA-512=[name={APP},password={PASSWORD}]",
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with (folder / "broker.log").open("w") as log:
        broker = subprocess.Popen([*command, "kafka.Kafka", str(properties)], stdout=log, stderr=subprocess.STDOUT)
        try:
            kafka = SecuredKafka(f"127.0.0.1:{scram}", f"127.0.0.1:{mutual}", authority.file, certificate, key)
            _await(kafka, broker, folder / "broker.log")
            yield kafka
        finally:
            broker.terminate()
            broker.wait(30)


def _await(kafka: SecuredKafka, broker: subprocess.Popen[bytes], log: Path) -> None:
    admin = AdminClient({**kafka.client(), "log_level": 0})
    deadline = time.monotonic() + 90
    while True:
        assert broker.poll() is None, log.read_text()[-3000:]
        try:
            if admin.list_topics(timeout=2).brokers:
                return
        except KafkaException:
            assert time.monotonic() < deadline, log.read_text()[-3000:]


def _properties(folder: Path, scram: int, mutual: int, controller: int) -> str:
    pem = (folder / "broker.pem", folder / "broker.key", folder / "ca.pem")
    chain, key, ca = ("\\n".join(path.read_text().splitlines()) for path in pem)
    return f"""
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=SCRAM://127.0.0.1:{scram},MUTUAL://127.0.0.1:{mutual},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=SCRAM://127.0.0.1:{scram},MUTUAL://127.0.0.1:{mutual}
listener.security.protocol.map=SCRAM:SASL_SSL,MUTUAL:SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=MUTUAL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.scram.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.certificate.chain={chain}
ssl.keystore.key={key}
ssl.truststore.type=PEM
ssl.truststore.certificates={ca}
listener.name.mutual.ssl.client.auth=required
log.dirs={folder / "data"}
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


class _Authority:
    """Signs certificates for 127.0.0.1; all files as PEM below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "weir test authority")])
        self.file = folder / "ca.pem"
        builder = (
            self._begun(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file.write_bytes(builder.public_bytes(serialization.Encoding.PEM))

    def issue(self, name: str) -> tuple[Path, Path]:
        """`NAME.pem` and `NAME.key`."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            self._begun(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        certificate, secret = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        certificate.write_bytes(builder.public_bytes(serialization.Encoding.PEM))
        secret.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return certificate, secret

    def _begun(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        present = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(present - datetime.timedelta(hours=1))
            .not_valid_after(present + datetime.timedelta(days=2))
        )
