"""The client certificate of a connection, for the application. It comes from the TLS handshake and from nothing else:
no header names one."""

from __future__ import annotations

import asyncio
import hashlib

import structlog
from cryptography import x509
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.config.tls_settings import CLIENT_CERTIFICATE
from api.edge import errors
from policies.access.certificates import PeerCertificate
from policies.declared.service_specs import certificate_name

_log = structlog.get_logger("weir.api")


def of_transport(transport: asyncio.BaseTransport) -> PeerCertificate | None:
    """The certificate that the client of a TLS connection proved to have; None without one."""
    tls = transport.get_extra_info("ssl_object")
    der = tls.getpeercert(binary_form=True) if tls is not None else None
    if not der:
        return None
    try:
        return read(der)
    except ValueError as error:  # verified by OpenSSL, and still not what cryptography reads
        _log.warning("client_certificate_unreadable", kind=type(error).__name__)
        return None


def read(der: bytes) -> PeerCertificate:
    """A certificate in DER. Raises ValueError."""
    certificate = x509.load_der_x509_certificate(der)
    return PeerCertificate(
        hashlib.sha256(der).hexdigest(),
        _names(certificate),
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
    )


def _names(certificate: x509.Certificate) -> frozenset[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    hosts = {certificate_name("DNS", each) for each in names.get_values_for_type(x509.DNSName)}
    return frozenset(
        hosts | {certificate_name("URI", each) for each in names.get_values_for_type(x509.UniformResourceIdentifier)}
    )


class RequireCertificate:
    """Answers 401 to connections without a client certificate, before anything of a request is looked at but its path."""

    OPEN = frozenset({"/healthz", "/readyz"})
    """For what looks whether the server lives, which rarely has a certificate."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self.OPEN or scope.get(CLIENT_CERTIFICATE) is not None:
            await self.app(scope, receive, send)
            return
        message = "This Weir asks every client for a certificate; connect with one that its authorities have signed."
        await JSONResponse(errors.body("not_signed_in", message), 401)(scope, receive, send)
