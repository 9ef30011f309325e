"""Service accounts that sign in by client certificate: which account one belongs to, as it is declared now."""

from __future__ import annotations

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

    def signed_in(self, given: PeerCertificate) -> Subject:
        """The account of a certificate, limited to the scopes that are declared with it.

        Raises NotSignedIn that names the fingerprint: of no account, of several, of one that may not sign in, or outside
        of its time, which a connection can outlive.
        """
        subject = self._subject(given)
        key = (subject.user, given.fingerprint)
        if key not in self._noted:
            self._record(subject.user, "sign-in", "certificate", [_shown(given)])
            self._noted[key] = True
        return subject

    def later(self, given: PeerCertificate) -> Callable[[], Subject]:
        """Gives the subject later on, for work that a request began, by what is declared then. Raises as `signed_in`."""
        return lambda: self._subject(given)

    def require_same(self, subject: Subject, given: PeerCertificate) -> None:
        """Raises NotAllowed when a request has the token or session of one and the certificate of another account.

        A certificate that no account lists is nobody's, and counts for nothing beside a token.
        """
        others = sorted(self._accounts(self._state.view(), given) - {subject.user})
        if others:
            raise NotAllowed(
                f"This request is of {subject.user} by its token or session, and of the service account {others[0]} by the"
                f" client certificate of its connection ({_shown(given)}); send one of the two.",
                details={"reasons": ["certificate"], "fingerprint": given.fingerprint},
            )

    def _subject(self, given: PeerCertificate) -> Subject:
        view, now = self._state.view(), self._clock()
        accounts = self._accounts(view, given)
        if not accounts:
            raise _refused(
                given, "belongs to no service account; list it in spec.certificates of one, or send a bearer token"
            )
        if len(accounts) > 1:
            raise _refused(given, "is listed by several service accounts; list it in one")
        if not given.not_before <= now < given.not_after:
            raise _refused(given, "has expired, or is not valid yet; connect with another")
        (account,) = accounts
        if (gone := gone_because(view, account)) is not None:
            raise _refused(given, f"belongs to the service account {account}, which {gone}")
        scopes = (set(each.scopes) for _, each in self._listed(view, given))
        limited = replace(view.subject(account), scopes=frozenset().union(*scopes))
        return replace(limited, certificate=given.fingerprint)

    def _accounts(self, view: View, given: PeerCertificate) -> set[str]:
        return {account for account, _ in self._listed(view, given)}

    def _listed(self, view: View, given: PeerCertificate) -> list[tuple[str, CertificateSpec]]:
        """What is declared of the certificate: by its fingerprint where that is listed, else by its names."""
        services, named = self._named
        if services is not view.services:
            named = _by_key(view.services)
            self._named = view.services, named
        by_fingerprint = list(named.get(f"sha256:{given.fingerprint}", ()))
        return by_fingerprint or [each for name in sorted(given.names) for each in named.get(name, ())]


def _by_key(services: Mapping[str, ServiceAccountSpec]) -> _Named:
    accounts: dict[str, tuple[tuple[str, CertificateSpec], ...]] = {}
    for account, spec in services.items():
        for each in spec.certificates:
            accounts[each.key] = (*accounts.get(each.key, ()), (account, each))
    return accounts


def _shown(given: PeerCertificate) -> str:
    return f"SHA-256 {given.fingerprint}"


def _refused(given: PeerCertificate, why: str) -> NotSignedIn:
    return NotSignedIn(f"The client certificate {_shown(given)} {why}.", details={"fingerprint": given.fingerprint})
