"""Mail against a real SMTP server: TLS, sign-in, refusals, connections that break, and never two headers of one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api.features.notifications.mail import SmtpMailer
from catalog.errors import SettingsError
from policies.notify.notices import Message, Undelivered
from policies.settings import NotifySettings
from tests.mail_server import MailServer, html, mail_server, plain

MESSAGE = Message("<1@x.example>", "<t@x.example>", "Weir: grüße 日本", "text – plain\n.\nend\n", "<p>text</p>")


def settings(server: MailServer | int, **more: object) -> NotifySettings:
    port = server if isinstance(server, int) else server.port
    given = {"smtp_host": "localhost", "smtp_port": port, "smtp_security": "none", "sender": "weir@x.example"}
    return NotifySettings(**(given | more))


def mailer(server: MailServer | int, password: str | None = None, **more: object) -> SmtpMailer:
    return SmtpMailer(settings(server, **more), lambda: password)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(certificate, key) of localhost, its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    created = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(created.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as created:
        yield created


def test_a_mail_arrives_as_text_and_html(server: MailServer) -> None:
    sender = mailer(server)
    sender.send("otto@example.com", MESSAGE)
    sender.send("petra@example.com", MESSAGE)
    sender.close()
    [(to, mail), (second, _)] = server.wait(2)
    assert to == ["otto@example.com"] and second == ["petra@example.com"]
    assert mail["Subject"] == "Weir: grüße 日本" and mail["Message-ID"] == "<1@x.example>"
    assert mail["From"] == "Weir <weir@x.example>" and mail["Auto-Submitted"] == "auto-generated"
    assert plain(mail).splitlines() == ["text – plain", ".", "end"] and "<p>text</p>" in html(mail)


def test_refusals_are_lasting_or_not_and_name_no_address(server: MailServer) -> None:
    sender = mailer(server)
    server.refused = {"gone@example.com": "550 gone@example.com is secret", "busy@example.com": "451 later"}
    for address, lasting in (("gone@example.com", True), ("busy@example.com", False)):
        with pytest.raises(Undelivered) as refused:
            sender.send(address, MESSAGE)
        assert (
            refused.value.lasting is lasting
            and "@" not in refused.value.problem
            and "secret" not in refused.value.problem
        )
    server.answers = ["554 spam secret", "452 full"]
    for lasting in (True, False):
        with pytest.raises(Undelivered) as refused:
            sender.send("otto@example.com", MESSAGE)
        assert refused.value.lasting is lasting and "secret" not in refused.value.problem
    sender.send("otto@example.com", MESSAGE)
    assert len(server.wait(1)) == 1


def test_an_address_that_would_add_a_header_is_not_sent(server: MailServer) -> None:
    for wrong in ("a@b.c\r\nBcc: x@y.z", "a@b.c\nX: y", "a@b.c, d@e.f", ""):
        with pytest.raises(Undelivered) as refused:
            mailer(server).send(wrong, MESSAGE)
        assert refused.value.lasting
    assert server.mails == []


def test_a_server_that_is_away_and_comes_back() -> None:
    with mail_server() as server:
        sender, port = mailer(server), server.port
        sender.send("otto@example.com", MESSAGE)
    with pytest.raises(Undelivered) as away:
        sender.send("otto@example.com", MESSAGE)
    assert away.value.server and not away.value.lasting
    with mail_server(port) as server:
        sender.send("otto@example.com", MESSAGE)
        assert len(server.wait(1)) == 1
        sender.close()


def test_starttls_with_sign_in(certificate: tuple[Path, Path]) -> None:
    with mail_server(certificate=certificate, password="pass word") as server:
        more = {"smtp_security": "starttls", "smtp_ca": certificate[0], "smtp_user": "weir", "smtp_password": "env:X"}
        sender = mailer(server, "pass word", **more)
        sender.send("otto@example.com", MESSAGE)
        sender.close()
        assert server.users == ["weir"] and len(server.wait(1)) == 1
        with pytest.raises(Undelivered, match=r"refused the sign-in \(535\)") as refused:
            mailer(server, "wrong", **more).send("otto@example.com", MESSAGE)
        assert refused.value.server
        with pytest.raises(Undelivered, match="certificate"):  # an authority that is not known
            mailer(server, "pass word", **(more | {"smtp_ca": None})).send("otto@example.com", MESSAGE)
        assert server.users == ["weir", "weir"]  # the password was not sent there


def test_starttls_is_never_left_out(server: MailServer) -> None:
    with pytest.raises(Undelivered, match="does not offer"):
        mailer(server, smtp_security="starttls").send("otto@example.com", MESSAGE)
    assert server.mails == []


def test_a_password_goes_over_tls_or_to_this_machine() -> None:
    more = {"smtp_user": "weir", "smtp_password": "env:X"}
    with pytest.raises(SettingsError, match="unencrypted"):
        mailer(25, smtp_host="mail.example.com", **more)
    mailer(25, smtp_host="127.0.0.1", **more)
    mailer(25, smtp_host="mail.example.com", smtp_security="tls", **more)
