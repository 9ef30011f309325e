"""Addresses that a declared server may not have: when it is declared, and again when it is called."""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.webhooks.ssrf_guard import Guard
from catalog.adapters.checked_http import AddressRefused, CheckedTransport
from catalog.adapters.kafka.topics import client_config
from catalog.declared import server_addresses
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError
from catalog.event_model import DeliveryFailed
from connectors.adapters.rest import ConnectRest
from lineage.adapters.rest.flink import FlinkRest
from policies.adapters.oidc_documents import IssuerDocuments
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.model import ClusterConnection
from tests.api_world import world

REFUSED = [
    "169.254.169.254",
    "169.254.1",
    "2852039166",
    "0xA9FEA9FE",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "0.0.0.0",
    "0",
    "100.100.100.200",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[::]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
]
ALLOWED = [
    "127.0.0.1",
    "localhost",
    "10.1.2.3",
    "192.168.0.7",
    "172.16.9.9",
    "93.184.216.34",
    "[::1]",
    "[fd12:3456::1]",
]


@pytest.mark.parametrize("host", REFUSED)
def test_an_address_of_a_metadata_service_is_refused_in_every_spelling(host: str) -> None:
    with pytest.raises(SettingsError, match=r"connect\.url names .*WEIR_CATALOG__ALLOWED_LINK_LOCAL") as caught:
        ServerAddresses().require_url(f"http://{host}:8083", "connect.url")
    assert caught.value.details["field"] == "connect.url"
    with pytest.raises(SettingsError, match="bootstrapServers"):
        client_config({}, [f"{host}:9092"])
    with pytest.raises(DeliveryFailed):
        Guard([]).check_written(host)


@pytest.mark.parametrize("host", ALLOWED)
def test_private_networks_and_this_machine_may_be_called(host: str) -> None:
    ServerAddresses().require_url(f"http://{host}:8083", "connect.url")
    assert client_config({}, [f"{host}:9092"])["bootstrap.servers"] == f"{host}:9092"


@given(
    st.integers(int(ipaddress.IPv4Address("169.254.0.0")), int(ipaddress.IPv4Address("169.254.255.255"))),
    st.sampled_from(
        [
            str,
            hex,
            lambda n: f"0{n:o}",
            lambda n: str(ipaddress.IPv4Address(n)),
            lambda n: f"169.{n & 0xFFFFFF}",
            lambda n: f"[::ffff:{ipaddress.IPv4Address(n)}]",
            lambda n: f"[64:ff9b::{n >> 16:x}:{n & 0xFFFF:x}]",
        ]
    ),
)
def test_no_spelling_of_a_link_local_address_passes(number: int, spell: Any) -> None:
    with pytest.raises(SettingsError):
        ServerAddresses().require(spell(number), 80, "x")


def test_a_name_counts_by_all_that_it_resolves_to() -> None:
    def find(host: str, port: int) -> list[str]:
        return ["10.0.0.1", "fe80::7%eth0"]

    with pytest.raises(SettingsError, match=r"names kafka\.corp, which resolves to fe80::7"):
        ServerAddresses(find=find).require("kafka.corp", 9092, "bootstrapServers")
    for allowed in (["*.corp"], ["fe80::/16"]):
        ServerAddresses(allowed, find).require("kafka.corp", 9092, "bootstrapServers")


