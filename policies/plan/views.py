"""From a table and a decision to a governed view: which columns there are and what each shows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from catalog.datatypes import Primitive, StructType, quote_identifier
from catalog.paths import HEADERS, KEY, VALUE, FieldPath
from policies.columns.expression import Context, build, context
from policies.decision.places import Places
from policies.masks import custom
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect, MaskType
from policies.plan.model import ByKey, TablePlan, Window
from policies.plan.ports import QueryTable
from policies.plan.value_columns import kind_of, value_columns
from policies.plan.watched_places import watched
from policies.sql.literals import literal
from policies.sql.names import fold

SYSTEM_COLUMNS = ("_key", "_headers", "_partition", "_offset", "_timestamp", "_value")
SYSTEM_TYPES = {"_partition": "INT", "_offset": "BIGINT", "_timestamp": "TIMESTAMP"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a governed view. `path` is None for positions and times; `sql` None = left out.

    decisions: those that what it shows rests on
    system: it comes with every record, beside the fields of the value
    """

    name: str
    path: FieldPath | None
    sql: str | None
    decisions: tuple[ColumnDecision, ...] = ()
    note: str | None = None
    system: bool = False


@dataclass(frozen=True, slots=True)
class GovernedTable:
    """A table as one subject may see it. `places`: the decided rule of each place."""

    table: QueryTable
    decision: Decision
    places: Places
    columns: tuple[Column, ...]
    filters: tuple[str, ...]
    conditions: tuple[tuple[str, str], ...]
    case_sensitive: bool = False
    names: Mapping[str, Column] = field(default_factory=dict)
    watched: tuple[tuple[str, str], ...] = ()
    positions: bool = True
    """Whether positions may show: not where a row filter hides records, which they would count."""
    by_key: ByKey | None = None

    @property
    def shown(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.sql is not None)

    @property
    def system(self) -> tuple[str, ...]:
        """The shown columns that a star does not include; none where there is nothing else to show."""
        beside = tuple(c.name for c in self.shown if c.system)
        return beside if len(beside) < len(self.shown) else ()

    def plan(self, view: str, window: Window) -> TablePlan:
        columns = tuple((column.name, column.sql) for column in self.columns if column.sql is not None)
        table = self.table
        return TablePlan(
            view=view,
            topic=table.topic,
            kafka=table.kafka,
            window=window,
            key=table.key,
            value=table.value,
            filters=self.filters,
            conditions=self.conditions,
            columns=columns,
            case_sensitive=self.case_sensitive,
            watched=self.watched,
            rows=table.rows,
            by_key=self.by_key,
        )


def govern(
    table: QueryTable, decision: Decision, keys: MaskKeys, positions_beside_row_filters: bool = False
) -> GovernedTable:
    """The view of a table under a decision that allows it.

    Raises InvalidInput when a filter or condition of the decision cannot be used on this record (the caller must
    then deny: what cannot be decided is not shown).
    """
    filters = tuple(condition_sql(each.where, table) for each in decision.filters)
    texts = dict.fromkeys(c.clear_when for c in decision.columns if c.clear_when is not None)
    conditions = {text: f"weir_clear_{n}" for n, text in enumerate(texts)}
    ctx = context(
        decision.columns,
        keys.within(decision.reference),
        {text: quote_identifier(name) for text, name in conditions.items()},
    )
    columns = [*_value_columns(table, ctx)]
    occupied = {fold(column.name) for column in columns}
    columns += [
        replace(c, system=True)
        for c in _system_columns(table, ctx, decision, positions_beside_row_filters)
        if fold(c.name) not in occupied
    ]
    names = [fold(column.name) for column in columns]
    return GovernedTable(
        table=table,
        decision=decision,
        places=ctx.places,
        columns=tuple(columns),
        filters=filters,
        conditions=tuple((name, condition_sql(text, table)) for text, name in conditions.items()),
        case_sensitive=len(set(names)) < len(names) or _names_collide(table.value.kind),
        names={column.name: column for column in columns},
        watched=_watched(table, ctx, columns),
        positions=not filters or positions_beside_row_filters,
    )


def condition_sql(condition: str, table: QueryTable) -> str:
    """A row condition over the stored columns. Raises InvalidInput when it names what the record does not have."""
    return custom.render_condition(condition, stored_names(table))


