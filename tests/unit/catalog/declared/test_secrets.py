"""Which files and variables a declared secret may name, and where it may be sent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.adapters.kafka.topics import client_config
from catalog.declared.kafka_properties import ALLOWED, refusal
from catalog.declared.loopback import is_loopback
from catalog.declared.secrets import Secrets, check_cluster, destinations, require_private
from catalog.errors import SettingsError
from catalog.settings import SecretSettings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "kafka").write_text("open sesame\n")
    (tmp_path / "spark.token").write_text("weir's own")
    return folder


def rules(folder: Path, **environment: str) -> Secrets:
    return Secrets(SecretSettings(folder=folder), environment)


def test_a_file_of_the_folder_is_read_by_its_name_and_by_its_path(folder: Path) -> None:
    (folder / "..data").mkdir()
    (folder / "..data" / "registry").write_text("mounted")
    (folder / "registry").symlink_to("..data/registry")
    secrets = rules(folder)
    assert secrets.read({"file": "kafka"}, "x") == "open sesame"
    assert secrets.read({"file": str(folder / "kafka")}, "x") == "open sesame"
    assert secrets.read({"file": "registry"}, "x") == "mounted"
    assert secrets.read("plain", "x") == "plain" and secrets.read(None, "x") is None


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../spark.token",
        "{folder}/../spark.token",
        "sub/../../spark.token",
        "{folder}",
        ".",
        "",
        "/proc/self/environ",
        "{folder}-other/x",
        "link",
        "deep/link/spark.token",
        "a\0b",
        "~/x/../../etc/passwd",
        "/" * 5000,
        "x" * 5000,
    ],
)
def test_every_other_file_is_refused_when_declared_and_when_read(folder: Path, path: str) -> None:
    (folder / "link").symlink_to(folder.parent / "spark.token")
    (folder / "deep").mkdir()
    (folder / "deep" / "link").symlink_to(folder.parent)
    secrets = rules(folder)
    reference = {"file": path.replace("{folder}", str(folder))}
    if path.startswith(("x", "~")):
        with pytest.raises(SettingsError):
            secrets.read(reference, "connect.password")
        return
    for look in (secrets.check, secrets.read):
        with pytest.raises(SettingsError, match=r"connect\.password .*WEIR_SECRETS__FOLDER") as caught:
            look(reference, "connect.password")
        assert "weir's own" not in caught.value.message and caught.value.details["field"] == "connect.password"


def test_a_file_that_is_no_secret_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "sub").mkdir()
    (folder / "large").write_bytes(b"x" * 70_000)
    (folder / "binary").write_bytes(b"\xff\xfe")
    for name in ("pipe", "sub", "large", "binary", "nobody"):
        with pytest.raises(SettingsError, match=r"security\.sasl\.password"):
            rules(folder).read({"file": name}, "security.sasl.password")


def test_variables_only_by_the_prefix(folder: Path) -> None:
    secrets = rules(
        folder, WEIR_SECRET_KAFKA="sesame", PATH="/bin", WEIR_SPARK__REMOTE="sc://x/;token=1", WEIR_SECRET_="bare"
    )
    assert secrets.read({"env": "WEIR_SECRET_KAFKA"}, "x") == "sesame"
    for name in ("PATH", "WEIR_SPARK__REMOTE", "WEIR_SECRET_", "weir_secret_kafka", " WEIR_SECRET_KAFKA", "WEIR_SECRE"):
        for look in (secrets.check, secrets.read):
            with pytest.raises(SettingsError, match=r"ksqldb\.password .*WEIR_SECRET_"):
                look({"env": name}, "ksqldb.password")
    with pytest.raises(SettingsError, match="WEIR_SECRET_NONE, which is not set"):
        secrets.read({"env": "WEIR_SECRET_NONE"}, "x")


@given(path=st.text(st.sampled_from("./ab~\\"), max_size=30))
def test_no_path_leads_out_of_the_folder(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    folder = Path("/srv/secrets-of-tests")
    try:
        problem = rules(folder).check_file(path, "x")
    except SettingsError:
        return
    assert problem.is_relative_to(folder) and problem != folder


@pytest.mark.parametrize("server", ["schemaRegistry", "connect", "ksqldb", "flink"])
@pytest.mark.parametrize(
    "url",
    [
        "http://mine.example/",
        "http://10.0.0.1:80",
        "http://localhost.evil.example",
        "http://127.0.0.1.nip.io",
        "http://[::2]/",
        "http://0.0.0.0:1/",
        "http://2130706433/",
        "http://[::1",
        "http://localhost\\.evil.example",
    ],
)
def test_a_password_is_not_sent_in_clear_text(folder: Path, server: str, url: str) -> None:
    spec = {server: {"url": url, "username": "weir", "password": {"file": "kafka"}}}
    with pytest.raises(SettingsError, match=rf"{server}\.url .*write https"):
        check_cluster(rules(folder), spec, ["broker:9092"])
    check_cluster(rules(folder), {server: {"url": url}}, ["broker:9092"])
    for allowed in ("https://mine.example", "http://localhost:8083", "http://127.0.0.9:1", "http://[::1]:8083/x"):
        check_cluster(rules(folder), {server: {**spec[server], "url": allowed}}, ["broker:9092"])


@pytest.mark.parametrize(
    ("security", "bootstrap", "fine"),
    [
        ({"sasl": {"mechanism": "PLAIN"}}, ["broker:9092"], False),
        ({"sasl": {}}, ["broker:9092"], False),
        ({"sasl": {"mechanism": "PLAIN"}}, ["localhost:9092", "broker:9092"], False),
        ({"sasl": {"mechanism": "PLAIN"}}, ["SASL_PLAINTEXT://broker:9092"], False),
        ({"sasl": {"mechanism": "PLAIN"}}, ["localhost:9092", "127.0.0.1:9093", "[::1]:9094"], True),
        ({"sasl": {"mechanism": "PLAIN"}, "tls": {}}, ["broker:9092"], True),
        ({"sasl": {"mechanism": "SCRAM-SHA-512"}}, ["broker:9092"], True),
    ],
)
def test_plain_needs_tls_or_this_machine(
    folder: Path, security: dict[str, Any], bootstrap: list[str], fine: bool
) -> None:
    if "sasl" in security:
        security["sasl"] |= {"username": "weir", "password": {"file": "kafka"}}
    secrets = rules(folder)
    if fine:
        check_cluster(secrets, {"security": security}, bootstrap)
        assert client_config({"security": security}, bootstrap, secrets)["sasl.password"] == "open sesame"
        return
    for ask in (
        lambda: check_cluster(secrets, {"security": security}, bootstrap),
        lambda: client_config({"security": security}, bootstrap, secrets),
    ):
        with pytest.raises(SettingsError, match=r"without encryption; add security\.tls"):
            ask()


def test_files_of_tls_are_in_the_folder_too(folder: Path) -> None:
    secrets = rules(folder)
    (folder / "key.pem").write_text("k")
    for name in ("ca", "certificate", "key"):
        for path in ("/etc/ssl/private/x", "/etc/hostname", "../spark.token"):
            for ask in (check_cluster, lambda s, spec, b: client_config(spec, b, s)):
                with pytest.raises(SettingsError, match=rf"security\.tls\.{name} names the file"):
                    ask(secrets, {"security": {"tls": {name: path}}}, ["b:1"])
        assert client_config({"security": {"tls": {name: "key.pem"}}}, ["b:1"], secrets)
    check_cluster(secrets, {"security": {"tls": {"ca": "/etc/ssl/certs/ca-certificates.crt"}}}, ["b:1"])


def test_loopback_is_not_what_looks_like_it() -> None:
    assert all(map(is_loopback, ("localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]")))
    assert not any(
        map(is_loopback, ("localhost.", "localhost.example", "127.1", "0.0.0.0", "::", "::ffff:10.0.0.1", ""))
    )
    require_private("https://anywhere.example", "x")


def test_a_destination_is_the_address_the_secret_and_how_the_other_side_is_known() -> None:
    connect = {"url": "https://a", "username": "weir", "password": {"env": "WEIR_SECRET_A"}}
    spec = {"bootstrapServers": "b:1", "connect": connect, "description": "x"}
    seen = destinations("Cluster", spec)
    assert set(seen) == {"connect.password"}
    assert destinations("Cluster", {**spec, "description": "y", "scan": {}}) == seen
    for other in (
        {"url": "https://b"},
        {"password": {"env": "WEIR_SECRET_B"}},
        {"password": {"file": "a"}},
        {"ca": "x"},
    ):
        assert destinations("Cluster", {**spec, "connect": {**connect, **other}}) != seen
    sasl = {"sasl": {"username": "u", "password": {"file": "a"}}}
    base = destinations("Cluster", {"bootstrapServers": "b:1", "security": {**sasl, "tls": {}}})
    for security, address in (
        ({**sasl, "tls": {"verifyHostname": False}}, "b:1"),
        (sasl, "b:1"),
        ({**sasl, "tls": {}}, "c:1"),
    ):
        assert destinations("Cluster", {"bootstrapServers": address, "security": security}) != base


@pytest.mark.parametrize(
    "name",
    [
        "enable.ssl.certificate.verification",
        "interceptor.classes",
        "kafka.sasl.jaas.config",
        "sasl.jaas.config",
        "plugin.library.paths",
        "ssl.engine.location",
        "bootstrap.servers",
        "metadata.broker.list",
        "debug",
        "statistics.interval.ms",
        "log_level",
        "security.protocol",
        "SECURITY.PROTOCOL",
        "kafka.client.id",
        "client.id ",
        "group.id",
        "key.deserializer",
        "metric.reporters",
        "config.providers",
        "test.mock.num.brokers",
        "https.ca.location",
        "sasl.kerberos.kinit.cmd",
        "client.dns.lookup",
    ],
)
def test_properties_are_an_allow_list(name: str) -> None:
    problem = refusal([name, "client.id"])
    assert problem is not None and name in problem
    with pytest.raises(SettingsError, match="not taken"):
        client_config({"properties": {name: "x"}}, ["b:1"])


def test_a_property_refused_names_the_nearest() -> None:
    assert "socket.timeout.ms" in str(refusal(["socket.timeout"]))
    assert "security" in str(refusal(["ssl.ca.location"]))
    assert refusal(ALLOWED) is None


def test_every_allowed_property_is_one_of_librdkafka() -> None:
    from confluent_kafka.admin import AdminClient

    values = {"broker.address.family": "any", "broker.version.fallback": "0.10.0", "client.id": "x", "client.rack": "x"}
    flags = {
        "socket.keepalive.enable",
        "socket.nagle.disable",
        "topic.metadata.refresh.sparse",
        "api.version.request",
        "check.crcs",
    }
    for name in ALLOWED:
        value = values.get(name, "true" if name in flags else "2000")
        AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, name: value})
