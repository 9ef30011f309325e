"""Values by their own form, as SQL over VARIANT: what fits its type, what does not and where.

`from_json` is quick, and silent: a number too large is NULL, one with more digits is rounded, and one element that does
not fit takes its whole array along. The few records where that may have happened are read a second time, by this. A
VARIANT keeps what a token was (text, number, true, object) and all digits of a number up to 38.

A value fits when it is of the type's own form and no digit is lost: a number written "5" is a text, 1.0 is an integer,
1.5 is not. What does not fit is NULL, but for a number with more digits than its type, which is rounded. Each such place
in a record is one number in its list of slips: the position of the place in `places`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, quote_identifier
from catalog.paths import FieldPath
from policies.adapters.spark.map_keys import cast_keys, is_cast, unfit_key
from policies.sql.literals import literal

DECIMAL_TEXT = "^-?[0-9]+([.][0-9]+)?$"
"""A text that is a DECIMAL: without an exponent, a plus or separators of thousands."""
NONE = "CAST(array() AS ARRAY<INT>)"
_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
Fields = tuple[tuple[str, DataType], ...]
_NOT_FINITE = "('NaN', 'Infinity', '-Infinity', '+Infinity', 'INF', '+INF', '-INF')"
_MOST_DIGITS = {"DOUBLE": (15, 17), "FLOAT": (6, 9)}
"""Significant digits that a type always keeps, and that its shortest text can have."""


class Exact:
    """SQL for one part of a record.

    odd      BOOLEAN SQL: a number of the record may have more digits than a VARIANT keeps
    far      BOOLEAN SQL: one may be too large or too small for a double
    places   path -> its number; what is not in it is not counted
    """

    def __init__(self, odd: str, far: str, places: Mapping[str, int]) -> None:
        self._odd, self._far, self._places = odd, far, places
        numbers = count()
        self._name: Callable[[], str] = lambda: f"weir_e{next(numbers)}"
        self._maps = count()

    # --- values ---------------------------------------------------------------------------------------------------

    def value(self, kind: DataType, source: str) -> str:
        """SQL of the value of `kind` that the VARIANT `source` holds; NULL where it does not fit."""
        match kind:
            case Primitive():
                return self._bound(_token(source), lambda token: leaf(kind, token, source))
            case StructType(fields):
                return self._bound(
                    _members(kind, source),
                    lambda s: f"CASE WHEN {s} IS NOT NULL THEN named_struct({self._values(fields, s)}) END",
                )
            case ArrayType(element):
                x = self._name()
                return f"transform({_elements(source)}, {x} -> {self.value(element, x)})"
            case MapType(key, value):
                return cast_keys(key, _entries(source), lambda v: self.value(value, v), next(self._maps))

    def _values(self, fields: Fields, members: str) -> str:
        return ", ".join(f"{literal(n)}, {self.value(k, f'{members}.c{i}')}" for i, (n, k) in enumerate(fields))

    # --- slips ----------------------------------------------------------------------------------------------------

    def slips(self, kind: DataType, source: str, path: FieldPath) -> str:
        """SQL of an ARRAY<INT>: the places where the VARIANT `source` does not fit."""
        if not self._counted(kind, path):
            return NONE
        here = self._places.get(str(path))
        slip = NONE if here is None else f"array({here})"
        match kind:
            case Primitive():
                return self._bound(
                    _token(source),
                    lambda token: (
                        f"CASE WHEN {slipped(kind, token, source, self._lost(token))} THEN {slip} ELSE {NONE} END"
                    ),
                )
            case StructType():
                return self._bound(
                    _members(kind, source),
                    lambda s: (
                        f"CASE WHEN {s} IS NOT NULL THEN {self._inside(kind, s, path)}"
                        f" WHEN {_there(source)} THEN {slip} ELSE {NONE} END"
                    ),
                )
            case ArrayType(element):
                x = self._name()
                inside = f"flatten(transform({_elements(source)}, {x} -> {self.slips(element, x, path.elements())}))"
                return _unless(inside, slip, source)
            case MapType(key, value):
                x = self._name()
                values = f"map_values({_entries(source)})"
                inside = f"flatten(transform({values}, {x} -> {self.slips(value, x, path.values())}))"
                if is_cast(key):
                    inside = (
                        f"concat({inside}, CASE WHEN {unfit_key(key, _entries(source))} THEN {slip} ELSE {NONE} END)"
                    )
                return _unless(inside, slip, source)

    def _inside(self, kind: StructType, members: str, path: FieldPath) -> str:
        return _concat(
            [
                self.slips(k, f"{members}.c{i}", kind.path_of(path, n))
                for i, (n, k) in enumerate(kind.fields)
                if self._counted(k, kind.path_of(path, n))
            ]
        )

    def cell(self, kind: Primitive, text: str, path: FieldPath) -> str:
        """SQL of the slips of a cell of CSV, whose text is all there is of it."""
        here = self._places.get(str(path))
        if here is None:
            return NONE
        return self._bound(
            _cell(text),
            lambda token: (
                f"CASE WHEN {token}.s <> '' AND {slipped(kind, token, None, self._lost(token))} THEN array({here}) ELSE {NONE} END"
            ),
        )

    def cell_value(self, kind: Primitive, text: str) -> str:
        return self._bound(_cell(text), lambda token: leaf(kind, token, None))

    def _counted(self, kind: DataType, path: FieldPath) -> bool:
        """Whether a place is counted, or one inside it."""
        if str(path) in self._places:
            return True
        match kind:
            case Primitive():
                return False
            case StructType(fields):
                return any(self._counted(k, kind.path_of(path, n)) for n, k in fields)
            case ArrayType(element):
                return self._counted(element, path.elements())
            case MapType(_, value):
                return self._counted(value, path.values())

    def _lost(self, token: str) -> str:
        """BOOLEAN SQL: the VARIANT itself may not hold the number as it was sent."""
        ended = f"{token}.s RLIKE '(^|[^0-9.])(0[.]0|Infinity)'"
        return f"({token}.t LIKE '%DOUBLE%' AND ({self._odd} OR ({self._far} AND {ended})))"

    def _bound(self, value: str, body: Callable[[str], str]) -> str:
        """`body` over the name of `value`, so that what is computed once is written once."""
        name = self._name()
        return f"get(transform(array({value}), {name} -> {body(name)}), 0)"


def leaf(kind: Primitive, token: str, source: str | None) -> str:
    """SQL of a single value from its token {t: form, s: text}; rounded where it has more digits than the type."""
    text, cast = f"{token}.s", f"try_cast({token}.s AS {kind.name})"
    number = f"{_is_number(token)}"
    name = kind.name
    if name == "STRING":
        return text
    if name == "VARIANT":
        return source or f"try_parse_json({text})"
    if name == "BOOLEAN":
        return f"CASE WHEN {token}.t = 'BOOLEAN' THEN {cast} END"
    if name in _INTEGERS:
        return f"CASE WHEN {token}.t = 'BIGINT' OR {token}.t LIKE 'DECIMAL%' THEN {cast} END"
    if name.startswith("DECIMAL"):
        # Money is often sent as text, so that no reader makes a double of it.
        plain = f"({token}.t = 'STRING' AND {text} RLIKE {literal(DECIMAL_TEXT)})"
        return f"CASE WHEN {number} OR {plain} THEN {cast} END"
    if name in _MOST_DIGITS:
        return f"CASE WHEN {number} OR {text} IN {_NOT_FINITE} THEN {cast} END"
    if name == "BINARY":
        return f"CASE WHEN {token}.t = 'STRING' THEN try_to_binary({text}, 'base64') END"
    # Times and the like are read from text, as from_json reads them.
    read = f"from_json(to_json(named_struct('v', {text})), {literal(f'v {name}')}, map('mode', 'PERMISSIVE')).v"
    return f"CASE WHEN {token}.t = 'STRING' THEN {read} END"


def slipped(kind: Primitive, token: str, source: str | None, beyond: str) -> str:
    """BOOLEAN SQL: a value is there, and its type (or, where `beyond`, the VARIANT) does not hold it as it is."""
    there = f"{token}.t <> 'VOID' AND {token}.s IS NOT NULL"
    value, name = leaf(kind, token, source), kind.name
    lost = [beyond]
    if name.startswith("DECIMAL"):
        lost.append(f"{_plain(f'CAST({value} AS STRING)')} <> {_plain(f'{token}.s')} AND {token}.t <> 'DOUBLE'")
    if name in _MOST_DIGITS:
        safe, most = _MOST_DIGITS[name]
        digits = f"length(trim(BOTH '0' FROM replace(replace({token}.s, '-', ''), '.', '')))"
        again = f"CAST(CAST({token}.s AS {name}) AS STRING)"
        same = " AND ".join(
            f"coalesce({_plain(f'CAST(try_cast({again} AS DECIMAL(38,{scale})) AS STRING)')} <> {_plain(f'{token}.s')}, true)"
            for scale in (0, 18, 37)
        )
        exact = f"({token}.t = 'BIGINT' OR {token}.t LIKE 'DECIMAL%')"
        lost.append(f"({exact} AND ({digits} > {most} OR ({digits} > {safe} AND {same})))")
    if name in ("STRING", "VARIANT", *_MOST_DIGITS) or name.startswith("DECIMAL"):
        return f"({there} AND ({value} IS NULL OR coalesce({' OR '.join(lost)}, false)))"
    return f"({there} AND {value} IS NULL)"


def _is_number(token: str) -> str:
    return f"({token}.t IN ('BIGINT', 'DOUBLE', 'FLOAT') OR {token}.t LIKE 'DECIMAL%')"


def _plain(text: str) -> str:
    """A decimal text without the zeros that mean nothing."""
    short = (
        f"CASE WHEN instr({text}, '.') > 0 THEN trim(TRAILING '.' FROM trim(TRAILING '0' FROM {text})) ELSE {text} END"
    )
    return f"nullif({short}, '-0')"


def _token(source: str) -> str:
    return f"named_struct('t', schema_of_variant({source}), 's', try_variant_get({source}, '$', 'string'))"


def _cell(text: str) -> str:
    form = (
        f"CASE WHEN {text} RLIKE '^-?[0-9]{{1,18}}$' THEN 'BIGINT' WHEN {text} RLIKE '^-?[0-9]*[.]?[0-9]+$' THEN 'DECIMAL'"
        f" WHEN {text} RLIKE '^-?[0-9]*[.]?[0-9]+[eE][+-]?[0-9]+$' THEN 'DOUBLE'"
        f" WHEN lower({text}) IN ('true', 'false') THEN 'BOOLEAN' ELSE 'STRING' END"
    )
    return f"named_struct('t', {form}, 's', {text})"


def _members(kind: StructType, source: str) -> str:
    """The members of an object by position, since names may differ by case only; NULL for what is not an object."""
    inner = ", ".join(f"{quote_identifier(n)}: VARIANT" for n, _ in kind.fields)
    positions = ", ".join(f"c{i}: VARIANT" for i, _ in enumerate(kind.fields))
    return f"CAST(try_variant_get({source}, '$', {literal(f'STRUCT<{inner}>')}) AS STRUCT<{positions}>)"


def _elements(source: str) -> str:
    return f"try_variant_get({source}, '$', 'ARRAY<VARIANT>')"


def _entries(source: str) -> str:
    return f"try_variant_get({source}, '$', 'MAP<STRING, VARIANT>')"


def _there(source: str) -> str:
    return f"({source} IS NOT NULL AND NOT is_variant_null({source}))"


def _unless(inside: str, slip: str, source: str) -> str:
    return f"CASE WHEN {_there(source)} THEN coalesce({inside}, {slip}) ELSE {NONE} END"


def _concat(lists: list[str]) -> str:
    return NONE if not lists else lists[0] if len(lists) == 1 else f"concat({', '.join(lists)})"
