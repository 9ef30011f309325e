"""TLS of the HTTP server: the context of its connections, and its renewal while the server runs."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

import structlog
from cryptography import x509

from api.config.tls_settings import Tls
from catalog.errors import SettingsError

_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
_log = structlog.get_logger("weir")


def server_context(settings: Tls) -> ssl.SSLContext | None:
    """The context of these settings; None where they name no certificate.

    Clients are asked for a certificate, and one that is sent is verified against `tls_client_ca` alone. Whether it is
    `required` is decided for each request (`RequireCertificate`), so that health can be asked for without one. Raises
    SettingsError naming the file that cannot be used.
    """
    if settings.tls_certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = _VERSIONS[settings.tls_min_version]
    context.set_alpn_protocols(["http/1.1"])
    _load_own(context, settings, settings.tls_certificate)
    if settings.tls_client_certificates != "none" and settings.tls_client_ca is not None:
        context.verify_mode = ssl.CERT_OPTIONAL
        _load_authorities(context, settings.tls_client_ca)
    return context


class Renewal:
    """Takes over files that changed, for connections opened from then on. What cannot be used is logged, and the certificate
    before it remains in use."""

    def __init__(self, context: ssl.SSLContext, settings: Tls) -> None:
        self._context, self._settings = context, settings
        self._files = [
            each for each in (settings.tls_certificate, settings.tls_key, settings.tls_client_ca) if each is not None
        ]
        self._seen = self._stamps()

    def look(self) -> None:
        """Called every few seconds on the thread that accepts connections, since contexts are not for several."""
        stamps = self._stamps()
        if stamps == self._seen:
            return
        self._seen = stamps
        try:
            server_context(self._settings)  # whether all of it can be used: what is live is not changed by halves
            assert self._settings.tls_certificate is not None
            _load_own(self._context, self._settings, self._settings.tls_certificate)
            if self._settings.tls_client_ca is not None:
                _load_authorities(self._context, self._settings.tls_client_ca)
        except SettingsError as error:
            _log.warning("tls_certificate_not_renewed", notice=error.message)
        else:
            _log.info("tls_certificate_renewed", file=str(self._settings.tls_certificate))

    def _stamps(self) -> list[tuple[int, int, int] | None]:
        return [_stamp(each) for each in self._files]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()  # of the file a link leads to: secrets are often mounted as links
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _load_own(context: ssl.SSLContext, settings: Tls, path: Path) -> None:
    key = settings.tls_key or path
    expires = certificate_end(path)
    password = settings.tls_key_password
    try:
        # Without a password of ours OpenSSL would ask for one at the terminal.
        context.load_cert_chain(path, key, password.get_secret_value() if password is not None else "")
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None)
        if isinstance(error, FileNotFoundError | PermissionError):
            why = f"{key} cannot be read: {error.strerror}"
        elif reason == "KEY_VALUES_MISMATCH":
            why = f"{key} is not the key of the certificate {path}"
        else:
            why = f"{key} has no key in PEM, or the password of it (WEIR_API__TLS_KEY_PASSWORD) is missing or wrong"
        raise SettingsError(f"Setting api.tls_key (WEIR_API__TLS_KEY): {why}.") from None
    if expires < datetime.now(UTC):
        _log.warning("tls_certificate_expired", file=str(path), at=expires.isoformat())


def certificate_end(path: Path) -> datetime:
    """When a certificate in PEM ends. Raises SettingsError naming the file that cannot be read."""
    where = "Setting api.tls_certificate (WEIR_API__TLS_CERTIFICATE)"
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())[0].not_valid_after_utc
    except OSError as error:
        raise SettingsError(f"{where}: {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise SettingsError(f"{where}: {path} has no certificate in PEM (-----BEGIN CERTIFICATE-----).") from None


def _load_authorities(context: ssl.SSLContext, path: Path) -> None:
    where = "Setting api.tls_client_ca (WEIR_API__TLS_CLIENT_CA)"
    try:
        context.load_verify_locations(cafile=path)
    except ssl.SSLError:
        raise SettingsError(f"{where}: {path} has no certificate in PEM (-----BEGIN CERTIFICATE-----).") from None
    except OSError as error:
        raise SettingsError(f"{where}: {path} cannot be read: {error.strerror}.") from None
