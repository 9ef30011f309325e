"""From the bytes of a record's parts to values, and to the places where a value could not be read, as SQL over frames.

    quick   one reading by the wanted types; `weir_odd_PART` is true where it may have lost something
    exact   those records are read a second time, see `spark_exact`; `weir_slips_PART` lists the places that did not fit

What is counted is observed on the stored records, after the row filters and before the masks: a condition of the query
has no part in it, and a hidden record is not in it. See docs/decisions/0040-values-that-do-not-fit.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, columns_ddl, quote_identifier, to_ddl
from catalog.paths import FieldPath
from policies.adapters.spark.decode import by_python, csv_heading, csv_names, csv_sql, json_sql, unread_sql
from policies.adapters.spark.exact import NONE, Exact
from policies.adapters.spark.map_keys import keyed, text_keyed
from policies.plan.model import PartRead, TablePlan
from policies.sql.literals import literal

PARTS = ("key", "value")
_STEPS = 6
_BAD = "weir_bad"
_MODE = f"map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '{_BAD}')"
_USED = re.compile(r"\bweir_(key|value)\b")
_TEXTS = ("text", "string", "json", "csv")
"""Formats whose bytes are text, and are not unpacked or read in another encoding by the decoder."""


def used(table: TablePlan) -> tuple[str, ...]:
    """The parts of a record that the view rests on."""
    names = {match[1] for text in _sql_of(table) for match in _USED.finditer(text)}
    return tuple(part for part in PARTS if part in names)


def uses(table: TablePlan, column: str) -> bool:
    """Whether the view rests on a stored column (`weir_offset`)."""
    return any(column in text for text in _sql_of(table))


def _sql_of(table: TablePlan) -> Iterator[str]:
    """All SQL over the stored columns."""
    yield from (sql for _, sql in table.columns)
    yield from table.filters
    yield from (sql for _, sql in table.conditions)
    if table.by_key is not None:
        yield from (sql for _, sql, _ in table.by_key.fields)


def read(frame: Any, table: TablePlan, avro: bool, exact: bool) -> Any:
    """The frame with `weir_key` and `weir_value`, and for the parts in use what `counted` counts.

    `frame` has the columns key and value (bytes), and `weir_text_PART` where a part was decoded to JSON text.
    """
    reads = {part: getattr(table, part) for part in used(table)}
    steps: list[dict[str, str]] = [{} for _ in range(_STEPS)]
    for part, each in reads.items():
        for step, columns in zip(steps, _steps(part, each, table, avro, exact), strict=True):
            step |= columns
    for part in PARTS:
        if part not in reads:
            steps[-1][f"weir_{part}"] = f"CAST(NULL AS {to_ddl(getattr(table, part).kind)})"
    for step in steps:
        if step:
            frame = frame.selectExpr("*", *(f"{sql} AS {name}" for name, sql in step.items()))
    return frame


def counted(frame: Any, table: TablePlan, exact: bool) -> Any:
    """The frame, observed under `observation(table)`: {odd} when read quickly, else a count for each watched place."""
    parts = used(table)
    if not parts:
        return frame
    from pyspark.sql.connect.functions import expr

    if not exact:
        odd = " OR ".join(f"weir_odd_{part}" for part in parts)
        return frame.observe(observation(table), expr(f"count_if({odd})").alias("odd"))
    sums = []
    for number, (_, path) in enumerate(table.watched):
        slips = f"weir_slips_{FieldPath.parse(path).root}"
        if FieldPath.parse(path).root in parts:
            hits = f"CASE WHEN {slips} IS NULL THEN 0 ELSE size(filter({slips}, weir_s -> weir_s = {number})) END"
            sums.append(expr(f"coalesce(sum({hits}), 0)").alias(f"p{number}"))
    return frame.observe(observation(table), *sums) if sums else frame


def places(table: TablePlan) -> str | None:
    """ARRAY<INT> SQL: the watched places of a record whose values do not fit, of a table that is read exactly."""
    watched = {FieldPath.parse(path).root for _, path in table.watched}
    slips = [f"coalesce(weir_slips_{part}, {NONE})" for part in used(table) if part in watched]
    return f"array_distinct(concat({', '.join(slips)}))" if slips else None


UNFIT = "weir-unfit"


def refusal(table: TablePlan) -> str | None:
    """BOOLEAN SQL: true for a record whose values fit; an error for others, with the text `weir-unfit TOPIC PARTITION
    OFFSET PLACE`, the place in hexadecimal digits."""
    unfit = places(table)
    if unfit is None:
        return None
    paths = ", ".join(literal(path.encode().hex()) for _, path in table.watched)
    parts = f"{literal(f'{UNFIT} {table.topic}')}, partition, offset, get(array({paths}), {unfit}[0])"
    return f"CASE WHEN size({unfit}) = 0 THEN true ELSE CAST(raise_error(concat_ws(' ', {parts})) AS BOOLEAN) END"


def observation(table: TablePlan) -> str:
    """The name under which a table's counts come back."""
    return f"weir_seen_{table.view}"


