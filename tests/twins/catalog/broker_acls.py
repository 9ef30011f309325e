"""ACLs of clusters from memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.broker_acls import MOST, BrokerAcls
from catalog.errors import WeirError
from catalog.topic_details import AclsKnown


class MemoryAcls:
    """Implements `catalog.broker_acls.AclReader`: each address has the ACLs that it is given."""

    def __init__(self, by_address: Mapping[str, BrokerAcls] | None = None) -> None:
        self.by_address = dict(by_address or {})
        self.problem: WeirError | None = None
        """What every question is answered with, where it is set."""

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        if self.problem is not None:
            raise self.problem
        acls = self.by_address.get(bootstrap[0], BrokerAcls(AclsKnown.NO_AUTHORIZER))
        kept = tuple(sorted(acls.acls))
        return replace(acls, acls=kept[:MOST], left_out=max(0, len(kept) - MOST))
