"""What the demo knows beforehand, to hold Weir's answers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from api.demo.generator import SEED, UNTIL
from api.demo.plan import Planted
from api.demo.world import World
from catalog.paths import FieldPath, StepKind


@cache
def known_addresses() -> frozenset[str]:
    """Every customer's e-mail address as the records have it."""
    return frozenset(person.email for person in World(SEED, UNTIL).customers)


def same_place(planted: str, path: str) -> bool:
    """True when a report's path names the planted place.

    A map may be seen as a struct (`attributes.contact`) or as a whole (`attributes{}`), and JSON in a string may be
    opened (`payload.mail`): all of these name the place.
    """
    want, have = FieldPath.parse(planted), FieldPath.parse(path)
    if want == have:
        return True
    if want.root != have.root or not want.steps or not have.steps:
        return False
    if want.contains(have) or (have.contains(want) and have.steps[-1].kind is StepKind.VALUES):
        return True
    return want.names == have.names


def missed(planted: Sequence[Planted], detections: Iterable[Mapping[str, Any]]) -> list[Planted]:
    """The planted places that are not among `detections` ({name, path, entity, state}); a rejected one does not count."""
    there = [(item["name"], item["path"], item["entity"]) for item in detections if item.get("state") != "rejected"]
    return [
        place
        for place in planted
        if not any(
            name == place.topic and entity == place.entity and same_place(place.path, path)
            for name, path, entity in there
        )
    ]
