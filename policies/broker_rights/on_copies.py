"""ACLs on masked copies that Weir did not make: whether one opens a copy to a principal that may not read it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from catalog.broker_acls import WILDCARD, BrokerAcl, Pattern
from policies.broker_rights.copies import MaskedCopy
from policies.broker_rights.requested import Reads, RequestedRead

MayNot = Callable[[str, str], bool]
"""Whether a principal may not read a topic whole."""


class OnCopies:
    """The copies of a cluster with who reads each."""

    def __init__(
        self,
        copies: Iterable[MaskedCopy],
        requested: Iterable[RequestedRead],
        topics: Collection[str],
        may_not: MayNot,
    ) -> None:
        """`topics`: those that are decided on; a copy of another one is left out."""
        self._copies = [each for each in copies if _topic(each.source) in topics]
        self._readers = {(each.principal, each.topic) for each in requested if each.reads is Reads.COPY}
        self._may_not = may_not

    def opened(self, acl: BrokerAcl) -> MaskedCopy | None:
        """A copy that an ACL opens to a principal that neither reads it by a request nor may read all of its topic."""
        return next((each for each in self._covered(acl) if self._is_past(acl.principal, each)), None)

    def _covered(self, acl: BrokerAcl) -> Iterator[MaskedCopy]:
        whole = acl.pattern is Pattern.LITERAL and acl.name != WILDCARD
        begin = "" if acl.name == WILDCARD else acl.name
        return (each for each in self._copies if (each.topic == acl.name if whole else each.topic.startswith(begin)))

    def _is_past(self, principal: str, copy: MaskedCopy) -> bool:
        return (principal, copy.topic) not in self._readers and self._may_not(principal, _topic(copy.source))


def _topic(reference: str) -> str:
    return reference.partition("/")[2]
