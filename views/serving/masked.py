"""Rows of a view as one person may see them, without Spark: equal to what the SQL door shows of the same view. Pure.

`policies.columns.expression` makes SQL from a decision; this makes functions on JSON-ready values from the same places by
the same steps. What the two could do differently is not done here: `why_not` gives the reason, and the caller asks the
SQL door instead. Nothing is approximated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, family
from catalog.errors import NotAllowed
from catalog.paths import VALUE, FieldPath
from policies.columns.whole_null import whole_null
from policies.decision.places import Places
from policies.map_keys import key_form
from policies.masks.keys import MaskKeys
from policies.masks.kind import hidden
from policies.masks.primitives import output_type
from policies.model import Decision, Effect, MaskType
from views.model import Column
from views.serving.leaves import Change, NotExact, value_mask


@dataclass(frozen=True, slots=True)
class MaskedView:
    """columns   those that are shown, with the types they have then (a hash is a STRING)
    left_out  names of columns that are not shown, and `column.field` of what is left out inside of shown ones
    changed   names of shown columns that are not shown whole, as they are stored
    """

    columns: tuple[Column, ...]
    left_out: tuple[str, ...]
    changed: frozenset[str]
    _changes: tuple[tuple[str, Change | None], ...]

    def row(self, values: Mapping[str, object]) -> dict[str, object]:
        """A row in JSON form under the decision. A column that the row does not have is NULL.

        Raises NotExact for a masked date or time whose year is not between 1 and 9999: ask the SQL door.
        """
        return {
            name: values.get(name) if change is None else change(values.get(name)) for name, change in self._changes
        }

    def unmasked(self, name: str) -> bool:
        """Whether a column is shown as it is stored."""
        return name not in self.changed and any(each.name == name for each in self.columns)


def why_not(columns: Sequence[Column], decision: Decision, keys: MaskKeys) -> str | None:
    """Why rows under this decision come through SQL only, in words; None where `masked_view` can be used."""
    try:
        masked_view(columns, decision, keys)
    except NotExact as reason:
        return str(reason)
    return None


def masked_view(columns: Sequence[Column], decision: Decision, keys: MaskKeys) -> MaskedView:
    """`columns`: those of the view, whose fields are `value.NAME` in the decision.

    Raises NotExact (see `why_not`), NotAllowed when the decision does not allow to read the view.
    """
    if decision.effect is not Effect.ALLOW:
        raise NotAllowed(
            f"You may not read {decision.reference}.", details={"reasons": [r.text for r in decision.reasons]}
        )
    if decision.filters:
        raise NotExact("a row filter is a condition of Spark's SQL")
    builder = _Builder(Places(decision.columns), keys.within(decision.reference))
    visible, hidden, changes = [], [], []
    for column in columns:
        at = VALUE.field(column.name)
        try:
            shown_as = builder.build(at, column.kind, False)
        except NotExact as reason:
            raise NotExact(f"{column.name}: {reason}") from reason
        if shown_as is None:
            hidden.append(column.name)
            continue
        kind = shown_as.kind
        visible.append(column if kind == column.kind else Column(column.name, type_name(kind), kind))
        changes.append((column.name, shown_as.change))
    inside = [each for each in builder.left_out if not any(each == n or each.startswith(n + ".") for n in hidden)]
    changed = frozenset(name for name, change in changes if change is not None)
    return MaskedView(tuple(visible), tuple(dict.fromkeys([*hidden, *inside])), changed, tuple(changes))


def type_name(kind: DataType) -> str:
    """Spark's short name of a type, as `views.model.Column.type` has it."""
    match kind:
        case Primitive(name):
            return name.lower()
        case StructType(fields):
            return "struct<" + ",".join(f"{name}:{type_name(inner)}" for name, inner in fields) + ">"
        case ArrayType(element):
            return f"array<{type_name(element)}>"
        case MapType(key, value):
            return f"map<{type_name(key)},{type_name(value)}>"


@dataclass(frozen=True, slots=True)
class _Made:
    """A place that is shown: its type then, and the change of its value; None: it is shown as stored."""

    kind: DataType
    change: Change | None = None


def _null(value: Any) -> Any:
    return None


