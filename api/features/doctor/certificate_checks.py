"""Certificates: Weir's own files, and those that servers show. A look at a date; whom to trust is decided elsewhere."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from api.features.doctor.findings import Finding, Level, fault, ok, warning
from api.wiring.installation import Subject
from catalog.errors import WeirError

_DAYS = 30
_SECONDS = 4.0
_PORTS = {"https": 443, "bolt+s": 7687, "bolt+ssc": 7687, "neo4j+s": 7687, "neo4j+ssc": 7687}


def look_at_certificates(subject: Subject) -> Iterator[Finding]:
    """Those that end soon or have ended, each with a line; one line where all are well."""
    findings = [*_files(subject), *_servers(subject)]
    bad = [each for each in findings if each.level is not Level.OK]
    if bad:
        yield from bad
    elif findings:
        yield ok("certificates", f"{len(findings)} certificates are valid for {_DAYS} days and more.")
    else:
        yield ok("certificates", "No connection of the settings uses TLS.")


def valid_until(name: str, end: datetime, fix: str) -> Finding:
    """What the end of a certificate's time means today."""
    left = (end - datetime.now(UTC)).total_seconds() / 86400
    if left < 0:
        return fault(name, f"Its certificate ended on {end:%Y-%m-%d}.", fix)
    if left < _DAYS:
        return warning(name, f"Its certificate ends on {end:%Y-%m-%d}, in {left:.0f} days.", fix)
    return ok(name, f"Its certificate is valid until {end:%Y-%m-%d}.")


def _files(subject: Subject) -> Iterator[Finding]:
    settings = subject.settings
    files = {
        "WEIR_API__TLS_CERTIFICATE": settings.api.tls_certificate,
        "WEIR_API__TLS_CLIENT_CA": settings.api.tls_client_ca,
        "WEIR_KAFKA__TLS_CA": settings.kafka.tls_ca,
        "WEIR_KAFKA__TLS_CERTIFICATE": settings.kafka.tls_certificate,
        "WEIR_ELASTICSEARCH__CA": settings.elasticsearch.ca,
        "WEIR_OIDC__CA": settings.oidc.ca,
    }
    for variable, file in files.items():
        if file is not None:
            yield _file(f"certificate {variable}", file)


def _file(name: str, path: Path) -> Finding:
    fix = f"Put a new certificate into {path}."
    try:
        certificates = x509.load_pem_x509_certificates(path.expanduser().read_bytes())
        end = min(each.not_valid_after_utc for each in certificates)
    except (OSError, ValueError):
        return fault(name, f"The file {path} has no certificate that can be read.", fix)
    return valid_until(name, end, fix)


def _servers(subject: Subject) -> list[Finding]:
    places = sorted(set(_places(subject)))
    if not places:
        return []
    with ThreadPoolExecutor(min(8, len(places)), thread_name_prefix="doctor-certificates") as pool:
        return [finding for finding in pool.map(_server, places) if finding is not None]


def _places(subject: Subject) -> Iterator[tuple[str, int]]:
    """Hosts and ports that Weir reaches by TLS."""
    settings = subject.settings
    urls = [
        settings.elasticsearch.url,
        settings.neo4j.uri,
        settings.schema_registry.url or "",
        settings.oidc.issuer or "",
    ]
    kafka = settings.kafka
    if "SSL" in kafka.client_options().get("security.protocol", ""):
        yield from _brokers(kafka.bootstrap_servers.split(","))
    try:
        for cluster in subject.clusters():
            spec = cluster.settings
            if "tls" in (spec.get("security") or {}):
                yield from _brokers(cluster.bootstrap)
            urls += [str((spec.get(part) or {}).get("url", "")) for part in ("schemaRegistry", "connect")]
        urls += [str(document.spec.get("issuer", "")) for document in subject.documents("IdentityProvider")]
    except WeirError:
        pass  # the line of the record store tells it
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme in _PORTS and parts.hostname:
            yield parts.hostname, parts.port or _PORTS[parts.scheme]


def _brokers(addresses: Iterable[str]) -> Iterator[tuple[str, int]]:
    for address in addresses:
        host, _, port = address.strip().rpartition(":")
        if port.isdigit():
            yield host.strip("[]"), int(port)


def _server(place: tuple[str, int]) -> Finding | None:
    """None where nobody does TLS there: the line of that server reports what is wrong."""
    host, port = place
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection(place, _SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=host) as tls,
        ):
            shown = tls.getpeercert(binary_form=True)
        end = x509.load_der_x509_certificate(shown or b"").not_valid_after_utc
    except (OSError, ValueError):
        return None
    return valid_until(f"certificate {host}:{port}", end, "Renew it on that server.")
