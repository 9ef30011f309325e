"""Settings of Debezium about columns: which of them reaches a column, and what it does to it.

Debezium 3.2 masks, hashes and cuts values of text columns alone; of others these settings leave the value as it is. None of them
reaches the key of a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from connectors.secret_texts import salt_of, shown_key
from connectors.source_masks.fields import HASHED, WHOLE, Hidden
from connectors.source_masks.transforms import fitting, is_routed

DEBEZIUM = "io.debezium.connector."
_CHARS = re.compile(r"column\.mask\.with\.(?P<count>\d+)\.chars")
_CUT = re.compile(r"column\.truncate\.to\.(?P<count>\d+)\.chars")
_ENTRY = re.compile(r"(?:[^\\,]|\\.|\\\Z)+", re.S)


@dataclass(frozen=True, slots=True)
class Column:
    """A column as settings name it: all spellings of `schema.table.column` that Debezium may take."""

    spellings: tuple[str, ...]
    name: str


def is_debezium(config: Mapping[str, str]) -> bool:
    """Whether a connector is one of Debezium."""
    return config.get("connector.class", "").startswith(DEBEZIUM)


def is_mongodb(config: Mapping[str, str]) -> bool:
    """Whether it reads MongoDB, which has fields of documents and no columns."""
    return config.get("connector.class", "").startswith(f"{DEBEZIUM}mongodb.")


def table_of(config: Mapping[str, str], topic: str) -> tuple[str, ...] | None:
    """The parts of the name of the table that a topic has the changes of, `schema, table`; None where it is not known."""
    prefix = config.get("topic.prefix") or config.get("database.server.name") or ""
    rest = topic.removeprefix(f"{prefix}.")
    if rest == topic or is_routed(config):
        tables = [each.replace("\\", "") for each in entries(config.get("table.include.list", ""))]
        return tuple(tables[0].split(".")) if len(tables) == 1 and re.fullmatch(r"[\w.$]+", tables[0]) else None
    return tuple(rest.split("."))


def column_of(config: Mapping[str, str], topic: str, name: str) -> Column | None:
    """A column of the table behind a topic; None where the table is not known."""
    table = table_of(config, topic)
    if table is None:
        return None
    spellings = [".".join((*table[start:], name)) for start in range(max(1, len(table) - 1))]
    return Column(tuple(reversed(spellings)), name)


def entries(text: str) -> list[str]:
    """A list of patterns as Debezium reads it: parted by commas that no backslash is before."""
    parts = [match.group().replace("\\,", ",").strip() for match in _ENTRY.finditer(text)]
    return [each for each in parts if each]


def hidden_column(config: Mapping[str, str], column: Column, text: bool | None) -> tuple[Hidden | None, list[str]]:
    """What the settings do to a column: what hides most, and sentences on settings that name it and do not reach it."""
    reached: list[Hidden] = []
    missed: list[str] = []
    for setting, hidden, texts_only in _settings(config):
        fits = _fits(config[setting], column)
        named = shown_key(setting)
        if fits is None:
            missed.append(f"{named} has a pattern that cannot be read here")
        if setting in ("column.include.list", "column.whitelist"):
            if fits is False:
                reached.append(hidden)
        elif fits and texts_only and text is False:
            missed.append(f"{named} names columns of another type, and reaches text columns alone")
        elif fits and hidden.rank == HASHED and "${" in setting:
            missed.append(
                f"the salt of {named} is the text of a reference: Kafka Connect resolves references in values alone"
            )
        elif fits:
            reached.append(hidden)
    return max(reached, key=lambda each: each.rank, default=None), missed


def hidden_document_field(config: Mapping[str, str], topic: str, names: tuple[str, ...]) -> Hidden | None:
    """What the settings of Debezium for MongoDB do to a field of a document."""
    table = table_of(config, topic)
    for each in entries(config.get("field.exclude.list", "")):
        pattern = "[^.]*".join(re.escape(part) for part in each.split("*"))
        for length in range(1, len(names) + 1):
            if table is not None and fitting(pattern, ".".join((*table, *names[:length]))):
                return Hidden("field.exclude.list", WHOLE)
    return None


def _fits(text: str, column: Column) -> bool | None:
    """Whether a pattern of a list fits a column; None where none does that can be read, and one cannot."""
    results = [fitting(each, spelling, any_case=True) for each in entries(text) for spelling in column.spellings]
    return True if True in results else None if None in results else False


def _settings(config: Mapping[str, str]) -> Iterator[tuple[str, Hidden, bool]]:
    """(setting, what it does, whether to texts alone)."""
    for key in sorted(config):
        if key in ("column.exclude.list", "column.blacklist", "column.include.list", "column.whitelist"):
            yield key, Hidden(key, WHOLE), False
        elif match := _CUT.fullmatch(key):
            yield key, Hidden(key, 30, int(match["count"])), True
        elif _CHARS.fullmatch(key):
            yield key, Hidden(key, WHOLE), True
        elif salt_of(key) is not None:
            yield key, Hidden(shown_key(key), HASHED), True
