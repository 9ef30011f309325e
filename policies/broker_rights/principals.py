"""Whose a principal of Kafka is: declared, by a rule, unmapped with suggestions, or two at once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from catalog.broker_acls import EVERYONE
from policies.declared.principal_specs import KIND_WORDS, PrincipalSpec, SubjectKind, name_by_rule
from policies.declared.view import View
from policies.matching import dataset_matches

Who = tuple[SubjectKind, str]
"""Kind and name of a person, group or program."""
_MOST_SUGGESTIONS = 3


class MappingState(StrEnum):
    """How much is known of whose a principal is."""

    MAPPED = "mapped"
    UNMAPPED = "unmapped"
    AMBIGUOUS = "ambiguous"
    EVERYONE = "everyone"
    WEIR = "weir"


@dataclass(frozen=True, slots=True)
class BrokerPrincipal:
    """A principal, and who it is.

    who          None unless it is mapped
    by           the documents that name it, or whose rules fit
    claims       the persons, groups and programs that documents give, where there are several
    suggestions  of an unmapped one: people, programs and groups of the same name
    note         why it is not mapped, in a sentence
    """

    principal: str
    mapping: MappingState
    who: Who | None = None
    by: tuple[str, ...] = ()
    claims: tuple[Who, ...] = ()
    suggestions: tuple[Who, ...] = ()
    note: str | None = None
    specs: tuple[PrincipalSpec, ...] = ()

    def reads_with(self, group: str, clients: Iterable[str]) -> bool:
        """Whether by a document the principal reads with a group, or by one of these client ids."""
        return any(
            any(dataset_matches(pattern, group) for pattern in spec.consumer_groups)
            or any(dataset_matches(pattern, client) for pattern in spec.client_ids for client in clients)
            for spec in self.specs
        )

    def produces(self, reference: str) -> bool:
        """Whether by a document the principal writes a dataset."""
        return any(dataset_matches(pattern, reference) for spec in self.specs for pattern in spec.produces)


class Principals:
    """Who the principals of one cluster are, by the declared documents about any of its names."""

    def __init__(self, view: View, *clusters: str, own: str | None = None) -> None:
        """`own`: the principal that Weir signs in with."""
        self._view, self._own = view, own
        specs = sorted(view.principals.items())
        self._specs = {name: spec for name, spec in specs if any(spec.about(each) for each in clusters)}
        self._by_name: dict[str, list[str]] = {}
        for name, spec in self._specs.items():
            for principal in spec.principals:
                self._by_name.setdefault(principal, []).append(name)
        self._rules = [(name, rule) for name, spec in self._specs.items() for rule in spec.rules]
        self._same = _by_folded_name(view)

    @property
    def declared(self) -> Iterable[str]:
        """Principals that documents list."""
        return self._by_name.keys()

    def of(self, principal: str) -> BrokerPrincipal:
        """Who a principal is."""
        if principal == EVERYONE:
            return BrokerPrincipal(principal, MappingState.EVERYONE)
        documents = self._by_name.get(principal, [])
        if documents:
            claims = dict.fromkeys(self._subject(name) for name in documents)
            return self._result(principal, claims, documents, tuple(self._specs[name] for name in documents))
        if principal == self._own:
            return BrokerPrincipal(principal, MappingState.WEIR)
        by_rules = self._by_rules(principal.partition(":")[2])
        if by_rules:
            known = {name: who for name, who in by_rules.items() if self._exists(who)}
            if not known:
                name, (kind, who) = next(iter(by_rules.items()))
                note = (
                    f"A rule of the document {name} gives the {KIND_WORDS[kind]} {who}, and there is none of this name."
                )
                return BrokerPrincipal(
                    principal, MappingState.UNMAPPED, by=(name,), note=note, suggestions=self._suggestions(principal)
                )
            return self._result(principal, dict.fromkeys(known.values()), list(known), ())
        return BrokerPrincipal(principal, MappingState.UNMAPPED, suggestions=self._suggestions(principal))

    def _result(
        self,
        principal: str,
        claims: Mapping[Who, None],
        documents: list[str],
        specs: tuple[PrincipalSpec, ...],
    ) -> BrokerPrincipal:
        if len(claims) == 1:
            return BrokerPrincipal(principal, MappingState.MAPPED, next(iter(claims)), tuple(documents), specs=specs)
        named = " and ".join(f"the {KIND_WORDS[kind]} {name}" for kind, name in claims)
        note = f"By the documents {', '.join(documents)} it is {named}; a principal is one, so none of them counts."
        return BrokerPrincipal(principal, MappingState.AMBIGUOUS, by=tuple(documents), claims=tuple(claims), note=note)

    def _by_rules(self, name: str) -> dict[str, Who]:
        """Document -> what its first rule that fits gives."""
        results: dict[str, Who] = {}
        for document, rule in self._rules:
            if document not in results and (given := name_by_rule(rule.rule, name)):
                results[document] = (rule.gives, given)
        return results

    def _subject(self, document: str) -> Who:
        subject = self._specs[document].subject
        assert subject is not None  # a spec with principals has one
        return subject.who

    def _exists(self, who: Who) -> bool:
        kind, name = who
        if kind == "group":
            return self._view.has_group(name)
        return (
            name in self._view.services
            if kind == "serviceAccount"
            else name in self._view.people - set(self._view.services)
        )

    def _suggestions(self, principal: str) -> tuple[Who, ...]:
        """Those whose name is that of the principal, of its common name, or of its address before the @, in any letters."""
        names = dict.fromkeys(each.casefold() for each in _spellings(principal.partition(":")[2]))
        return tuple(dict.fromkeys(who for name in names for who in self._same.get(name, ())))[:_MOST_SUGGESTIONS]


def _by_folded_name(view: View) -> Mapping[str, list[Who]]:
    by: dict[str, list[Who]] = {}
    for name in sorted(view.services):
        by.setdefault(name.casefold(), []).append(("serviceAccount", name))
    for name in sorted(view.people - set(view.services)):
        by.setdefault(name.casefold(), []).append(("user", name))
    for name in sorted({*view.groups, *view.directory_groups()}):
        if view.has_group(name):
            by.setdefault(name.casefold(), []).append(("group", name))
    return by


def _spellings(name: str) -> Iterable[str]:
    yield name
    for part in name.split(","):
        key, equals, value = part.strip().partition("=")
        if equals and key.strip().upper() in ("CN", "UID"):
            yield value.strip()
    if "@" in name:
        yield name.partition("@")[0]
    if "/" in name:  # Kerberos: primary/instance@REALM
        yield name.partition("/")[0]
