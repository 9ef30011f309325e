"""Service accounts that sign in by client certificate: which account one belongs to, as it is declared now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from cachetools import TTLCache

from catalog.errors import NotAllowed, NotSignedIn
from policies.access.session_confirming import Record
from policies.access.sessions import gone_because
from policies.declared.service_specs import CertificateSpec, ServiceAccountSpec
from policies.declared.state import GovernanceState, View
from policies.model import Subject
from policies.ports import Clock

_NOTED_S = 3600.0
"""How often the audit has that an account came by a certificate."""
_KEPT = 10_000

_Named = Mapping[str, tuple[tuple[str, CertificateSpec], ...]]
"""What certificates are looked up by -> accounts that list it; see `CertificateSpec.key`."""


@dataclass(frozen=True, slots=True)
class PeerCertificate:
    """The certificate of a connection, which the TLS handshake verified against the configured authorities.

    fingerprint  SHA-256 of it, 64 hexadecimal digits in small letters
    names        its subject alternative names: `DNS:...`, `URI:...`
    """

    fingerprint: str
    names: frozenset[str]
    not_before: datetime
    not_after: datetime


class Certificates:
    """Subjects of client certificates."""

    def __init__(self, state: GovernanceState, clock: Clock, record: Record) -> None:
        """`record` writes the audit."""
        self._state, self._clock, self._record = state, clock, record
        self._named: tuple[Mapping[str, ServiceAccountSpec] | None, _Named] = (None, {})
        self._noted: TTLCache[tuple[str, str], bool] = TTLCache(_KEPT, _NOTED_S)
        self._lock = threading.Lock()

    def signed_in(self, certificate: PeerCertificate) -> Subject:
        """The account of a certificate, limited to the scopes that are declared with it.

        Raises NotSignedIn that names the fingerprint: of no account, of several, of one that may not sign in, or outside
        of its time, which a connection can outlive.
        """
        subject = self._subject(certificate)
        key = (subject.user, certificate.fingerprint)
        with self._lock:
            noted = key in self._noted
        if not noted:
            self._record(subject.user, "sign-in", "certificate", [_shown(certificate)])
            with self._lock:
                self._noted[key] = True
        return subject

    def later(self, certificate: PeerCertificate) -> Callable[[], Subject]:
        """Gives the subject later on, for work that a request began, by what is declared then. Raises as `signed_in`."""
        return lambda: self._subject(certificate)

    def require_same(self, subject: Subject, certificate: PeerCertificate) -> None:
        """Raises NotAllowed when a request has the token or session of one and the certificate of another account.

        A certificate that no account lists is nobody's, and counts for nothing beside a token.
        """
        others = sorted(self._accounts(self._state.view(), certificate) - {subject.user})
        if others:
            raise NotAllowed(
                f"This request is of {subject.user} by its token or session, and of the service account {others[0]} by the"
                f" client certificate of its connection ({_shown(certificate)}); send one of the two.",
                details={"reasons": ["certificate"], "fingerprint": certificate.fingerprint},
            )

    def _subject(self, certificate: PeerCertificate) -> Subject:
        view, now = self._state.view(), self._clock()
        accounts = self._accounts(view, certificate)
        if not accounts:
            raise _refused(
                certificate,
                "belongs to no service account; list it in spec.certificates of one, or send a bearer token",
            )
        if len(accounts) > 1:
            raise _refused(certificate, "is listed by several service accounts; list it in one")
        if not certificate.not_before <= now < certificate.not_after:
            raise _refused(certificate, "has expired, or is not valid yet; connect with another")
        (account,) = accounts
        if (gone := gone_because(view, account)) is not None:
            raise _refused(certificate, f"belongs to the service account {account}, which {gone}")
        scopes = (set(each.scopes) for _, each in self._listed(view, certificate))
        limited = replace(view.subject(account), scopes=frozenset().union(*scopes))
        return replace(limited, certificate=certificate.fingerprint)

    def _accounts(self, view: View, certificate: PeerCertificate) -> set[str]:
        return {account for account, _ in self._listed(view, certificate)}

    def _listed(self, view: View, certificate: PeerCertificate) -> list[tuple[str, CertificateSpec]]:
        """What is declared of the certificate: by its fingerprint where that is listed, else by its names."""
        services, by_key = self._named
        if services is not view.services:
            by_key = _by_key(view.services)
            self._named = view.services, by_key
        by_fingerprint = list(by_key.get(f"sha256:{certificate.fingerprint}", ()))
        return by_fingerprint or [each for name in sorted(certificate.names) for each in by_key.get(name, ())]


def _by_key(services: Mapping[str, ServiceAccountSpec]) -> _Named:
    accounts: dict[str, tuple[tuple[str, CertificateSpec], ...]] = {}
    for account, spec in services.items():
        for each in spec.certificates:
            accounts[each.key] = (*accounts.get(each.key, ()), (account, each))
    return accounts


def _shown(certificate: PeerCertificate) -> str:
    return f"SHA-256 {certificate.fingerprint}"


def _refused(certificate: PeerCertificate, why: str) -> NotSignedIn:
    return NotSignedIn(
        f"The client certificate {_shown(certificate)} {why}.", details={"fingerprint": certificate.fingerprint}
    )
