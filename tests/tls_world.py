"""Authorities and certificates for tests of TLS, and clients that show them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass(frozen=True)
class Issued:
    """Files of a certificate and its key, PEM."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        certificate = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return certificate.fingerprint(hashes.SHA256()).hex()


class Authority:
    """Signs certificates; its own is `file`."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        self.file = folder / f"{name}.pem"
        draft = _begun(self._name, self._name, self._key, timedelta(days=1)).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        _write(self.file, draft.sign(self._key, hashes.SHA256()))

    def server(self, name: str = "server") -> Issued:
        """For 127.0.0.1 and localhost."""
        hosts = [x509.IPAddress(IPv4Address("127.0.0.1")), x509.DNSName("localhost")]
        return self._issue(name, hosts, ExtendedKeyUsageOID.SERVER_AUTH)

    def client(self, name: str, *names: x509.GeneralName, lasts: timedelta = timedelta(days=1)) -> Issued:
        """`lasts` below zero: it has expired."""
        return self._issue(name, names, ExtendedKeyUsageOID.CLIENT_AUTH, lasts)

    def _issue(
        self, name: str, names: object, use: x509.ObjectIdentifier, lasts: timedelta = timedelta(days=1)
    ) -> Issued:
        key = ec.generate_private_key(ec.SECP256R1())
        draft = _begun(_named(name), self._name, key, lasts).add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        listed = list(names)  # type: ignore[call-overload]
        if listed:
            draft = draft.add_extension(x509.SubjectAlternativeName(listed), critical=False)
        issued = Issued(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        _write(issued.certificate, draft.sign(self._key, hashes.SHA256()))
        _write_key(issued.key, key)
        return issued


def self_signed(folder: Path, name: str) -> Issued:
    """Signed by its own key, of no authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    issued = Issued(folder / f"{name}.pem", folder / f"{name}.key")
    _write(issued.certificate, _begun(_named(name), _named(name), key, timedelta(days=1)).sign(key, hashes.SHA256()))
    _write_key(issued.key, key)
    return issued


def trusting(ca: Path, shown: Issued | None = None) -> ssl.SSLContext:
    """A client's context: trusts an authority, shows a certificate."""
    context = ssl.create_default_context(cafile=ca)
    if shown is not None:
        context.load_cert_chain(shown.certificate, shown.key)
    return context


def client(url: str, ca: Path, shown: Issued | None = None, token: str | None = None) -> httpx.Client:
    """A client of a server over TLS."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, verify=trusting(ca, shown), headers=headers, timeout=30, trust_env=False)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lasts: timedelta
) -> x509.CertificateBuilder:
    present = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(present - timedelta(days=2))
        .not_valid_after(present + lasts)
    )


def _write(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