def slips(table: TablePlan, metrics: Mapping[str, int]) -> dict[str, int]:
    """{path: values} of what was observed of a table that was read exactly."""
    counts = {path: int(metrics.get(f"p{number}") or 0) for number, (_, path) in enumerate(table.watched)}
    return {path: n for path, n in counts.items() if n}


def _steps(part: str, read: PartRead, table: TablePlan, avro: bool, exact: bool) -> list[dict[str, str]]:
    """Columns to add, step by step; each rests on those before, and so is computed once."""
    root = FieldPath(part)
    places = {path: number for number, (_, path) in enumerate(table.watched)}
    value, odd = f"weir_{part}", f"weir_odd_{part}"
    whole = f"array({places[part]})" if part in places else NONE
    bytes_odd = f" OR NOT is_valid_utf8(CAST({part} AS STRING))" if read.format in _TEXTS else ""
    if read.format in ("text", "string") and not by_python(part, read, avro):
        return _text_steps(part, read, exact, whole)
    if csv_sql(part, read) is not None:
        return _csv_steps(part, read, exact, places, whole)
    text, both = f"weir_json_{part}", f"weir_read_{part}"
    by_engine = json_sql(part, read, avro)
    json_text = by_engine or f"weir_text_{part}"
    unmarked = unread_sql(text, read) if by_engine else None
    missed = f"{text} IS NULL{bytes_odd}" + (f" OR {unmarked}" if unmarked else "")
    bad = f"{both}.{_BAD} IS NOT NULL OR {missed} OR coalesce(size({both}.v), 0) <> 1"
    doubtful = "|".join(filter(None, (may_lose(read.kind), other_form(read.kind))))
    suspect = f"{bad} OR {text} RLIKE {literal(doubtful)}" if doubtful else bad
    as_read = text_keyed(read.kind)
    if as_read != read.kind:
        suspect = "true"  # whether the keys of maps fit is seen by the second reading alone
    quick = keyed(read.kind, f"get({both}.v, 0)")
    steps = [
        # The record as the one element of an array: what follows the document is then an error, and null is null.
        {text: f"concat('{{\"v\":[', {json_text}, ']}}')"},
        {both: f"from_json({text}, {literal(f'v ARRAY<{to_ddl(as_read)}>, {_BAD} STRING')}, {_MODE})"},
        {odd: f"({part} IS NOT NULL AND coalesce({suspect}, false))"},
    ]
    if not exact:
        return [*steps, {}, {}, {value: quick}]
    wide, variant = f"weir_wide_{part}", f"weir_variant_{part}"
    beyond = f"{text} RLIKE {literal(BEYOND)}"
    exactly = Exact(beyond, f"{text} RLIKE {literal(FAR)}", places)
    steps.append({wide: f"CASE WHEN {odd} THEN from_json({text}, 'v ARRAY<VARIANT>, {_BAD} STRING', {_MODE}) END"})
    unread = f"coalesce(size({wide}.v), 0) <> 1 OR {wide}.{_BAD} IS NOT NULL OR {missed}"
    slips_sql = exactly.slips(read.kind, variant, root)
    return [
        *steps,
        {variant: f"CASE WHEN {odd} AND size({wide}.v) = 1 THEN get({wide}.v, 0) END"},
        {
            value: f"CASE WHEN {odd} THEN {exactly.value(read.kind, variant)} ELSE {quick} END",
            f"weir_slips_{part}": f"CASE WHEN {odd} THEN CASE WHEN {unread} THEN {whole} ELSE {slips_sql} END END",
        },
    ]


