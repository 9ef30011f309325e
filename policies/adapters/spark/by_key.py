"""Records of a topic whose records replace one another by key: what one without a value has, and whether keys are what they
should be. SQL over frames; see `policies.plan.model.ByKey`."""

from __future__ import annotations

from catalog.datatypes import StructType, quote_identifier, to_ddl
from policies.masks.expression import literal
from policies.plan.model import TablePlan

OTHER_KEY = "weir-other-key"


def value_or_key(table: TablePlan) -> str | None:
    """SQL of `weir_value`: of a record without a value the fields that its key holds. None where it holds none."""
    kind, fields = table.value.kind, _fields(table)
    if not fields or not isinstance(kind, StructType):
        return None
    given = ", ".join(f"{literal(name)}, {fields.get(name, 'NULL')}" for name, _ in kind.fields)
    struct = f"CAST(named_struct({given}) AS {to_ddl(kind)})"
    return f"CASE WHEN weir_raw IS NULL THEN {struct} ELSE weir_value END"


def refusal(table: TablePlan) -> str | None:
    """BOOLEAN SQL: true for a record whose fields are those of its key; an error for others, with the text `weir-other-key
    TOPIC PARTITION OFFSET FIELD`, the field in hexadecimal digits. A field that is NULL, or could not be read, is not compared."""
    fields = _fields(table)
    if not fields:
        return None
    tests = []
    for name, of_key in fields.items():
        stored = f"weir_value.{quote_identifier(name)}"
        text = f"{literal(f'{OTHER_KEY} {table.topic}')}, partition, offset, {literal(name.encode().hex())}"
        error = f"CAST(raise_error(concat_ws(' ', {text})) AS BOOLEAN)"
        same = f"weir_raw IS NULL OR {stored} IS NULL OR coalesce({stored} = {of_key}, false)"
        tests.append(f"CASE WHEN {same} THEN true ELSE {error} END")
    return " AND ".join(tests)


def _fields(table: TablePlan) -> dict[str, str]:
    """Field -> the same of the key, as SQL of the field's type."""
    kind = table.value.kind
    if table.by_key is None or not isinstance(kind, StructType):
        return {}
    types = dict(kind.fields)
    return {name: f"try_cast({sql} AS {to_ddl(types[name])})" for name, sql in table.by_key.fields if name in types}
