"""ACLs of clusters from memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.broker_acls import MOST, BrokerAcl, BrokerAcls
from catalog.errors import WeirError
from catalog.topic_details import AclsKnown


class Killed(BaseException):
    """The process ended: nothing that comes after it is done."""


class MemoryAcls:
    """Implements `AclReader` and `AclWriter`: each address has the ACLs that it is given."""

    def __init__(self, by_address: Mapping[str, BrokerAcls] | None = None) -> None:
        self.by_address = dict(by_address or {})
        self.problem: WeirError | None = None
        """What every question is answered with, where it is set."""
        self.refused: dict[BrokerAcl, str] = {}
        """ACLs that the brokers do not take, with the reason."""
        self.after: int | None = None
        """After so many changed ACLs `ends` is raised; None: never."""
        self.ends: BaseException = Killed()
        self.changed: list[tuple[str, BrokerAcl]] = []
        """("create" or "delete", ACL) in the order in which they were done."""

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        if self.problem is not None:
            raise self.problem
        acls = self.by_address.get(bootstrap[0], BrokerAcls(AclsKnown.NO_AUTHORIZER))
        kept = tuple(sorted(acls.acls))
        return replace(acls, acls=kept[:MOST], left_out=max(0, len(kept) - MOST))

    def create(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._change("create", bootstrap, acls)

    def delete(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._change("delete", bootstrap, acls)

    def _change(self, word: str, bootstrap: Sequence[str], acls: Sequence[BrokerAcl]) -> Mapping[BrokerAcl, str]:
        if self.problem is not None:
            raise self.problem
        for acl in acls:
            if self.after is not None and len(self.changed) >= self.after:
                raise self.ends
            if acl in self.refused:
                continue
            known = self.by_address[bootstrap[0]]
            kept = {*known.acls, acl} if word == "create" else set(known.acls) - {acl}
            self.by_address[bootstrap[0]] = replace(known, acls=tuple(sorted(kept)))
            self.changed.append((word, acl))
        return {acl: self.refused[acl] for acl in acls if acl in self.refused}
