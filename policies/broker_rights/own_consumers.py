"""Which Kafka consumer a request is for, and whether the requester may ask for it. Pure."""

from __future__ import annotations

from catalog.errors import Conflict, InvalidInput, NotAllowed
from policies.access_request import Consumer
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Principals
from policies.declared.principal_specs import KIND_WORDS
from policies.declared.view import View
from policies.matching import dataset_matches
from policies.model import DatasetFacts, Subject
from policies.spellings import same_person

_FIELD = {"field": "consumer"}


def dataset_cluster(facts: DatasetFacts) -> str:
    """The name of the cluster of a dataset that a consumer can read. Raises InvalidInput for a stream view."""
    if facts.sources:
        raise InvalidInput(
            f"{facts.reference} is a stream view, and consumers are let read topics; ask for the topics that it comes from, or"
            " read it through Weir.",
            details={"field": "dataset"},
        )
    return facts.reference.partition("/")[0]


def own_consumer(view: View, subject: Subject, facts: DatasetFacts, name: str, manages: bool) -> Consumer:
    """The consumer of a name: a principal with or without `User:`, a document of kind Principal, or a consumer group.

    Raises InvalidInput for one that is not known, Conflict where it is two people, NotAllowed where it is not the caller's.
    """
    cluster = dataset_cluster(facts)
    principal = consumer_named(view, cluster, name)
    if principal.mapping is MappingState.AMBIGUOUS:
        raise Conflict(
            f"{principal.principal} cannot read by a request: {principal.note}",
            details={"principal": principal.principal},
        )
    if principal.mapping is not MappingState.MAPPED or principal.who is None:
        hint = principal.note or f"No document of kind Principal about {cluster} maps it to anybody."
        raise InvalidInput(
            f"{name[:200]!r} is not a known consumer at {cluster}. {hint} Somebody who manages declares it"
            " (docs/how-to/rights.md).",
            details=_FIELD,
        )
    kind, person = principal.who
    if not manages and not _is_own(view, subject, kind, person):
        raise NotAllowed(
            f"{principal.principal} is the {KIND_WORDS[kind]} {person}; a consumer is asked for by whom it is, by the owner of the"
            " service account, or by a manager.",
            details={"reasons": ["not the caller's consumer"], "principal": principal.principal},
        )
    return Consumer(principal.principal, kind, person)


def consumer_named(view: View, cluster: str, name: str) -> BrokerPrincipal:
    """The principal that a name means; one of no document where it means none. Raises Conflict where it means several."""
    principals = Principals(view, cluster)
    spelled = name if ":" in name else f"User:{name}"
    by_name = principals.of(spelled)
    if by_name.mapping is not MappingState.UNMAPPED or by_name.by:
        return by_name
    specs = {key: spec for key, spec in view.principals.items() if spec.about(cluster) and spec.principals}
    documents = [specs[name]] if name in specs else []
    documents = documents or [
        spec for spec in specs.values() if any(dataset_matches(pattern, name) for pattern in spec.consumer_groups)
    ]
    listed = sorted({principal for spec in documents for principal in spec.principals})
    if len(listed) > 1:
        raise Conflict(
            f"{name[:200]!r} means several principals ({', '.join(listed[:5])}); name one of them.", details=_FIELD
        )
    return principals.of(listed[0]) if listed else by_name


def _is_own(view: View, subject: Subject, kind: str, name: str) -> bool:
    if kind == "user":
        return same_person(subject.user, name)
    if kind == "group":
        return name in subject.groups
    owner = view.services[name].owner if name in view.services else ""
    return subject.user == name or (bool(owner) and (same_person(subject.user, owner) or owner in subject.groups))