def _text_steps(part: str, read: PartRead, exact: bool, whole: str) -> list[dict[str, str]]:
    value, odd, text = f"weir_{part}", f"weir_odd_{part}", f"CAST({part} AS STRING)"
    cast = text if read.kind == Primitive("STRING") else f"try_cast({text} AS {to_ddl(read.kind)})"
    suspect = f"({part} IS NOT NULL AND (NOT is_valid_utf8({text}) OR {cast} IS NULL))"
    last = {value: cast}
    if exact:
        last[f"weir_slips_{part}"] = f"CASE WHEN {odd} THEN {whole} END"
    return [{odd: suspect}, {}, {}, {}, {}, last]


def _csv_steps(part: str, read: PartRead, exact: bool, places: Mapping[str, int], whole: str) -> list[dict[str, str]]:
    value, odd, both, cells = f"weir_{part}", f"weir_odd_{part}", f"weir_read_{part}", f"weir_wide_{part}"
    kind = read.kind
    assert isinstance(kind, StructType)
    # The cells of a line have no names: each type is looked for wherever a number begins.
    kinds = dict.fromkeys(inner for _, inner in kind.fields)
    found_by = [lost.replace(_START, "(?:^|[^0-9.])-?") for each in kinds if (lost := may_lose(each)) is not None]
    digits = f" OR CAST({part} AS STRING) RLIKE {literal('|'.join(found_by))}" if found_by else ""
    suspect = f"{both} IS NULL OR {both}.{_BAD} IS NOT NULL OR NOT is_valid_utf8(CAST({part} AS STRING)){digits}"
    heading = csv_heading(part, read)
    row = f"{part} IS NOT NULL" + (f" AND NOT {heading}" if heading else "")
    steps = [
        {both: str(csv_sql(part, read, _BAD))},
        {odd: f"({row} AND coalesce({suspect}, false))"},
    ]
    if not exact:
        return [*steps, {}, {}, {}, {value: both}]
    exactly = Exact("false", "false", places)
    everything = Exact("false", "false", {str(FieldPath(part).field(n)): 0 for n, _ in kind.fields})
    texts = StructType(tuple((name, Primitive("STRING")) for name in csv_names(read)))
    fields, typed, cell_slips, all_found = [], [], [], []
    for name, inner in kind.fields:
        assert isinstance(inner, Primitive)
        cell, path = f"{cells}.c{csv_names(read).index(name)}", FieldPath(part).field(name)
        fields.append(f"{literal(name)}, {exactly.cell_value(inner, cell)}")
        typed.append(f"{literal(name)}, {both}.{quote_identifier(name)}")
        cell_slips.append(exactly.cell(inner, cell, path))
        all_found.append(everything.cell(inner, cell, path))
    as_texts = csv_sql(part, PartRead(read.format, texts, read.schemas), "")
    positions = columns_ddl(StructType(tuple((f"c{n}", Primitive("STRING")) for n in range(len(csv_names(read))))))
    raw = f"CASE WHEN {odd} THEN CAST({as_texts} AS STRUCT<{positions}>) END"
    # A line with too many or too few cells is at fault although each of its cells fits.
    line = f"({both}.{_BAD} IS NOT NULL AND size(concat({', '.join(all_found)})) = 0)"
    unread = f"{cells} IS NULL OR NOT is_valid_utf8(CAST({part} AS STRING)) OR {line}"
    return [
        *steps,
        {cells: raw},
        {},
        {},
        {
            value: f"CASE WHEN {odd} AND {cells} IS NOT NULL THEN named_struct({', '.join(fields)})"
            f" ELSE named_struct({', '.join(typed)}) END",
            f"weir_slips_{part}": f"CASE WHEN {odd} THEN CASE WHEN {unread} THEN {whole} ELSE concat({', '.join(cell_slips)})"
            " END END",
        },
    ]


