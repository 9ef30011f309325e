"""The HTTP API over TLS, and service accounts that sign in by client certificate: a real server on the loopback."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from cryptography import x509
from structlog.testing import capture_logs

from api.config.http_settings import ApiSettings
from api.config.settings import Settings
from api.edge.tls import Renewal, server_context
from policies.access.identity import Identity
from tests.query_door import Door, door, until
from tests.tls_world import Authority, Issued, client, self_signed, trusting

TABLE = pa.table({"order_id": ["a", "b"], "amount": [1, 2]})
SPIFFE = "spiffe://example.com/report"


class Served:
    """A server with its authority and clients."""

    def __init__(self, opened: Door, authority: Authority, folder: Path) -> None:
        self.door, self.authority, self.folder, self.url = opened, authority, folder, opened.url
        self.world = opened.world

    def client(self, shown: Issued | None = None, token: str | None = None) -> httpx.Client:
        return client(self.url, self.authority.file, shown, token)

    def me(self, shown: Issued | None = None, token: str | None = None) -> httpx.Response:
        with self.client(shown, token) as asking:
            return asking.get("/api/v1/me")

    def declare(self, name: str, *certificates: str, more: str = "") -> None:
        listed = "".join(f"\n    - {each}" for each in certificates)
        self.world.apply(
            f"apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {{name: {name}}}\nspec:\n  roles: [analyst]\n{more}"
            f"  certificates: {listed or '[]'}\n"
        )


def settings(authority: Authority, **more: Any) -> ApiSettings:
    server = authority.server()
    return ApiSettings.model_validate(
        {
            "tls_certificate": server.certificate,
            "tls_key": server.key,
            "tls_client_ca": authority.file,
            "tls_client_certificates": "optional",
            **more,
        }
    )


@contextlib.contextmanager
def served(folder: Path, **more: Any) -> Iterator[Served]:
    authority = Authority(folder / "tls")
    with door(folder, TABLE, settings(authority, **more)) as opened:
        yield Served(opened, authority, folder)


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("home"), header_seconds=1.0) as running:
        yield running


def test_a_service_account_signs_in_by_fingerprint(weir: Served) -> None:
    shown = weir.authority.client("by-fingerprint")
    weir.declare("f1", f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}")
    answer = weir.me(shown)
    assert answer.status_code == 200, answer.text
    assert answer.json()["user"] == "f1" and answer.json()["roles"] == ["analyst"]


@pytest.mark.parametrize(
    ("listed", "carried"),
    [
        ("DNS:report.example.com", x509.DNSName("report.example.com")),
        (f"URI:{SPIFFE}", x509.UniformResourceIdentifier(SPIFFE)),
    ],
)
def test_a_service_account_signs_in_by_a_name_of_the_certificate(weir: Served, listed: str, carried: Any) -> None:
    kind = listed[:3].lower()
    weir.declare(f"n-{kind}", f"{{name: '{listed}', scopes: [read]}}")
    assert weir.me(weir.authority.client(f"n-{kind}-1", carried)).json()["user"] == f"n-{kind}"
    assert weir.me(weir.authority.client(f"n-{kind}-2", carried)).json()["user"] == f"n-{kind}"


def test_the_common_name_is_nobody(weir: Served) -> None:
    weir.declare("cn", "{name: 'DNS:cn.example.com', scopes: [read]}")
    assert weir.me(weir.authority.client("cn.example.com")).status_code == 401


def test_a_certificate_of_no_account(weir: Served) -> None:
    """Beside a token it counts for nothing; alone it is refused, and the answer names its fingerprint."""
    shown = weir.authority.client("unknown")
    refused = weir.me(shown)
    assert refused.status_code == 401
    assert shown.fingerprint in refused.json()["error"]["message"]
    assert refused.json()["error"]["details"] == {"fingerprint": shown.fingerprint}
    assert weir.me(shown, weir.door.token("ana")).json()["user"] == "ana"


def test_the_scopes_of_a_certificate_limit_it(weir: Served) -> None:
    shown = weir.authority.client("scoped")
    weir.declare("scoped", f"{{fingerprint: {shown.fingerprint}, scopes: [query]}}")
    with weir.client(shown) as asking:
        assert asking.get("/api/v1/search", params={"q": "x"}).status_code == 403
        assert asking.post("/api/v1/query", json={"sql": "SELECT order_id FROM orders"}).status_code == 200


def test_a_deactivated_account_has_no_access_by_certificate(weir: Served) -> None:
    shown = weir.authority.client("off")
    listed = f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}"
    weir.declare("off", listed)
    with weir.client(shown) as asking:
        assert asking.get("/api/v1/me").status_code == 200
        weir.declare("off", listed, more="  disabled: true\n")
        refused = asking.get("/api/v1/me")  # over the connection that is open
    assert refused.status_code == 401 and "disabled" in refused.json()["error"]["message"]


def test_a_fingerprint_that_is_taken_away_ends_access_at_once(weir: Served) -> None:
    shown = weir.authority.client("gone")
    weir.declare("gone", f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}")
    with weir.client(shown) as asking:
        assert asking.get("/api/v1/me").status_code == 200
        weir.declare("gone")
        assert asking.get("/api/v1/me").status_code == 401


def test_a_bearer_of_another_than_the_certificate_is_refused(weir: Served) -> None:
    shown = weir.authority.client("both")
    weir.declare("both", f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}")
    refused = weir.me(shown, weir.door.token("ana"))
    assert refused.status_code == 403
    assert refused.json()["error"]["details"]["reasons"] == ["certificate"]
    token = weir.world.admin.post("/api/v1/tokens", json={"user": "both", "scopes": ["query"], "days": 1}).json()
    with weir.client(shown, token["token"]) as asking:
        assert asking.get("/api/v1/me").json()["user"] == "both"
        # The token's scopes hold, not those of the certificate.
        assert asking.get("/api/v1/search", params={"q": "x"}).status_code == 403
    with weir.client(shown, "weir_wrong") as asking:
        assert asking.get("/api/v1/me").status_code == 401  # a wrong token is not saved by a certificate


def test_a_certificate_of_two_accounts_is_refused(weir: Served) -> None:
    names = [x509.DNSName("two-a.example.com"), x509.DNSName("two-b.example.com")]
    shown = weir.authority.client("two", *names)
    weir.declare("two-a", "{name: 'DNS:two-a.example.com', scopes: [read]}")
    weir.declare("two-b", "{name: 'DNS:two-b.example.com', scopes: [read]}")
    refused = weir.me(shown)
    assert refused.status_code == 401 and "several service accounts" in refused.json()["error"]["message"]
    # What is listed by fingerprint is of that account, whatever its names are.
    weir.declare("two-c", f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}")
    assert weir.me(shown).json()["user"] == "two-c"


def test_lineage_and_rows_look_at_both(weir: Served) -> None:
    """These routes remember credentials that were good a moment ago: a token alone is another one than with a certificate."""
    shown = weir.authority.client("quick")
    weir.declare("quick", f"{{fingerprint: {shown.fingerprint}, scopes: ['lineage:write', query]}}")
    token = weir.world.services[Identity].create_token("admin").text
    with weir.client(token=token) as alone, weir.client(shown, token) as both, weir.client(shown) as certified:
        assert alone.post("/api/v1/lineage", json={}).status_code == 400
        assert both.post("/api/v1/lineage", json={}).status_code == 403
        assert certified.post("/api/v1/lineage", json={}).status_code == 403  # its roles lack the permission
        assert alone.get("/api/v1/views/none/rows", params={"key": "1"}).status_code == 404
        assert both.get("/api/v1/views/none/rows", params={"key": "1"}).status_code == 403
        assert certified.get("/api/v1/views/none/rows", params={"key": "1"}).status_code == 404


def test_a_directory_is_kept_by_a_certificate_with_that_scope(weir: Served) -> None:
    shown = weir.authority.client("directory")
    weir.declare("keeper", f"{{fingerprint: {shown.fingerprint}, scopes: [scim]}}")
    with weir.client(shown) as asking:
        assert asking.get("/scim/v2/Users").status_code == 200
        assert asking.get("/api/v1/me").status_code == 403


def test_headers_that_name_a_certificate_count_for_nothing(weir: Served) -> None:
    shown = weir.authority.client("forwarded")
    weir.declare("forwarded", f"{{fingerprint: {shown.fingerprint}, scopes: [read]}}")
    pem = shown.certificate.read_text().replace("\n", "%0A")
    with weir.client() as asking:
        for name in ("X-Forwarded-Client-Cert", "X-SSL-Client-Cert", "Client-Cert", "X-Client-Cert", "SSL-Client-Cert"):
            for value in (pem, f"Hash={shown.fingerprint}", shown.fingerprint):
                assert asking.get("/api/v1/me", headers={name: value}).status_code == 401


def test_a_page_of_another_site_changes_nothing_by_a_certificate_of_the_browser(weir: Served) -> None:
    shown = weir.authority.client("browser")
    weir.declare("browser", f"{{fingerprint: {shown.fingerprint}, scopes: [query]}}")
    asked = {"sql": "SELECT order_id FROM orders"}
    with weir.client(shown) as asking:
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert asking.post("/api/v1/query", json=asked, headers=headers).status_code == 403
        assert asking.post("/api/v1/query", json=asked).status_code == 200


def test_the_audit_has_the_fingerprint_of_who_came_by_a_certificate(weir: Served) -> None:
    shown = weir.authority.client("audited")
    weir.declare("audited", f"{{fingerprint: {shown.fingerprint}, scopes: [query]}}")
    with weir.client(shown) as asking:
        assert asking.post("/api/v1/query", json={"sql": "SELECT order_id FROM orders"}).status_code == 200
        asking.get("/api/v1/me")
    entries = weir.world.admin.get("/api/v1/audit", params={"actor": "audited"}).json()["entries"]
    signed = [each for each in entries if each["action"] == "sign-in"]
    assert [each["reasons"] for each in signed] == [[f"SHA-256 {shown.fingerprint}"]]
    asked = [each for each in entries if each["action"] == "query"]
    assert asked and all(each["details"]["certificate"] == shown.fingerprint for each in asked)
    assert "BEGIN" not in str(entries) and "CN=" not in str(entries)


def test_a_running_query_ends_when_its_certificate_is_taken_away(weir: Served) -> None:
    shown = weir.authority.client("running")
    weir.declare("running", f"{{fingerprint: {shown.fingerprint}, scopes: [query]}}")
    weir.world.services[Settings].query.recheck_seconds = 0.2
    weir.door.engine.hold = threading.Event()
    answers: list[httpx.Response] = []

    def ask() -> None:
        with weir.client(shown) as asking:
            answers.append(asking.post("/api/v1/query", json={"sql": "SELECT order_id FROM orders"}))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        until(lambda: weir.door.engine.running == 1)
        weir.declare("running")
        thread.join(20)  # nothing lets the engine continue: the query is stopped
    finally:
        weir.door.engine.hold = None
    assert answers[0].status_code == 401 and shown.fingerprint in answers[0].text


# --- the handshake ---------------------------------------------------------------------------------------------------


def is_refused(weir: Served, shown: Issued) -> bool:
    """Whether the handshake ends the connection, token or not."""
    with pytest.raises((httpx.ReadError, httpx.ConnectError, httpx.RemoteProtocolError, httpx.WriteError)):
        weir.me(shown, weir.door.token("ana"))
    return True


def test_certificates_that_the_authority_did_not_sign_end_the_connection(weir: Served, tmp_path: Path) -> None:
    assert is_refused(weir, Authority(tmp_path, "another").client("stranger"))
    assert is_refused(weir, self_signed(tmp_path, "self"))
    assert is_refused(weir, weir.authority.client("old", lasts=timedelta(days=-1)))
    assert is_refused(weir, weir.authority.server("a-server"))  # signed, and not for clients
    assert weir.me(weir.authority.client("young"), weir.door.token("ana")).status_code == 200


def test_old_versions_of_tls_are_not_spoken(weir: Served) -> None:
    context = trusting(weir.authority.file)
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    address = httpx.URL(weir.url)
    with socket.create_connection((address.host, address.port or 0)) as plain, pytest.raises((ssl.SSLError, OSError)):
        context.wrap_socket(plain, server_hostname="127.0.0.1")


def test_http_to_the_port_of_https_ends_at_once(weir: Served) -> None:
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        httpx.get(weir.url.replace("https:", "http:") + "/healthz", timeout=10, trust_env=False)


def test_a_handshake_that_stalls_ends_in_time(weir: Served) -> None:
    address = httpx.URL(weir.url)
    begun = time.monotonic()
    with socket.create_connection((address.host, address.port or 0)) as plain:
        plain.settimeout(20)
        plain.sendall(b"\x16\x03\x01")  # a record's first bytes, and no more
        with contextlib.suppress(ConnectionError):
            assert plain.recv(1) == b""
    assert 0.5 < time.monotonic() - begun < 10  # header_seconds is 1


def test_a_session_cookie_is_secure_by_tls(weir: Served) -> None:
    assert weir.world.services[Settings].api.secure
    assert weir.world.services[Settings].api.session_cookie.startswith("__Host-")


def test_required_certificates_leave_health_open(tmp_path: Path) -> None:
    with served(tmp_path, tls_client_certificates="required") as weir:
        token = weir.door.token("ana")
        with weir.client(token=token) as asking:
            assert asking.get("/healthz").status_code == 200
            assert asking.get("/readyz").status_code in (200, 503)
            for path in ("/api/v1/me", "/", "/metrics", "/docs", "/openapi.json", "/api/v1/auth/session", "/healthz/x"):
                refused = asking.get(path)
                assert refused.status_code == 401 and "certificate" in refused.json()["error"]["message"]
        assert weir.me(weir.authority.client("anybody"), token).json()["user"] == "ana"


@pytest.mark.tail
def test_a_certificate_that_is_renewed_is_served_without_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as weir:
        before = serial(weir)
        weir.authority.server()
        until(lambda: serial(weir) != before, seconds=20)
        until(lambda: weir.me(token=weir.door.token("ana")).status_code == 200)


def test_a_renewal_by_halves_leaves_the_certificate_of_before(tmp_path: Path) -> None:
    given = settings(Authority(tmp_path))
    context = server_context(given)
    assert context is not None and given.tls_certificate is not None
    renewal = Renewal(context, given)
    Authority(tmp_path / "next").server()
    given.tls_certificate.write_bytes((tmp_path / "next" / "server.pem").read_bytes())
    with capture_logs() as logged:
        renewal.look()
        renewal.look()  # once for each change
    assert [each["event"] for each in logged] == ["tls_certificate_not_renewed"]
    assert "is not the key of the certificate" in logged[0]["notice"]


def serial(weir: Served) -> int:
    address = httpx.URL(weir.url)
    with (
        socket.create_connection((address.host, address.port or 0)) as plain,
        trusting(weir.authority.file).wrap_socket(plain, server_hostname="127.0.0.1") as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
        assert shown is not None
        return x509.load_der_x509_certificate(shown).serial_number