def test_a_name_without_an_address_yet_may_be_declared() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    ServerAddresses(find=unknown).require("kafka.later", 9092, "bootstrapServers")
    with pytest.raises(OSError):
        ServerAddresses(find=unknown).addresses("kafka.later", 9092)


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """Answers `[]`, and keeps each Host header in `hosts`."""
    hosts: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hosts.append(self.headers["host"])
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.hosts = hosts  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_connection_goes_to_the_address_that_was_checked(server: ThreadingHTTPServer) -> None:
    """A name that resolves to the metadata service the second time (DNS rebinding) gains nothing."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    asked: list[str] = []

    def find(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    client = httpx.Client(transport=CheckedTransport(ServerAddresses(find=find)))
    url = f"http://worker.that.no.resolver.knows.invalid:{server.server_port}/"
    assert client.get(url).json() == []
    assert server.hosts == [f"worker.that.no.resolver.knows.invalid:{server.server_port}"]  # type: ignore[attr-defined]
    with pytest.raises(AddressRefused, match=r"169\.254\.169\.254"):
        client.get(url)
    assert len(asked) == 2 and len(server.hosts) == 1  # type: ignore[attr-defined]


def test_the_next_address_of_a_name_is_called_where_the_first_does_not_answer(server: ThreadingHTTPServer) -> None:
    client = httpx.Client(transport=CheckedTransport(ServerAddresses(find=lambda *_: ["::1", "127.0.0.1"])))
    assert client.get(f"http://two.invalid:{server.server_port}/").json() == []


def test_every_client_of_a_declared_server_refuses_before_it_connects(server: ThreadingHTTPServer) -> None:
    """Of a document that was stored before the rule, or a name that resolves elsewhere by now."""
    inside = ServerAddresses(find=lambda *_: ["169.254.169.254"])
    url = f"http://server.invalid:{server.server_port}"
    with pytest.raises(SettingsError, match=r"connect\.url: .*169\.254\.169\.254"):
        ConnectRest(url, servers=inside).plugins()
    with pytest.raises(SettingsError, match=r"flink\.url: .*169\.254\.169\.254"):
        FlinkRest(url, servers=inside).events("kafka://x:1")
    cluster = ClusterConnection("prod", "kafka://x:1", "x:1", {}, url, None)
    answer = HttpSchemaRegistry(sleep=lambda _: None, servers=inside).for_topics(cluster, ["orders"])
    assert [each["reason"] for each in answer.problems] == ["registry_unavailable"]
    with pytest.raises(SettingsError, match=r"spec\.issuer names"):
        IssuerDocuments(inside).get("https://id.invalid", None)
    assert server.hosts == []  # type: ignore[attr-defined]


CLUSTER = (
    "{{apiVersion: weir/v1, kind: Cluster, metadata: {{name: prod}}, spec: {{bootstrapServers: '{kafka}', {more}}}}}"
)
PROVIDER = (
    "{apiVersion: weir/v1, kind: IdentityProvider, metadata: {name: id},"
    " spec: {issuer: 'https://meta.corp/x', clientId: weir}}"
)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    """`meta.corp` is the metadata service's."""

    def lookup(host: str, port: int) -> list[str]:
        return ["169.254.169.254" if host == "meta.corp" else "127.0.0.1"]

    monkeypatch.setattr(server_addresses, "lookup", lookup)


@pytest.mark.usefixtures("resolver")
def test_no_document_and_no_body_names_such_an_address(tmp_path: Path) -> None:
    with world(tmp_path) as weir:
        documents = {
            "bootstrapServers": CLUSTER.format(kafka="localhost:9092,meta.corp:80", more=""),
            "spec.issuer": PROVIDER,
        } | {
            f"{field}.url": CLUSTER.format(kafka="localhost:9092", more=f"{field}: {{url: 'http://meta.corp'}}")
            for field in ("schemaRegistry", "connect", "ksqldb", "flink")
        }
        for field, text in documents.items():
            for flags in ({}, {"dryRun": "true"}):
                answer = weir.admin.post("/api/v1/apply", content=text.encode(), params=flags)
                assert answer.status_code == 400, (field, answer.text)
                assert f"{field} names meta.corp, which resolves to 169.254.169.254" in answer.text
        body = {"name": "x", "spec": {"bootstrapServers": "localhost:9092", "connect": {"url": "http://meta.corp"}}}
        for path, given_body in (
            ("clusters/test", body),
            ("scans", {"bootstrapServers": "meta.corp:9092"}),
            ("scans", {"bootstrapServers": "localhost:9092", "schemaRegistry": "http://meta.corp:80"}),
        ):
            answer = weir.admin.post(f"/api/v1/{path}", json=given_body)
            assert answer.status_code == 400 and "meta.corp" in answer.json()["error"]["message"], answer.text
        assert weir.admin.get("/api/v1/clusters").json()["clusters"] == []
