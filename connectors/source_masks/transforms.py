"""The transforms of a connector, walked backwards: from a field of the topic to the record that the connector made.

Known are those of Kafka and Debezium that move, rename, drop or mask fields. Of any other one it is not known what it does, and it
is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import re2

from connectors.source_masks.fields import WHOLE, Hidden

Names = tuple[str, ...]
_KAFKA = "org.apache.kafka.connect.transforms."
_UNWRAP = "io.debezium.transforms.ExtractNewRecordState"
_KEEP_FIELDS = frozenset(
    {
        "RegexRouter",
        "TimestampRouter",
        "SetSchemaMetadata",
        "Cast",
        "TimestampConverter",
        "InsertField",
        "Filter",
        "DropHeaders",
        "InsertHeader",
        "HeaderFrom",
        "ByLogicalTableRouter",
        "ContentBasedRouter",
        "PartitionRouting",
    }
)
"""Transforms that leave the names and the values of other fields as they are."""
_ROUTERS = ("RegexRouter", "TimestampRouter", "ByLogicalTableRouter", "ContentBasedRouter")


@dataclass(frozen=True, slots=True)
class Transform:
    """One transform. `kind`: last part of its class; `part`: key or value, None: both or neither."""

    alias: str
    kind: str
    part: str | None
    config: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def named(self) -> str:
        """As in `transforms.mask (MaskField)`."""
        return f"transforms.{self.alias} ({self.kind})"

    def listed(self, *keys: str) -> tuple[str, ...]:
        """The entries of the first of some keys that is set."""
        text = next((self.config[key] for key in keys if self.config.get(key)), "")
        return tuple(each.strip() for each in text.split(",") if each.strip())


@dataclass
class Way:
    """How a field came to the topic.

    names    where it was in the record that the connector made; None: it was not there
    part     key or value
    hidden   what the transforms do to it
    missed   transforms that name it and do not reach it, in sentences
    unknown  transforms of which it is not known what they do
    """

    part: str
    names: Names | None
    hidden: Hidden | None = None
    missed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def transforms_of(config: Mapping[str, str]) -> Sequence[Transform]:
    """The transforms of a configuration, in the order in which they work."""
    chain = []
    for alias in (each.strip() for each in config.get("transforms", "").split(",")):
        if not alias:
            continue
        prefix = f"transforms.{alias}."
        own = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
        name, _, part = own.pop("type", "").partition("$")
        known = name.startswith(_KAFKA) or name.startswith("io.debezium.transforms.")
        kind = name.rpartition(".")[2] if known else name or "without a type"
        chain.append(Transform(alias, kind, part.lower() if part in ("Key", "Value") else None, own))
    return chain


def is_routed(config: Mapping[str, str]) -> bool:
    """Whether a transform may give records another topic."""
    return any(each.kind in _ROUTERS for each in transforms_of(config))


def unwraps(config: Mapping[str, str]) -> bool:
    """Whether a Debezium record loses its envelope."""
    return any(each.kind == "ExtractNewRecordState" for each in transforms_of(config))


def way_of(config: Mapping[str, str], topic: str, part: str, names: Names) -> Way:
    """How the field `names` of the key or value of a topic came there."""
    way = Way(part, names)
    for each in reversed(transforms_of(config)):
        if way.hidden is not None or way.names is None:
            break
        if each.part is not None and each.part != way.part and each.kind != "ValueToKey":
            continue
        only = _only_some(each, config, topic)
        if only == "":
            continue
        _back(way, each, only)
    return way


def _back(way: Way, each: Transform, only: str | None) -> None:
    """One transform backwards. `only`: in which records it works, where these are not all."""
    names = way.names
    assert names is not None
    match each.kind:
        case "MaskField":
            _masked(way, each, each.listed("fields"), only)
        case "ReplaceField":
            renamed = {new: old for old, _, new in (pair.partition(":") for pair in each.listed("renames"))}
            if names and names[0] in renamed and only is None:
                way.names = names = (renamed[names[0]], *names[1:])
            kept = each.listed("include", "whitelist")
            if kept and names and names[0] not in kept and only is None:
                way.hidden = Hidden(each.named, WHOLE)
            else:
                _masked(way, each, each.listed("exclude", "blacklist"), only)
        case "Flatten":
            way.names = _unflattened(names, each.config.get("delimiter", "."))
        case "ExtractField":
            way.names = (*each.config.get("field", "").split("."), *names)
        case "HoistField":
            way.names = names[1:] if names[:1] == (each.config.get("field", ""),) else None
        case "ValueToKey":
            way.part = "value" if way.part == "key" else way.part
        case "ExtractNewRecordState":
            if way.part == "value":
                way.names = ("after", *names)
        case kind if kind not in _KEEP_FIELDS:
            way.unknown.append(each.named)


def _masked(way: Way, each: Transform, fields: Sequence[str], only: str | None) -> None:
    names = way.names
    if not names:
        return
    if names[0] in fields:
        if only is None:
            way.hidden = Hidden(each.named, WHOLE)
        else:
            way.missed.append(f"{each.named} works {only}")
    elif len(names) > 1 and (names[-1] in fields or ".".join(names) in fields):
        way.missed.append(f"{each.named} names fields that are nested there, and reaches top-level fields alone")


def _unflattened(names: Names, delimiter: str) -> Names:
    """The names before Flatten joined them. Of an envelope the first is known; others are taken apart at each delimiter."""
    if len(names) != 1 or not delimiter:
        return names
    for first in ("before", "after", "source"):
        if names[0].startswith(first + delimiter):
            return first, names[0].removeprefix(first + delimiter)
    return tuple(names[0].split(delimiter))


def _only_some(each: Transform, config: Mapping[str, str], topic: str) -> str | None:
    """In which records a transform works, in words; "" for none of the topic, None for all."""
    predicate = each.config.get("predicate")
    if not predicate:
        return None
    negated = each.config.get("negate", "false").strip().lower() == "true"
    kind = config.get(f"predicates.{predicate}.type", "").rpartition(".")[2]
    if kind == "RecordIsTombstone":
        return None if negated else ""
    if kind == "TopicNameMatches" and not is_routed(config):
        fits = fitting(config.get(f"predicates.{predicate}.pattern", ""), topic)
        if fits is not None:
            return None if fits is not negated else ""
    return f"only where the predicate {predicate} {'does not hold' if negated else 'holds'}"


def fitting(pattern: str, text: str, any_case: bool = False) -> bool | None:
    """Whether a pattern of Java fits the whole text; None where it cannot be read here."""
    try:
        return _compiled(pattern, any_case).fullmatch(text) is not None
    except re2.error:
        return None


@lru_cache(maxsize=4096)
def _compiled(pattern: str, any_case: bool) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not any_case
    return re2.compile(pattern, options)
