"""Settings of a source that mask at least as much as an ordinary reader of its topics sees masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from connectors.source_masks.columns import column_of, entries, is_debezium, is_mongodb, table_of
from connectors.source_masks.fields import MaskedField
from connectors.source_masks.leaks import is_wrapped, names_in_record
from connectors.source_masks.transforms import transforms_of, unwraps

SALT = "${WEIR_SECRET_MASK_SALT}"
"""In the place of the salt, which is a secret, in a setting's name."""
_HASH = f"column.mask.hash.v2.SHA-256.with.salt.{SALT}"
_CHARS = "column.mask.with.10.chars"
_EXCLUDE, _DOCUMENT = "column.exclude.list", "field.exclude.list"
_MASK_FIELD = "org.apache.kafka.connect.transforms.MaskField$Value"
_REPLACE_FIELD = "org.apache.kafka.connect.transforms.ReplaceField$Value"
_KEYED = ("MASK_HASH", "TOKEN")


@dataclass(frozen=True, slots=True)
class SourceMask:
    """What is done with one field.

    setting  the setting that masks it; None: none can
    exact    it does what the mask does
    note     where it is not exact: what differs, and what is nearest
    """

    topic: str
    field: MaskedField
    setting: str | None
    exact: bool
    note: str = ""


@dataclass(frozen=True)
class SourceMasks:
    """Settings to paste into the configuration of a source, and what each field comes to.

    properties  in the words of Kafka Connect; `SALT` is in the place of a secret
    """

    properties: Mapping[str, str]
    masks: Sequence[SourceMask] = ()
    salted: bool = False


@dataclass
class _Lists:
    """The entries of each list setting, without repeats."""

    of: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, setting: str, entry: str) -> None:
        self.of.setdefault(setting, {})[entry] = None


def compiled(config: Mapping[str, str], topics: Mapping[str, Iterable[MaskedField]], own: bool) -> SourceMasks:
    """The settings for the masked fields of the topics of a source connector.

    own  the settings keep what the lists have, and the transforms, as the caller may see these
    """
    lists = _Lists()
    masks: list[SourceMask] = []
    for topic, given in sorted(topics.items()):
        fields = list(given)
        wrapped = is_wrapped(fields)
        for each in fields:
            names = names_in_record(each, wrapped)
            masks.append(_mask(config, topic, each, names, lists))
    settings = {key: list(each) for key, each in lists.of.items() if not key.startswith("transforms.")}
    properties = {
        key: ",".join(dict.fromkeys([*(_kept(config, key) if own else ()), *each])) for key, each in settings.items()
    }
    properties |= _transforms(config, lists, own)
    return SourceMasks(dict(sorted(properties.items())), masks, any(SALT in key for key in properties))


def _kept(config: Mapping[str, str], key: str) -> list[str]:
    return [each.replace(",", "\\,") for each in entries(config.get(key, ""))]


def _transforms(config: Mapping[str, str], lists: _Lists, own: bool) -> dict[str, str]:
    """The transforms that mask, behind those that are there."""
    properties: dict[str, str] = {}
    aliases = [each.alias for each in transforms_of(config)] if own else []
    for alias, kind, key in (("weirMask", _MASK_FIELD, "fields"), ("weirDrop", _REPLACE_FIELD, "exclude")):
        names = lists.of.get(f"transforms.{alias}.{key}")
        if names:
            properties[f"transforms.{alias}.type"] = kind
            properties[f"transforms.{alias}.{key}"] = ",".join(names)
            aliases = [*(each for each in aliases if each != alias), alias]
    if properties:
        properties["transforms"] = ",".join(aliases)
    return properties


def _mask(
    config: Mapping[str, str], topic: str, each: MaskedField, names: tuple[str, ...], lists: _Lists
) -> SourceMask:
    if each.path.root == "key":
        return SourceMask(
            topic,
            each,
            None,
            False,
            f"A source cannot express {each.mask} of {each.path}: no setting of columns reaches keys, and a masked key would give"
            " every row the same one. Nearest: message.key.columns with a column that may be seen.",
        )
    if each.path.root == "headers" or not names:
        return SourceMask(
            topic, each, None, False, f"A source cannot express {each.mask} of {each.path}: name its fields."
        )
    if is_debezium(config):
        column = names if unwraps(config) else names[1:] if names[0] in ("before", "after") else ()
        if column and table_of(config, topic) is not None:
            return _by_column(config, topic, each, column, lists)
    if len(names) == 1 and "," not in names[0] and names[0] == names[0].strip():
        return _by_transform(topic, each, names[0], lists)
    return SourceMask(
        topic,
        each,
        None,
        False,
        f"A source cannot express {each.mask} of {each.path}: MaskField and ReplaceField reach top-level fields alone. Nearest:"
        f" Flatten$Value before them, or ReplaceField$Value with exclude {names[0]}, which drops all of it.",
    )


def _by_column(
    config: Mapping[str, str], topic: str, each: MaskedField, names: tuple[str, ...], lists: _Lists
) -> SourceMask:
    if is_mongodb(config):
        lists.add(_DOCUMENT, ".".join((*(table_of(config, topic) or ()), *names)))
        note = "" if each.mask == "DROP" else _nearest(each, f"{_DOCUMENT}, which drops the field")
        return SourceMask(topic, each, _DOCUMENT, each.mask == "DROP", note)
    column = column_of(config, topic, names[0])
    assert column is not None  # the table is known
    setting, note = _setting(each, len(names) == 1)
    lists.add(setting, _pattern(column.spellings[0]))
    return SourceMask(topic, each, setting, not note, note)


def _setting(each: MaskedField, whole_column: bool) -> tuple[str, str]:
    """The setting for a column, and what differs from the mask."""
    if each.mask == "DROP":
        return _EXCLUDE, "" if whole_column else _nearest(each, f"{_EXCLUDE}, which drops the whole column")
    if each.text is False or not whole_column:
        return _EXCLUDE, _nearest(each, f"{_EXCLUDE}, as Debezium masks text columns alone")
    if each.mask in _KEYED:
        return _HASH, (
            f"{each.mask} of {each.path} becomes a hash by this salt: equal values stay equal, and differ from those of Weir."
        )
    if each.shows:
        return f"column.truncate.to.{each.shows}.chars", (
            f"{each.mask} of {each.path} is cut to {each.shows} characters; a text no longer than that shows whole, which Weir"
            f" hides. Nearest that hides it: {_CHARS}."
        )
    if each.mask == "MASK":
        return _CHARS, f"MASK of {each.path} becomes ten asterisks: the length and shape of the text are hidden, too."
    return _CHARS, _nearest(each, f"{_CHARS}, which hides the whole value")


def _by_transform(topic: str, each: MaskedField, name: str, lists: _Lists) -> SourceMask:
    if each.mask == "DROP":
        lists.add("transforms.weirDrop.exclude", name)
        return SourceMask(topic, each, "transforms.weirDrop", True)
    lists.add("transforms.weirMask.fields", name)
    note = _nearest(each, "MaskField, which gives every record an empty text, 0 or false")
    return SourceMask(topic, each, "transforms.weirMask", False, note)


def _nearest(each: MaskedField, what: str) -> str:
    return f"A source cannot express {each.mask} of {each.path}. Nearest: {what}."


def _pattern(name: str) -> str:
    """A name as a pattern of Java, in a list that commas part."""
    return re.sub(r"[^\w]", lambda match: "\\" + match.group(), name)