def stored_names(table: QueryTable) -> dict[str, str]:
    """What a row condition may name -> the SQL of it in the stored record."""
    names = {
        "_key": "weir_key",
        "_headers": "weir_headers",
        "_partition": "weir_partition",
        "_offset": "weir_offset",
        "_timestamp": "weir_timestamp",
    }
    return names | {each.name: each.source for each in value_columns(table.value.kind, table.payload)}


def _value_columns(table: QueryTable, ctx: Context) -> list[Column]:
    return [
        _column(ctx, each.name, each.path, partial(build, ctx, each.path, each.kind, each.source))
        for each in value_columns(table.value.kind, table.payload)
    ]


def _column(ctx: Context, name: str, path: FieldPath, sql: Callable[[], str | None]) -> Column:
    """A column with the decisions on the places that were looked up for its SQL."""
    start = len(ctx.looked)
    text = sql()
    used = {d.path: d for place in ctx.looked[start:] for d in ctx.places.deciding(place)}
    return Column(name, path, text, tuple(used.values()))


def _system_columns(table: QueryTable, ctx: Context, decision: Decision, positions: bool) -> list[Column]:
    columns = [
        _key(table, ctx),
        _column(ctx, "_headers", HEADERS, lambda: _headers(ctx)),
    ]
    hidden = bool(decision.filters) and not positions
    note = "withheld: with a row filter it would count the rows that are not there" if hidden else None
    for name in ("_partition", "_offset"):
        sql = f"CAST(NULL AS {SYSTEM_TYPES[name]})" if hidden else "weir" + name
        columns.append(Column(name, None, sql, note=note))
    columns.append(Column("_timestamp", None, "weir_timestamp"))
    whole = _all_clear(decision)
    readable = table.value.format in ("json", "text", "csv")
    raw = "CAST(weir_raw AS STRING)" if readable else "weir_raw"
    columns.append(Column("_value", VALUE, raw if whole else None, tuple(ctx.places.deciding(VALUE))))
    return columns


def _key(table: QueryTable, ctx: Context) -> Column:
    column = _column(ctx, "_key", KEY, lambda: build(ctx, KEY, table.key.kind, "weir_key"))
    if not table.keyless or column.decisions:
        return column
    return Column("_key", None, "CAST(NULL AS STRING)", note="NULL: the scan saw no record with a key")


def _headers(ctx: Context) -> str | None:
    """A map of the headers that are decided and not denied; one that nobody has seen before is not in it."""
    names = ctx.places.headers()
    if not names:
        return "CAST(map() AS MAP<STRING, STRING>)"
    entries = []
    for name in names:
        path = HEADERS.field(name)
        sql = build(ctx, path, Primitive("STRING"), f"weir_headers[{literal(name)}]")
        if sql is not None:
            entries.append(f"{literal(name)}, CAST({sql} AS STRING)")
    return f"map_filter(map({', '.join(entries)}), (weir_x0, weir_x1) -> weir_x1 IS NOT NULL)" if entries else None


def _watched(table: QueryTable, ctx: Context, columns: Sequence[Column]) -> tuple[tuple[str, str], ...]:
    """See `TablePlan.watched`. Headers are texts, which every header fits."""
    pairs: list[tuple[str, str]] = []
    for column in columns:
        kind = kind_of(table, column.name, column.path)
        if column.sql is None or column.path is None or kind is None:
            continue
        paths = watched(ctx, column.path, kind)
        root = str(FieldPath(column.path.root))
        if paths and root not in paths and (root, root) not in pairs:
            pairs.append((root, root))
        pairs += [(column.name, path) for path in paths]
    return tuple(pairs)


def _all_clear(decision: Decision) -> bool:
    """Whether every field of the record is shown as it was sent."""
    return (
        bool(decision.columns)
        and all(
            c.effect is Effect.ALLOW and (c.mask is None or c.mask.type is MaskType.MASK_NONE) for c in decision.columns
        )
        and not decision.gaps
    )


def _names_collide(kind: object) -> bool:
    """Whether a struct, at any depth, holds two names that Spark would take for one."""
    if not isinstance(kind, StructType):
        inner: Sequence[object] = [getattr(kind, k) for k in ("element", "key", "value") if hasattr(kind, k)]
        return any(_names_collide(each) for each in inner)
    names = [fold(name) for name, _ in kind.fields]
    return len(set(names)) < len(names) or any(_names_collide(each) for _, each in kind.fields)
