"""Mail by SMTP: one connection for the messages of a round, TLS unless the server is this machine."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
import threading
from collections.abc import Callable
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import formatdate

from catalog.declared.loopback import is_loopback
from catalog.errors import SettingsError
from policies.notify.notices import Message, Undelivered
from policies.notify.words import plain_text
from policies.settings import NotifySettings


class SmtpMailer:
    """`policies.notify.notices.Mailer`. For several threads; messages go one after another."""

    def __init__(self, settings: NotifySettings, password: Callable[[], str | None]) -> None:
        """`password` reads the secret when a connection is opened. Raises SettingsError where it would go unencrypted."""
        if settings.smtp_password and settings.smtp_security == "none" and not is_loopback(settings.smtp_host or ""):
            raise SettingsError(
                "Setting notify.smtp_password (WEIR_NOTIFY__SMTP_PASSWORD) would be sent to another machine unencrypted;"
                " set WEIR_NOTIFY__SMTP_SECURITY to starttls or tls."
            )
        self._settings, self._password = settings, password
        self._lock = threading.Lock()
        self._open: smtplib.SMTP | None = None

    def send(self, address: str, message: Message) -> None:
        """Raises Undelivered; a message that the server took is never reported as not taken."""
        mail = compose(self._settings.sender, address, message)
        with self._lock:
            try:
                if self._open is not None and not self._is_alive(self._open):
                    self._drop()
                if self._open is None:
                    self._open = self._connect()
                self._open.send_message(mail, self._settings.sender, [address])
            except smtplib.SMTPResponseException as error:
                raise self._refused(error) from None
            except smtplib.SMTPRecipientsRefused as error:
                code = next(iter(error.recipients.values()))[0]
                self._drop()
                raise Undelivered(f"The mail server refused the address ({code}).", lasting=code >= 500) from None
            except SettingsError as error:
                raise Undelivered(error.message, server=True) from None
            except (OSError, smtplib.SMTPException, ssl.SSLError) as error:
                self._drop()
                raise Undelivered(self._problem(error), server=True) from None

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _connect(self) -> smtplib.SMTP:
        s = self._settings
        context = ssl.create_default_context(cafile=str(s.smtp_ca) if s.smtp_ca else None)
        host = s.smtp_host or ""
        password = self._password() if s.smtp_user else None
        if s.smtp_security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, s.smtp_port, timeout=s.smtp_timeout_s, context=context)
        else:
            server = smtplib.SMTP(host, s.smtp_port, timeout=s.smtp_timeout_s)
        try:
            if s.smtp_security == "starttls":
                server.starttls(context=context)
            if s.smtp_user is not None:
                _sign_in(server, s.smtp_user, password or "")
        except BaseException:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                server.close()
            raise
        return server

    @staticmethod
    def _is_alive(server: smtplib.SMTP) -> bool:
        """Servers end connections that were quiet."""
        try:
            return server.noop()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False

    def _drop(self) -> None:
        server, self._open = self._open, None
        if server is not None:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                server.quit()

    def _refused(self, error: smtplib.SMTPResponseException) -> Undelivered:
        """By the answer's code alone: its text may hold the address, or whatever the server likes."""
        self._drop()
        code = error.smtp_code
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return Undelivered(f"The mail server refused the sign-in ({code}).", server=True)
        if isinstance(error, smtplib.SMTPSenderRefused | smtplib.SMTPConnectError | smtplib.SMTPHeloError):
            return Undelivered(f"The mail server refused the connection or the sender ({code}).", server=True)
        return Undelivered(f"The mail server refused the message ({code}).", lasting=code >= 500, server=code == 421)

    def _problem(self, error: Exception) -> str:
        where = f"{self._settings.smtp_host}, port {self._settings.smtp_port}"
        if isinstance(error, smtplib.SMTPNotSupportedError):
            return f"The mail server at {where} does not offer what is set (STARTTLS or the sign-in)."
        if isinstance(error, ssl.SSLError):
            return f"The certificate of the mail server at {where} cannot be verified, or it does not use TLS."
        if isinstance(error, TimeoutError):
            return f"The mail server at {where} did not answer in time."
        return f"The mail server at {where} does not answer ({type(error).__name__})."


def _sign_in(server: smtplib.SMTP, user: str, password: str) -> None:
    """One attempt by the first method that the server offers: smtplib's own tries them all, and some servers lock accounts
    after a few."""
    server.ehlo_or_helo_if_needed()
    server.user, server.password = user, password
    offered = server.esmtp_features.get("auth", "").upper().split()
    for name, answer in (
        ("PLAIN", server.auth_plain),
        ("LOGIN", server.auth_login),
        ("CRAM-MD5", server.auth_cram_md5),
    ):
        if name in offered:
            server.auth(name, answer)
            return
    raise smtplib.SMTPNotSupportedError("no known method of sign-in")


def compose(sender: str, address: str, message: Message) -> EmailMessage:
    """The mail of a message. Raises Undelivered for an address that cannot be written in a header."""
    mail = EmailMessage(policy=SMTP_POLICY)
    try:
        mail["From"] = Address("Weir", addr_spec=sender)
        mail["To"] = Address(addr_spec=address)
    except Exception:
        raise Undelivered("The mail address of this person cannot be used.", lasting=True) from None
    mail["Subject"] = plain_text(message.title)
    mail["Date"] = formatdate()
    mail["Message-ID"] = message.id
    mail["References"] = message.thread
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail.set_content(message.plain)
    mail.add_alternative(message.html, subtype="html")
    return mail
