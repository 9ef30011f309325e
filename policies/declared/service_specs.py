"""The spec of `kind: ServiceAccount`, and what a token or a certificate of one may be limited to."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from policies.declared.spec_parts import PERMISSIONS, Name, Spec

SCIM = "scim"
SCOPES = PERMISSIONS | {"read", "query", "request", "describe", SCIM}
"""What a token may be limited to: read = reading the catalog, lineage and lists; query = data of topics and views;
request = asking for access and deciding on it; describe = descriptions and tags of datasets; scim = keeping the directory, and
nothing else; the rest are permissions.
"""
_HEX = re.compile(r"[0-9a-f]{64}\Z")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*\Z")


def certificate_name(kind: str, text: str) -> str:
    """A name of a certificate as it is compared: `DNS:report.example.com`, `URI:spiffe://example.com/report`."""
    return f"DNS:{text.lower().rstrip('.')}" if kind == "DNS" else f"URI:{text}"


def _fingerprint(text: str) -> str:
    plain = text.lower().removeprefix("sha256:").replace(":", "").replace(" ", "")
    if not _HEX.match(plain):
        raise ValueError(
            "is not a SHA-256 fingerprint of a certificate: write its 64 hexadecimal digits, as `openssl x509 -noout"
            " -fingerprint -sha256` prints them"
        )
    return plain


def _name(text: str) -> str:
    kind, _, value = text.partition(":")
    name = certificate_name(kind, value)
    if kind == "DNS" and _HOST.match(name.removeprefix("DNS:")):
        return name
    if kind == "URI" and urlsplit(value).scheme and value.isprintable() and " " not in value:
        return name
    raise ValueError(
        "is not a name of a certificate: write one of its subject alternative names whole, as in DNS:report.example.com or"
        " URI:spiffe://example.com/report; the subject (CN=) does not count"
    )


class CertificateSpec(Spec):
    """One client certificate by its fingerprint, or every one that carries a name. One of the two is given.

    fingerprint  SHA-256 of the certificate: 64 hexadecimal digits, with or without colons
    name         subject alternative name: `DNS:HOST` or `URI:ADDRESS`, matched whole
    scopes       what a request that signs in with it is limited to, as the scopes of a token
    """

    fingerprint: Annotated[str, AfterValidator(_fingerprint)] | None = None
    name: Annotated[str, AfterValidator(_name)] | None = None
    scopes: list[str] = Field(min_length=1)

    @field_validator("scopes")
    @classmethod
    def _are_scopes(cls, given: list[str]) -> list[str]:
        unknown = sorted(set(given) - SCOPES)
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a scope; there are {', '.join(sorted(SCOPES))}")
        if SCIM in given and len(set(given)) > 1:
            raise ValueError("scim cannot be combined with other scopes")
        return sorted(set(given))

    @model_validator(mode="after")
    def _is_one(self) -> CertificateSpec:
        if (self.fingerprint is None) == (self.name is None):
            raise ValueError("give either fingerprint or name")
        return self

    @property
    def key(self) -> str:
        """What a certificate is looked up by: `sha256:...`, `DNS:...` or `URI:...`."""
        return f"sha256:{self.fingerprint}" if self.fingerprint is not None else str(self.name)


class ServiceAccountSpec(Spec):
    """A program. It signs in with scoped tokens that expire or by client certificate, and has its roles and groups as a user has.

    owner         who answers for it: a user or a group, in words
    certificates  client certificates that it signs in with
    """

    description: str = ""
    owner: str = ""
    groups: list[Name] = Field([])
    roles: list[Name] = Field([])
    disabled: bool = False
    certificates: list[CertificateSpec] = Field([])

    @field_validator("certificates")
    @classmethod
    def _are_different(cls, given: list[CertificateSpec]) -> list[CertificateSpec]:
        keys = [each.key for each in given]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is listed twice; list it once, with all its scopes")
        return given