# --- numbers that a reading by types may round -----------------------------------------------------------------------

_BEFORE = r"[:,\[][ \t\r\n]*+"
"""What is before a value of a JSON text."""
_START = _BEFORE + "-?+"
"""Where a number of a JSON text begins. Quantifiers are possessive where what follows cannot match what they took: the
pattern is tried at every value of every record, and gives up half as dear."""
BEYOND = _START + r"(?:[0-9.]{19,}+[eE]|[0-9.]{39})"
"""A number that a VARIANT keeps as a double, with more digits than one has."""
FAR = _START + r"[0-9.]++[eE][+-]?[0-9]{3}"
"""A number that may be too large or too small for a double."""
_LONG = r"[0-9]{16}|(?=[1-9][0-9]*+[.])[0-9.]{19}|0[.]0*+[1-9][0-9]{17}"
"""More digits than a double may keep: 16 of an integer, 18 significant ones with a point."""


def may_lose(kind: DataType) -> str | None:
    """A pattern that JSON text has where a number in it may have more digits than a type of `kind` keeps.

    A type that keeps few digits is looked for by the name of its field, lest the numbers beside it are taken for its own.
    """
    patterns: dict[str, None] = {}
    for field, name in _leaves(kind, None):
        start = _before(field) + "-?+"
        if name == "FLOAT":
            patterns[start + "(?:[0-9.]{8}|[0-9.]++[eE][+-]?[0-9]{2})"] = None
        elif name == "TINYINT":
            patterns[start + "[0-9]{3}"] = None  # Jackson takes 200 for one
        elif name.startswith("DECIMAL"):
            scale = int(name.removesuffix(")").partition(",")[2] or 0)
            patterns[start + f"(?:[0-9]*+[.][0-9]{{{scale + 1}}}|[0-9.]++[eE])"] = None
        elif name in ("DOUBLE", "STRING", "VARIANT"):
            patterns[_START + f"(?=[0-9])(?:{_LONG}|[0-9.]++[eE][+-]?[0-9]{{3}}|[0-9.]{{19,}}+[eE])"] = None
    return "|".join(patterns) or None


_NUMBER_AS_TEXT = '[-+]?+[0-9.,]++(?:[eE][-+]?+[0-9,]++)?+"'
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def other_form(kind: DataType) -> str | None:
    """A pattern that JSON text has where a value of another form than its type's may be taken for one: `from_json` makes a
    DECIMAL of a text, rounded to its places, and a TIMESTAMP of a whole number, which it takes for seconds."""
    patterns: dict[str, None] = {}
    for field, name in _leaves(kind, None):
        if name.startswith("DECIMAL"):
            patterns[f'{_before(field)}"(?!{_fitting(name)}"){_NUMBER_AS_TEXT}'] = None
        elif name == "TIMESTAMP":
            patterns[_before(field) + "-?+[0-9]"] = None
    return "|".join(patterns) or None


def _fitting(decimal: str) -> str:
    """The pattern of a text that this type holds as it is."""
    parts = _DECIMAL.fullmatch(decimal)
    precision, scale = (int(parts[1]), int(parts[2])) if parts else (10, 0)
    digits = f"[0-9]{{1,{precision - scale}}}" if precision > scale else "0"
    return f"-?{digits}" + (rf"(?:\.[0-9]{{1,{scale}}})?" if scale else "")


def _before(field: str | None) -> str:
    """The pattern of what is before a value: of one field, or of any where `field` is None."""
    return _BEFORE if field is None else rf'"{field}"[ \t\r\n]*+:[ \t\r\n]*+'


_PLAIN_NAME = re.compile(r"[A-Za-z0-9_ -]+\Z")


def _leaves(kind: DataType, field: str | None) -> Iterator[tuple[str | None, str]]:
    """(the name of the field, None where it has none that a pattern can hold; the type) of every leaf."""
    match kind:
        case Primitive(name):
            yield field, name
        case StructType(fields):
            for name, inner in fields:
                yield from _leaves(inner, name if _PLAIN_NAME.match(name) else None)
        case ArrayType(element):
            yield from _leaves(element, None)
        case MapType(_, value):
            yield from _leaves(value, None)
