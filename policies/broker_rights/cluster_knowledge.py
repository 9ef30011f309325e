"""What is known of a cluster when its ACLs are worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from policies.broker_rights.copies import Decide, MaskedCopy
from policies.broker_rights.granted import Holders
from policies.broker_rights.principals import BrokerPrincipal
from policies.model import DatasetFacts


@dataclass(frozen=True)
class ClusterKnowledge:
    """What is known of one cluster.

    facts       topic -> what the catalog knows of it
    topics      the topics that the brokers have; None: not known
    principals  name -> who it is, of all that ACLs and documents name
    copies      topic -> its masked copy, as the document of the cluster names it
    own_copies  view -> the copy that Weir made for consumers
    decide      how copies are decided; None: none are made
    """

    name: str
    facts: Mapping[str, DatasetFacts]
    topics: frozenset[str] | None
    principals: Mapping[str, BrokerPrincipal]
    holders: Holders
    unscanned_is_sensitive: bool = True
    copies: Mapping[str, str] = field(default_factory=dict)
    super_users: frozenset[str] = frozenset()
    own_copies: Mapping[str, MaskedCopy] = field(default_factory=dict)
    decide: Decide | None = None

    def reference(self, topic: str) -> str:
        """The dataset of a topic, by the name of the cluster that the catalog has it under."""
        facts = self.facts.get(topic)
        return facts.reference if facts is not None else f"{self.name}/{topic}"
