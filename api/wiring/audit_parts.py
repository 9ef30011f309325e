"""The audit of an instance: where it is kept, sealed, shipped and published. Drivers are imported when they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from api.wiring.given import Real, part
from api.wiring.store_parts import StoreParts
from policies.audit.seals import Trust

if TYPE_CHECKING:
    from policies.audit.export import Signer
    from policies.audit.ports import AuditReceiver, AuditStore, HeadPublisher, SegmentStore, ShippingStore


class AuditParts(StoreParts):
    """What keeps, signs and sends the audit."""

    @part
    def audit_store(self) -> AuditStore:
        from policies.adapters.stores.audit import SqlAuditStore

        return SqlAuditStore(self._there())

    @part
    def audit_segments(self) -> SegmentStore:
        """The seals of the audit's segments."""
        from policies.adapters.stores.audit_segments import SqlSegmentStore

        return SqlSegmentStore(self._there())

    @part
    def audit_positions(self) -> ShippingStore:
        """How far the audit was shipped."""
        from policies.adapters.stores.audit_segments import SqlShippingStore

        return SqlShippingStore(self._there())

    def audit_receiver(self, place: str, client: Callable[[str], Mapping[str, str]]) -> AuditReceiver:
        """The topic CLUSTER/TOPIC that takes the audit. `client`: librdkafka's options of a cluster."""
        if not isinstance(self.given.audit_receiver, Real):
            return self.given.audit_receiver
        from policies.adapters.kafka.audit_topic import KafkaAuditTopic

        cluster, _, topic = place.partition("/")
        return KafkaAuditTopic(topic, client(cluster))

    def audit_trust(self, signer: Signer) -> Trust:
        """Whose seals of the audit count."""
        from policies.adapters.signing import verified

        return Trust(verified, frozenset({signer.public_key(), *self._settings.policies.audit_trusted_keys}))

    def audit_signer(self) -> Signer:
        """Signs exports of the audit; the key is kept in WEIR_HOME."""
        from policies.adapters.signing import Ed25519Signer

        return Ed25519Signer(lambda: self._home.secret("audit-signature").encode())

    @part
    def publisher(self) -> HeadPublisher | None:
        """Where the head of the audit chain is published; None when that is off."""
        if not self._settings.policies.publish_audit_head:
            return None
        from policies.adapters.kafka.audit_head import KafkaHeadPublisher

        kafka = self._settings.kafka
        publisher = KafkaHeadPublisher(
            kafka.bootstrap_servers, self._settings.policies.audit_head_topic, kafka.client_options()
        )
        self.closing.append(publisher.close)
        return publisher
