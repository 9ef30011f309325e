"""Webhooks: what is sent, how it is signed, and what must not be reached by them. Against a real HTTP server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from api.webhooks.deliver import Webhook, Webhooks, _parsed, signing_key
from api.webhooks.ssrf_guard import Guard
from catalog.errors import InvalidInput, SettingsError
from catalog.event_model import DeliveryFailed, Event
from catalog.records import DeclaredDocument
from catalog.settings import EventSettings
from tests.twins.catalog.store import MemoryCatalogStore

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENT = Event("e-1", "weir.schema.changed", "prod/orders", NOW, {"added": ["value.größe"]}, 7)
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef").decode()


class Server(ThreadingHTTPServer):
    """Answers with the statuses given, in turn, the last one for ever; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        self.statuses = [204]
        self.connections = 0
        self.headers: dict[str, str] = {}
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                server.calls.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                status = server.statuses.pop(0) if len(server.statuses) > 1 else server.statuses[0]
                self.send_response(status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_port}/hook?x=1"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def secret(given: Any, what: str) -> str | None:
    if given is None or isinstance(given, str):
        return given
    known = {"HOOK": SECRET, "PLAIN": "plain words"}
    if given.get("env") not in known:
        raise SettingsError(f"{what} is read from the environment variable {given.get('env')}, which is not set.")
    return known[given["env"]]


def hook(url: Any, allowed: list[str] | None = None, find: Any = None, **spec: Any) -> Webhook:
    store = MemoryCatalogStore()
    store.put_document(DeclaredDocument("Webhook", "ours", {"name": "ours"}, {"url": url, **spec}, NOW))
    settings = EventSettings(webhook_timeout_s=5)
    guard = Guard(["localhost"] if allowed is None else allowed, *([find] if find else []))
    webhook = Webhooks(store, secret, settings, guard, sleep=lambda _: None).receivers()[0]
    assert isinstance(webhook, Webhook)
    return webhook


def test_what_is_sent_is_a_signed_cloud_event(server: Server) -> None:
    hook(server.url, secret={"env": "HOOK"}).tell([EVENT])
    ((path, headers, body),) = server.calls
    assert path == "/hook?x=1" and headers["host"] == f"localhost:{server.server_port}"
    assert headers["content-type"].startswith("application/cloudevents+json")
    document = json.loads(body)
    assert document["id"] == "e-1" == headers["webhook-id"] and document["data"] == {"added": ["value.größe"]}
    # As a receiver checks it, after standardwebhooks.com.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.new(b"0123456789abcdef", signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{digest}"


def test_a_receiver_that_stumbles_is_asked_again_at_once_with_the_same_id(server: Server) -> None:
    server.statuses = [500, 503, 200]
    hook(server.url).tell([EVENT])
    assert [headers["webhook-id"] for _, headers, _ in server.calls] == ["e-1"] * 3
    assert "webhook-signature" not in server.calls[0][1]


def test_a_receiver_that_fails_is_named_without_its_path(server: Server) -> None:
    server.statuses = [500]
    with pytest.raises(DeliveryFailed, match=r"^localhost answered 500\.$"):
        hook(server.url).tell([EVENT])
    assert len(server.calls) == 3


def test_a_redirect_is_not_followed(server: Server) -> None:
    server.statuses, server.headers = [302], {"Location": "http://169.254.169.254/latest/meta-data"}
    with pytest.raises(DeliveryFailed, match="redirects are not followed"):
        hook(server.url).tell([EVENT])


def test_a_retry_after_ends_the_quick_tries(server: Server) -> None:
    server.statuses, server.headers = [429], {"Retry-After": "77"}
    with pytest.raises(DeliveryFailed) as caught:
        hook(server.url).tell([EVENT])
    assert caught.value.retry_after_s == 77 and len(server.calls) == 1


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "192.168.0.1",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::",
    ],
)
def test_addresses_inside_the_network_are_not_called(address: str) -> None:
    with pytest.raises(DeliveryFailed, match="WEIR_EVENTS__WEBHOOK_ALLOWED_HOSTS"):
        Guard([], lambda host, port: ["93.184.216.34", address]).addresses("innocent.example.com", 443)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0/", "http://10.1/", "http://[::127.0.0.1]/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://[fe80::1%25eth0]/", "http://127\u30020\u30020\u30021/",
        "http://LOCALHOST/", "http://localhost./", "http://169.254.169.254./", "http://[2002:7f00:1::]/",
        "http://[64:ff9b::a9fe:a9fe]/", "http://[2001:0:0:0:0:0:80ff:fffe]/", "http://user@example.com/",
        "http://example.com\\@127.0.0.1/", "http://example.com/\r\nX-Evil: 1", "http://example.com:80\r\nX: y/",
        "file:///etc/passwd", "gopher://x/", "http:///x", "http://0177.0.0.1/", "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/",
    ],
    ids=ascii,
)  # fmt: skip
def test_no_way_to_write_an_address_leads_inside(url: str) -> None:
    with pytest.raises((DeliveryFailed, InvalidInput)):
        Guard([]).addresses(_parsed(url).host, 80)


