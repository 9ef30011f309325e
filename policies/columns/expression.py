"""From a column's type and the decided rules of its leaves to one Spark SQL expression for the whole column.

Structs become named_struct, arrays transform, maps transform_values with a CASE for keys that have a rule of their
own, in any spelling; NULL stays NULL at every level. What is MASK_NULL in all of its parts is one NULL. A leaf without a
decision is left out, so that what nobody decided is not shown.
What is denied or dropped is left out too: a struct loses the field, a map the key; an array whose elements are denied
is left out whole. Nothing here reads data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from catalog.datatypes import (
    STRING,
    ArrayType,
    DataType,
    MapType,
    Primitive,
    StructType,
    family,
    quote_identifier,
    to_ddl,
)
from catalog.paths import FieldPath
from policies.columns.whole_null import leaves_inside, whole_null
from policies.decision.places import Places, Rule
from policies.map_keys import folding
from policies.masks import primitives
from policies.masks.keys import MaskKeys
from policies.masks.kind import hidden_sql
from policies.model import ColumnDecision, MaskType
from policies.sql.literals import literal


@dataclass(frozen=True, slots=True)
class Context:
    """places: the decided rules; conditions: text of a row condition -> SQL of a BOOLEAN column at hand."""

    places: Places
    keys: MaskKeys
    conditions: Mapping[str, str]
    # Below a map key with rules of its own both branches of a CASE must keep one type.
    keep_shape: bool = False
    looked: list[FieldPath] = field(default_factory=list)
    """The places that were looked up, in order."""


def context(decisions: Sequence[ColumnDecision], keys: MaskKeys, conditions: Mapping[str, str]) -> Context:
    return Context(Places(decisions), keys, conditions)


def build(ctx: Context, path: FieldPath, kind: DataType, source: str) -> str | None:
    """Spark SQL of the column at `path`, read from the SQL expression `source`; None when nothing of it may be shown.

    The result is `source` itself, unchanged, when all of it is unmasked.
    """
    names = (f"weir_x{n}" for n in count())
    return _build(ctx, path, kind, source, lambda: next(names))


def _build(ctx: Context, path: FieldPath, kind: DataType, source: str, name: Callable[[], str]) -> str | None:
    built = _build_kind(ctx, path, kind, source, name)
    return f"CAST(NULL AS {to_ddl(kind)})" if built is None and ctx.keep_shape else built


def _build_kind(ctx: Context, path: FieldPath, kind: DataType, source: str, name: Callable[[], str]) -> str | None:
    null = whole_null(ctx.places, path, kind)
    if null is not None:
        ctx.looked.extend(leaves_inside(ctx.places, path, kind))
        return (
            f"CASE WHEN {_clear(ctx, null)} THEN {source} END" if null.clear_when else f"CAST(NULL AS {to_ddl(kind)})"
        )
    match kind:
        case Primitive():
            return _leaf(ctx, path, kind, source)
        case StructType(fields):
            places = [(field, kind.path_of(path, field), inner) for field, inner in fields]
            return _struct(ctx, places, source, name)
        case ArrayType(element):
            variable = name()
            inner = _build(ctx, path.elements(), element, variable, name)
            if inner is None:
                return None
            return source if inner == variable else f"transform({source}, {variable} -> {inner})"
        case MapType(key, value):
            return _map(ctx, path, key, value, source, name)


def _leaf(ctx: Context, path: FieldPath, kind: Primitive, source: str) -> str | None:
    applied = rule(ctx, path)
    mask = applied.mask
    if mask is None:
        return source
    if mask.type is MaskType.DROP:
        return None
    output = primitives.output_type(mask, kind)
    masked = primitives.expression(mask, source, kind, ctx.keys)
    if ctx.keep_shape and output != kind:
        # What an expression gives may fit; a hash of a number cannot be shown as a number.
        masked = f"CAST(NULL AS {kind.name})" if output else f"try_cast({masked} AS {kind.name})"
        output = kind
    if not applied.clear_when:
        return masked
    clear = source if output is None or output == kind else f"CAST({source} AS {output.name})"
    return f"CASE WHEN {_clear(ctx, applied)} THEN {clear} ELSE {masked} END"


def _clear(ctx: Context, applied: Rule) -> str:
    """SQL of whether a row is one where the place is unmasked."""
    return " AND ".join(ctx.conditions[text] for text in applied.clear_when)


def rule(ctx: Context, path: FieldPath) -> Rule:
    """The decided rule of the leaf at `path`."""
    ctx.looked.append(path)
    return ctx.places.rule(path)


def _struct(
    ctx: Context, fields: Sequence[tuple[str, FieldPath, DataType]], source: str, name: Callable[[], str]
) -> str | None:
    built = [(field, _build(ctx, path, kind, _member(source, field), name)) for field, path, kind in fields]
    if all(sql == _member(source, field) for field, sql in built):
        return source
    members = [f"{literal(field)}, {sql}" for field, sql in built if sql is not None]
    if not members:
        return None
    return f"CASE WHEN {source} IS NOT NULL THEN named_struct({', '.join(members)}) END"


def _member(source: str, field: str) -> str:
    return f"{source}.{quote_identifier(field)}"


def _map(
    ctx: Context, path: FieldPath, key: DataType, value: DataType, source: str, name: Callable[[], str]
) -> str | None:
    own_keys = _keys_with_rules(ctx, path)
    inner = replace(ctx, keep_shape=ctx.keep_shape or (bool(own_keys) and not isinstance(value, Primitive)))
    k, v = name(), name()
    plain = _entry(inner, path.values(), value, v, name) if _decided(ctx, path.values()) or not own_keys else None
    special = {each: _entry(inner, path.map_key(each), value, v, name) for each in own_keys}
    masked = {each: sql for each, sql in special.items() if sql is not None}
    if plain is None and not masked:
        return None
    as_text = folding(tuple(own_keys)).sql(k, literal) if key == STRING else f"CAST({k} AS STRING)"
    result = source
    if plain is None:
        result = f"map_filter({result}, ({k}, {v}) -> {as_text} IN ({', '.join(map(literal, masked))}))"
    elif len(masked) < len(special):
        hidden = ", ".join(literal(each) for each in special if each not in masked)
        result = f"map_filter({result}, ({k}, {v}) -> {as_text} NOT IN ({hidden}))"
    cases = "".join(f" WHEN {literal(each)} THEN {sql}" for each, sql in masked.items() if sql != (plain or v))
    if cases:
        result = f"transform_values({result}, ({k}, {v}) -> CASE {as_text}{cases} ELSE {plain or v} END)"
    elif (plain or v) != v:
        result = f"transform_values({result}, ({k}, {v}) -> {plain})"
    return _map_keys(ctx, path, key, result, k, v)


def _entry(ctx: Context, path: FieldPath, kind: DataType, source: str, name: Callable[[], str]) -> str | None:
    """The values at `path`, of one key or of all; None where nothing of them may be shown, so that the key goes too."""
    if ctx.keep_shape and _build(replace(ctx, keep_shape=False), path, kind, source, lambda: source) is None:
        return None
    return _build(ctx, path, kind, source, name)


def _map_keys(ctx: Context, path: FieldPath, key: DataType, result: str, k: str, v: str) -> str | None:
    if not isinstance(key, Primitive):
        return None
    applied = rule(ctx, path.keys())
    if applied.mask is None:
        return result
    kind = primitives.output_type(applied.mask, key)
    masked = _leaf(replace(ctx, keep_shape=False), path.keys(), key, k)
    if masked is None or applied.mask.type is MaskType.MASK_NULL or family(key) in ("boolean", "other"):
        return None  # a key cannot be NULL, so the map goes with its keys
    if kind is None:
        masked = f"coalesce(CAST({masked} AS STRING), '')"
    elif primitives.may_give_null(applied.mask, key):
        masked = f"coalesce({masked}, {hidden_sql(kind)})"
    # Keys that become equal: the last entry stays (spark.sql.mapKeyDedupPolicy=LAST_WIN, set by the engine).
    return f"transform_keys({result}, ({k}, {v}) -> {masked})"


def _keys_with_rules(ctx: Context, path: FieldPath) -> list[str]:
    return ctx.places.keys_below(path)


def _decided(ctx: Context, path: FieldPath) -> bool:
    """Whether anything was decided on the values of a map as such, not only on single keys of it."""
    return ctx.places.on_values(path)