class _Builder:
    """The steps of `policies.columns.expression`. `keep`: a value must keep its type, see `Context.keep_shape` there."""

    def __init__(self, places: Places, keys: MaskKeys) -> None:
        self._places = places
        self._keys = keys
        self.left_out: list[str] = []

    def build(self, path: FieldPath, kind: DataType, keep: bool) -> _Made | None:
        shown_as = self._kind(path, kind, keep)
        return _Made(kind, _null) if shown_as is None and keep else shown_as

    def _kind(self, path: FieldPath, kind: DataType, keep: bool) -> _Made | None:
        null = whole_null(self._places, path, kind)
        if null is not None:
            if null.clear_when:
                raise NotExact(_BY_ROWS)
            return _Made(kind, _null)
        match kind:
            case Primitive():
                return self._leaf(path, kind, keep)
            case StructType():
                return self._struct(path, kind, keep)
            case ArrayType(element):
                inner = self.build(path.elements(), element, keep)
                if inner is None:
                    return None
                return _Made(kind) if inner.change is None else _Made(ArrayType(inner.kind), _each(inner.change))
            case MapType():
                return self._map(path, kind, keep)

    def _leaf(self, path: FieldPath, kind: Primitive, keep: bool) -> _Made | None:
        rule = self._places.rule(path)
        if rule.mask is None:
            return _Made(kind)
        if rule.mask.type is MaskType.DROP:
            return None
        if rule.clear_when:
            raise NotExact(_BY_ROWS)
        change = value_mask(rule.mask, kind, self._keys)
        output = output_type(rule.mask, kind) or kind
        return _Made(kind, _null) if keep and output != kind else _Made(output, change)

    def _struct(self, path: FieldPath, kind: StructType, keep: bool) -> _Made | None:
        built = [(name, self.build(kind.path_of(path, name), inner, keep)) for name, inner in kind.fields]
        if all(shown_as is not None and shown_as.change is None for _, shown_as in built):
            return _Made(kind)
        members = [(name, shown_as) for name, shown_as in built if shown_as is not None]
        if not members:
            return None
        self.left_out += [".".join((*path.names, name)) for name, shown_as in built if shown_as is None]
        fields = [(name, shown_as.change) for name, shown_as in members]

        def change(value: Any) -> Any:
            if value is None:
                return None
            return {n: value.get(n) if inner is None else inner(value.get(n)) for n, inner in fields}

        return _Made(type(kind)(tuple((name, shown_as.kind) for name, shown_as in members)), change)

    def _map(self, path: FieldPath, kind: MapType, keep: bool) -> _Made | None:
        own = self._places.keys_below(path)
        inner = keep or (bool(own) and not isinstance(kind.value, Primitive))
        decided = self._places.on_values(path.values()) or not own
        plain = self._entry(path.values(), kind.value, inner) if decided else None
        special = {each: self._entry(path.map_key(each), kind.value, inner) for each in own}
        if plain is None and not any(special.values()):
            return None
        if own and not (isinstance(kind.key, Primitive) and family(kind.key) in _PLAIN_KEYS):
            raise NotExact(
                "single keys of a map have rules, and its keys are neither texts nor whole numbers nor dates"
            )
        kinds = {shown_as.kind for shown_as in (plain, *special.values()) if shown_as is not None}
        if len(kinds) > 1:
            raise NotExact("the entries of a map are masked to values of different types")
        value = kinds.pop()
        key = self._map_keys(path, kind.key)
        if key is None:
            return None
        clear = (
            plain is not None
            and plain.change is None
            and all(m is not None and m.change is None for m in special.values())
        )
        if clear and key.change is None:
            return _Made(kind)
        return _Made(MapType(key.kind, value), _entries(plain, special, key.change))

    def _entry(self, path: FieldPath, kind: DataType, keep: bool) -> _Made | None:
        if keep and self.build(path, kind, False) is None:
            return None
        return self.build(path, kind, keep)

    def _map_keys(self, path: FieldPath, kind: DataType) -> _Made | None:
        """None where the keys may not be shown, so that the map goes with them."""
        if not isinstance(kind, Primitive):
            return None
        rule = self._places.rule(path.keys())
        if rule.mask is None:
            return _Made(kind)
        of = family(kind)
        if rule.mask.type in (MaskType.DROP, MaskType.MASK_NULL) or of in ("boolean", "other"):
            return None
        if of not in _PLAIN_KEYS or rule.clear_when:
            raise NotExact("keys of a map are masked, and are neither texts nor whole numbers nor dates")
        change = value_mask(rule.mask, kind, self._keys)
        output = output_type(rule.mask, kind) or kind
        read = int if of == "integer" else _text

        def masked(key: str) -> str:
            masked_key = change(read(key))
            return str(hidden(output) if masked_key is None else masked_key)

        return _Made(output, masked)


_BY_ROWS = "whether it is masked depends on a row condition of Spark's SQL"

_PLAIN_KEYS = ("string", "integer", "date")
"""Families of map keys whose text in JSON is Spark's own text of them."""


def _text(value: str) -> str:
    return value


def _each(change: Change) -> Change:
    return lambda value: None if value is None else [change(each) for each in value]


def _entries(plain: _Made | None, special: Mapping[str, _Made | None], key: Change | None) -> Change:
    def change(value: Any) -> Any:
        if value is None:
            return None
        entries = {}
        for name, each in value.items():
            shown_as = special.get(key_form(name), plain) if special else plain
            if shown_as is not None:
                # Keys that become equal: the last entry stays, as in Spark (LAST_WIN).
                entries[name if key is None else key(name)] = each if shown_as.change is None else shown_as.change(each)
        return entries

    return change