def test_what_was_allowed_may_be_called() -> None:
    def inside(host: str, port: int) -> list[str]:
        return ["10.1.2.3"]

    assert Guard(["10.1.0.0/16"], inside).addresses("hooks.corp", 80) == ["10.1.2.3"]
    assert Guard(["*.corp"], inside).addresses("Hooks.corp", 80) == ["10.1.2.3"]
    with pytest.raises(DeliveryFailed):
        Guard(["10.2.0.0/16", "other.corp"], inside).addresses("hooks.corp", 80)
    assert Guard([], lambda host, port: ["93.184.216.34"]).addresses("example.com", 80) == ["93.184.216.34"]


def test_the_connection_goes_to_the_address_that_was_checked(server: Server) -> None:
    """A name that leads elsewhere when it is asked a second time (DNS rebinding) gains nothing."""
    asked: list[str] = []

    def find(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    url = f"http://name.that.no.resolver.knows.invalid:{server.server_port}/x"
    hook(url, allowed=["127.0.0.0/8"], find=find).tell([EVENT])
    assert asked == ["name.that.no.resolver.knows.invalid"]
    assert server.calls[0][1]["host"].startswith("name.that.no.resolver.knows.invalid:")


def test_nobody_there_and_a_secret_that_is_not_there_are_told() -> None:
    with pytest.raises(DeliveryFailed, match="Nothing takes connections at localhost, port 1"):
        hook("http://localhost:1/secret-path").tell([EVENT])
    with pytest.raises(DeliveryFailed, match="variable NOWHERE, which is not set"):
        hook("http://localhost:1/", secret={"env": "NOWHERE"}).tell([EVENT])
    with pytest.raises(DeliveryFailed, match="https://HOST/PATH") as caught:
        hook({"env": "PLAIN"}).tell([EVENT])
    assert "plain words" not in caught.value.problem


def test_types_and_subjects_choose_events() -> None:
    chosen = hook("http://a.example", types=["schema.*"], subjects=["prod/*"])
    assert chosen.wants(EVENT)
    assert not chosen.wants(Event("x", "weir.scan.failed", "prod/orders", NOW))
    assert not chosen.wants(Event("x", "weir.schema.changed", "test/orders", NOW))


def test_a_broken_answer_is_a_failure_and_no_crash() -> None:
    def transport(request: httpx.Request) -> httpx.Response:
        raise httpx.RemoteProtocolError("peer sent secrets")

    store = MemoryCatalogStore()
    store.put_document(DeclaredDocument("Webhook", "ours", {}, {"url": "http://localhost/"}, NOW))
    webhooks = Webhooks(
        store, secret, EventSettings(), Guard(["localhost"]), httpx.MockTransport(transport), lambda _: None
    )
    with pytest.raises(DeliveryFailed, match=r"broke off \(RemoteProtocolError\)") as caught:
        webhooks.receivers()[0].tell([EVENT])
    assert "secrets" not in caught.value.problem


def test_keys() -> None:
    assert signing_key("plain") == b"plain" and signing_key(SECRET) == b"0123456789abcdef"
    with pytest.raises(InvalidInput):
        signing_key("whsec_!!")


def test_no_connection_serves_two_hosts(server: Server) -> None:
    """They may have one address, and only the first one's certificate would have been looked at."""
    server.RequestHandlerClass.protocol_version = "HTTP/1.1"  # type: ignore[attr-defined]
    server.headers = {"content-length": "0"}
    store = MemoryCatalogStore()
    for name in ("a", "b"):
        url = f"http://{name}.example:{server.server_port}/"
        store.put_document(DeclaredDocument("Webhook", name, {"name": name}, {"url": url}, NOW))
    guard = Guard(["*.example"], lambda host, port: ["127.0.0.1"])
    hooks = Webhooks(store, secret, EventSettings(webhook_timeout_s=5), guard)
    for receiver in hooks.receivers():
        receiver.tell([EVENT])
    hooks.close()
    assert [call[1]["host"].partition(":")[0] for call in server.calls] == ["a.example", "b.example"]
    assert server.connections == 2


@pytest.mark.parametrize("address", ["fec0::1", "3fff::1", "64:ff9b:1::7f00:1", "5f00::1", "192.0.0.8", "192.88.99.1"])
def test_special_addresses_are_not_public(address: str) -> None:
    for written in (address, f"::ffff:{address}" if "." in address else address):
        with pytest.raises(DeliveryFailed, match="inside the network"):
            Guard([]).addresses(written, 80)
    assert Guard([address]).addresses(address, 80) == [address]
