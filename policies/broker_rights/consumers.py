"""Which principals are to read which topics as consumers: by their documents, by grants, by ACLs that were adopted. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from catalog.broker_acls import WILDCARD, BrokerAcl, Pattern
from policies.broker_rights.granted import Holders
from policies.broker_rights.principals import BrokerPrincipal, MappingState
from policies.matching import EVERYTHING, dataset_matches, is_active, resolve
from policies.model import Grant

Key = tuple[str, str]
"""("user", name), ("group", name) or ("role", name)."""


class ActiveGrants:
    """The grants that are active at a moment, by what they open; one walk over them serves every topic."""

    def __init__(self, grants: Iterable[Grant], at: datetime) -> None:
        self._named: dict[str, list[Grant]] = defaultdict(list)
        self._patterns: list[Grant] = []
        for grant in grants:
            if is_active(grant, at):
                (self._patterns if EVERYTHING in grant.dataset else self._named[grant.dataset]).append(grant)

    def about(self, reference: str) -> list[Grant]:
        """Those that open something of a dataset."""
        consumers = list(self._named.get(reference, ()))
        return consumers + [grant for grant in self._patterns if dataset_matches(grant.dataset, reference)]


class Consumers:
    """Who is to read a topic. Whether they may is decided elsewhere."""

    def __init__(
        self,
        reference: Callable[[str], str],
        principals: Iterable[BrokerPrincipal],
        holders: Holders,
        grants: ActiveGrants,
        adopted: Iterable[BrokerAcl],
        copies: Mapping[str, str],
    ) -> None:
        """`reference`: topic -> its dataset; `adopted`: ACLs to READ topics that were adopted; `copies`: topic -> its copy."""
        self._reference, self._grants = reference, grants
        self._source_of: dict[str, list[str]] = defaultdict(list)
        for topic, copy in copies.items():
            self._source_of[copy].append(topic)
        self._exact: dict[str, set[str]] = defaultdict(set)
        self._begins: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._by_key: dict[Key, set[str]] = defaultdict(set)
        for each in principals:
            if each.mapping is MappingState.MAPPED:
                self._add(each, holders)
        self._lengths = sorted({len(begin) for begin in self._begins})
        self._adopted = _Covering(adopted)

    def _add(self, each: BrokerPrincipal, holders: Holders) -> None:
        for spec in each.specs:
            for pattern in spec.consumes:
                if EVERYTHING in pattern:
                    self._begins[pattern.partition(EVERYTHING)[0]].append((pattern, each.principal))
                else:
                    self._exact[pattern].add(each.principal)
        assert each.who is not None  # it is mapped
        roles = holders.moment.view.roles
        for subject in holders.of(each.who)[0]:
            keys: list[Key] = [("group", name) for name in subject.groups]
            keys += [("role", name) for name in resolve(subject, roles).roles]
            for key in [*keys, *([("user", subject.user)] if subject.user else [])]:
                self._by_key[key].add(each.principal)

    def of(self, topic: str) -> set[str]:
        """The principals that are to read a topic, or the topic that it is a masked copy of."""
        principals = self._of(topic)
        for source in self._source_of.get(topic, ()):
            principals |= self._of(source)
        return principals

    def _of(self, topic: str) -> set[str]:
        reference = self._reference(topic)
        consumers = set(self._exact.get(reference, ()))
        for length in self._lengths:
            if length > len(reference):
                break
            for pattern, principal in self._begins.get(reference[:length], ()):
                if principal not in consumers and dataset_matches(pattern, reference):
                    consumers.add(principal)
        for grant in self._grants.about(reference):
            if grant.consumer is not None:
                consumers.add(grant.consumer)
                continue
            match = grant.subject
            for kind, names in (("user", match.users), ("group", match.groups), ("role", match.roles)):
                for name in names:
                    consumers |= self._by_key.get((kind, name), set())
        return consumers | {acl.principal for acl in self._adopted.of(topic)}

    def adopted(self, topic: str) -> Iterator[BrokerAcl]:
        """The adopted ACLs that open a topic."""
        return self._adopted.of(topic)


class _Covering:
    """ACLs by the topics that they open."""

    def __init__(self, acls: Iterable[BrokerAcl]) -> None:
        self._literal: dict[str, list[BrokerAcl]] = defaultdict(list)
        self._prefixed: dict[str, list[BrokerAcl]] = defaultdict(list)
        for acl in acls:
            (self._literal if acl.pattern is Pattern.LITERAL else self._prefixed)[acl.name].append(acl)
        self._lengths: Sequence[int] = sorted({len(name) for name in self._prefixed})

    def of(self, topic: str) -> Iterator[BrokerAcl]:
        yield from self._literal.get(topic, ())
        yield from self._literal.get(WILDCARD, ())
        for length in self._lengths:
            if length <= len(topic):
                yield from self._prefixed.get(topic[:length], ())
