"""Records of a topic whose records replace one another by key: what one without a value has, and whether keys are what they
should be. SQL over frames; see `policies.plan.model.ByKey`."""

from __future__ import annotations

import re

from catalog.datatypes import Primitive, StructType, quote_identifier, to_ddl
from policies.plan.model import PartRead, TablePlan
from policies.sql.literals import literal

OTHER_KEY = "weir-other-key"
_TEXTS = ("text", "string", "json")
_ONE_SPELLING = re.compile(r"(TINYINT|SMALLINT|INT|BIGINT|BOOLEAN)\Z")
"""Types whose values have one spelling in a key that is text or JSON; `01` is another key than `1` to Kafka."""


def value_or_key(table: TablePlan) -> str | None:
    """SQL of `weir_value`: of a record without a value the fields that its key holds. None where it holds none."""
    kind, fields = table.value.kind, _fields(table)
    if not fields or not isinstance(kind, StructType):
        return None
    of_key = {name: sql for name, _, sql in fields}
    pairs = ", ".join(f"{literal(name)}, {of_key.get(name, 'NULL')}" for name, _ in kind.fields)
    struct = f"CAST(named_struct({pairs}) AS {to_ddl(kind)})"
    return f"CASE WHEN weir_raw IS NULL THEN {struct} ELSE weir_value END"


def refusal(table: TablePlan) -> str | None:
    """BOOLEAN SQL: true for a record whose key can be read and whose fields are those of its key, each as a value of the other's
    type; NULL is one more value. For others an error with the text `weir-other-key TOPIC PARTITION OFFSET FIELD`, the field in
    hexadecimal digits, `_key` where the key cannot be read or is spelled in another way than its value. False for such a record
    without a value: no row has its key."""
    if table.by_key is None:
        return None
    tests = [("_key", _readable(table.key), "false")]
    for name, back, of_key in _fields(table):
        stored = f"weir_value.{quote_identifier(name)}"
        as_key = next(sql for field, sql, _ in table.by_key.fields if field == name)
        # A key of which the field's type has no value takes no row away.
        tests.append(
            (
                name,
                f"{_cast(stored, back)} <=> {as_key} AND {stored} <=> {of_key}",
                f"{_cast(of_key, back)} <=> {as_key}",
            )
        )
    return " AND ".join(_or_error(table, *test) for test in tests)


def _or_error(table: TablePlan, field: str, same: str, of_deleted: str) -> str:
    text = f"{literal(f'{OTHER_KEY} {table.topic}')}, partition, offset, {literal(field.encode().hex())}"
    error = f"CAST(raise_error(concat_ws(' ', {text})) AS BOOLEAN)"
    return f"CASE WHEN {same} THEN true WHEN weir_raw IS NULL THEN {of_deleted} ELSE {error} END"


def _readable(key: PartRead) -> str:
    """BOOLEAN SQL, never NULL: whether `weir_key` is what the key is, and NULL where that is NULL alone."""
    read, text = "weir_key IS NOT NULL", "CAST(key AS STRING)"
    if key.format in ("text", "string"):
        read += f" AND is_valid_utf8({text})"
    if key.format in _TEXTS and isinstance(key.kind, Primitive) and _ONE_SPELLING.match(key.kind.name):
        read += f" AND CAST(weir_key AS STRING) <=> {text}"
    return f"(key IS NULL OR ({read}))"


def _fields(table: TablePlan) -> list[tuple[str, str, str]]:
    """(field, type of the same of the key, that as SQL of the field's type)."""
    kind = table.value.kind
    if table.by_key is None or not isinstance(kind, StructType):
        return []
    types = dict(kind.fields)
    return [
        (name, of_key, _cast(sql, to_ddl(types[name]))) for name, sql, of_key in table.by_key.fields if name in types
    ]


def _cast(sql: str, kind: str) -> str:
    return f"try_cast({sql} AS {kind})"
