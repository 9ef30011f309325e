"""A real SMTP server in this process, for tests of mail: keeps what it takes, refuses what a test asks it to."""

from __future__ import annotations

import email
import email.policy
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword


class MailServer:
    """`mails`: (addresses, message) in order. `answers`: what the next messages get instead of 250."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.answers: list[str] = []
        self.refused: dict[str, str] = {}
        self.users: list[str] = []
        self.port = 0
        self._some = threading.Condition()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.answers:
            return self.answers.pop(0)
        message = email.message_from_bytes(envelope.content, policy=email.policy.SMTP)
        assert isinstance(message, EmailMessage)
        with self._some:
            self.mails.append((list(envelope.rcpt_tos), message))
            self._some.notify_all()
        return "250 OK"

    def wait(self, number: int, seconds: float = 20) -> list[tuple[list[str], EmailMessage]]:
        """Until so many mails are there."""
        with self._some:
            assert self._some.wait_for(lambda: len(self.mails) >= number, seconds), len(self.mails)
            return list(self.mails)


@contextmanager
def mail_server(
    port: int = 0, certificate: tuple[Path, Path] | None = None, password: str | None = None
) -> Iterator[MailServer]:
    """`certificate`: (certificate, key), then it offers STARTTLS and asks for it; `password`: it asks for sign-in."""
    created = MailServer()
    more: dict[str, Any] = {}
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        more |= {"tls_context": context, "require_starttls": True}
    if password is not None:

        def sign_in(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
            assert isinstance(data, LoginPassword)
            created.users.append(data.login.decode())
            return AuthResult(success=data.password.decode() == password, handled=False)

        more |= {"authenticator": sign_in, "auth_required": True, "auth_require_tls": certificate is not None}
    # Port 0 is not possible with the controller, which connects to the port it was given.
    controller = Controller(created, hostname="127.0.0.1", port=port or _free_port(), **more)
    controller.start()
    created.port = controller.port
    try:
        yield created
    finally:
        controller.stop()


def _free_port() -> int:
    import socket

    with socket.socket() as matches:
        matches.bind(("127.0.0.1", 0))
        return int(matches.getsockname()[1])


def plain(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def html(message: EmailMessage) -> str:
    body = message.get_body(("html",))
    assert body is not None
    return str(body.get_content())
