"""Who may do what, joined: the declared state of governance, the audit, sign-in, requests of access and grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api.config.settings import Settings
from api.joins.responsible import ResponsiblePeople
from api.joins.views.clusters import ViewClusters
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from policies.access.certificates import Certificates
from policies.access.device_logins import DeviceLogins
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit.actions import AuditAction
from policies.audit.export import Signer
from policies.audit.log import AuditLog
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping
from policies.audit.verify import Seals
from policies.broker_rights.own_consumers import own_consumer
from policies.declared.state import Checks, GovernanceState
from policies.masks import custom
from policies.model import Subject
from policies.requests.approvals import Approvals


@dataclass(frozen=True, slots=True)
class AuditServices:
    log: AuditLog
    signer: Signer
    segments: AuditSegments
    shipping: AuditShipping


@dataclass(frozen=True, slots=True)
class GovernanceServices:
    """`other_issuers`: whether bearer tokens of another issuer are accepted too."""

    state: GovernanceState
    audit: AuditServices
    sessions: Sessions
    device_logins: DeviceLogins
    sign_in: SignIn
    certificates: Certificates
    identity: Identity
    approvals: Approvals
    grants: Grants
    responsible: ResponsiblePeople
    other_issuers: bool

    def manages(self, subject: Subject) -> bool:
        return "manage" in self.identity.permissions(subject)


def governance_services(settings: Settings, parts: Adapters, catalog: CatalogServices) -> GovernanceServices:
    facts, events, policies = catalog.facts, catalog.events, settings.policies
    checks = Checks(expression=custom.check, condition=custom.check_condition, provider=parts.check_provider)
    state = GovernanceState(parts.policy_store, now, policies, checks)
    audit = _audit_services(settings, parts, catalog.view_clusters)
    sealer = parts.sealer()

    def record_sign_in(actor: str, action: AuditAction, target: str, reasons: Sequence[str]) -> None:
        audit.log.record(actor, action, target, "allow", reasons)

    sessions = Sessions(parts.session_store, state, parts.openid, sealer, now, settings.sign_in, record=record_sign_in)
    device_logins = DeviceLogins(parts.session_store, now)
    verifiers = parts.verifiers()
    responsible = ResponsiblePeople(catalog.store, catalog.clusters, state)
    identity = Identity(parts.tokens, state, now, verifiers, policies, sessions)
    return GovernanceServices(
        state=state,
        audit=audit,
        sessions=sessions,
        device_logins=device_logins,
        sign_in=SignIn(sessions, device_logins, state, parts.openid, sealer, now),
        certificates=Certificates(state, now, record_sign_in),
        identity=identity,
        approvals=Approvals(
            state,
            facts,
            identity,
            audit.log,
            now,
            policies,
            custom.check_condition,
            events,
            lambda subject, dataset, name: own_consumer(
                state.view(), subject, dataset, name, identity.manages(subject)
            ),
            responsible,
        ),
        responsible=responsible,
        grants=Grants(state, facts, identity, audit.log, now, policies, events),
        other_issuers=bool(verifiers),
    )


def _audit_services(settings: Settings, parts: Adapters, clusters: ViewClusters) -> AuditServices:
    signer = parts.audit_signer()
    seals = Seals(parts.audit_segments, parts.audit_trust(signer))
    log = AuditLog(parts.audit_store, now, parts.publisher, seals)
    shipping = AuditShipping(
        parts.audit_store,
        parts.audit_positions,
        settings.policies.audit_ship_to,
        lambda place: parts.audit_receiver(place, clusters.client),
        now,
    )
    segments = AuditSegments(
        parts.audit_store, parts.audit_segments, log, signer, now, settings.policies, shipping.shipped
    )
    return AuditServices(log, signer, segments, shipping)
