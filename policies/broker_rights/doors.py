"""Ways around the brokers: connectors that write unmasked, and servers that let anybody in. Findings about them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from catalog.broker_acls import printable
from catalog.server_doors import Door, ServerDoor
from policies.broker_rights.findings import Finding, Kind, Severity, severity_of
from policies.broker_rights.rows import Personal

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class UnmaskedField:
    """A field that a connector writes with more than an ordinary reader sees.

    place    its path in the topic; mask: what the reader sees of it
    weaker   the setting that hides a part of it, and less than the mask
    missed   settings that name it and do not reach it, in sentences
    unknown  transforms of which it is not known whether they mask it
    """

    place: str
    mask: str
    personal: Personal
    weaker: str | None = None
    missed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def of_source(cluster: str, reference: str, connector: str, fields: Sequence[UnmaskedField]) -> Iterator[Finding]:
    """A finding about the fields of one topic that a connector leaves unmasked; none where there are no such fields."""
    if not fields:
        return
    name = printable(connector)
    unsure = all(each.unknown for each in fields)
    ranked = [each for each in Personal if any(field.personal is each for field in fields)]
    severity = Severity.MEDIUM if unsure and ranked[0] is Personal.YES else severity_of(ranked[0])
    masks = ", ".join(sorted({each.mask for each in fields}))
    why = list(dict.fromkeys(_reasons(fields)))
    more = f"; and {len(why) - 3} more reasons" if len(why) > 3 else ""
    reasons = f" {'; '.join(why[:3])}{more}." if why else ""
    yield Finding(
        Kind.UNMASKED_AT_SOURCE,
        severity,
        cluster,
        f"The connector {name} {'may write' if unsure else 'writes'} {_listed([each.place for each in fields])} of"
        f" {reference} with more than an ordinary reader sees ({masks}).{reasons}",
        f"Mask them at the source: weir connector mask {reference} prints the settings. Or keep readers of the topic to those who"
        " may see them.",
        reference,
    )


def _reasons(fields: Iterable[UnmaskedField]) -> Iterator[str]:
    for each in fields:
        if each.weaker:
            yield f"{each.weaker} hides less than {each.mask}"
        yield from each.missed
        yield from (f"What {transform} does to fields is not known" for transform in each.unknown)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def of_server(cluster: str, door: ServerDoor, worst: Personal) -> Iterator[Finding]:
    """A finding about a server that lets somebody in without credentials."""
    if Door.OPEN not in (door.reads, door.writes):
        return
    asked = ", ".join(door.evidence)
    changes = door.writes is Door.OPEN
    severity = Severity.HIGH if changes and worst is Personal.YES else Severity.MEDIUM
    if door.kind == "registry":
        may = "read and change schemas" if changes else "read schemas"
        unless = ", unless roles that it does not show forbid the change" if changes and door.roles_unknown else ""
        yield Finding(
            Kind.OPEN_REGISTRY,
            severity if changes else Severity.LOW,
            cluster,
            f"Anyone who reaches the schema registry of {cluster} ({door.url}) may {may}{unless}: it answers without credentials"
            f" ({asked}). A schema that is changed stops readers, and hides or shows fields to Weir.",
            "Have the registry ask for credentials (Apicurio: quarkus.oidc or basic authentication with roles; Confluent:"
            " authentication.method), and declare schemaRegistry: {username, password}.",
        )
        return
    may = (
        "read the configurations of connectors and make connectors"
        if changes
        else "read the configurations of connectors"
    )
    yield Finding(
        Kind.OPEN_CONNECT,
        severity,
        cluster,
        f"Anyone who reaches the Kafka Connect of {cluster} ({door.url}) may {may}: it answers without credentials ({asked})."
        " A connector reads and writes every topic that its worker may, past masks and ACLs of people.",
        "Have the worker ask for credentials (rest.extension.classes: BasicAuthSecurityRestExtension, or a proxy before it), and"
        " declare connect: {username, password}.",
    )
