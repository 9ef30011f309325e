"""What may be written next: tables the subject may read, their columns and fields below them, functions, keywords.

The text is unfinished, so it is not parsed: words are looked at, with what is before them. Nothing is read of a
topic; the audit has the topics whose columns were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.datatypes import ArrayType, DataType, MapType, StructType, to_ddl
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.paths import FieldPath, StepKind
from policies.audit.actions import AuditAction
from policies.decision.agents import stated_purpose
from policies.model import Effect, Subject
from policies.plan import explain
from policies.plan.ports import QueryTable
from policies.plan.prepare import Preparer
from policies.plan.value_columns import kind_of
from policies.plan.views import SYSTEM_TYPES, Column, GovernedTable
from policies.query.door import AuditedGate
from policies.sql import inventory
from policies.sql.names import fold, name_sql, table_sql
from policies.sql.unfinished import Unfinished, read
from policies.sql.words import words

KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "INNER JOIN", "FULL JOIN",
    "CROSS JOIN", "ON", "USING", "AS", "AS OF", "AS OF EARLIEST", "AS OF OFFSETS", "AND", "OR", "NOT", "IN", "BETWEEN",
    "LIKE", "ILIKE", "RLIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "UNION",
    "UNION ALL", "INTERSECT", "EXCEPT", "WITH", "VALUES", "LATERAL VIEW", "OVER", "PARTITION BY", "QUALIFY", "PIVOT",
    "UNPIVOT", "ASC", "DESC", "NULLS FIRST", "NULLS LAST", "CAST", "TRY_CAST", "INTERVAL", "TRUE", "FALSE", "NULL",
    "EXISTS", "TABLESAMPLE", "EMIT CHANGES", "SHOW TABLES", "SHOW COLUMNS FROM", "DESCRIBE", "EXPLAIN",
)  # fmt: skip
_SYSTEM = words("_key _headers _partition _offset _timestamp _value")
ACTION: AuditAction = "query.complete"
_MOST = 200
_MOST_TABLES = 50
"""Tables are decided one by one, so only the first that fit are looked at."""
_MOST_NAMED = 20
"""Tables that a text names itself: likewise."""

References = Callable[[], Iterable[str]]
"""Every topic of the catalog, as `CLUSTER/TOPIC`."""


@dataclass(frozen=True, slots=True)
class Item:
    """One proposal. `insert` replaces the word before the cursor."""

    label: str
    kind: Literal["table", "column", "function", "keyword"]
    detail: str
    insert: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposals at a cursor: `sql[start:end]` is what an item's `insert` replaces."""

    items: list[Item]
    start: int
    end: int


class Completion:
    """The service behind `/api/v1/query/complete`."""

    def __init__(self, preparer: Preparer, trail: AuditedGate, references: References) -> None:
        self._preparer, self._trail, self._references = preparer, trail, references

    def complete(
        self, subject: Subject, sql: str, position: int | None = None, purpose: str | None = None
    ) -> Proposals:
        """What may be written at the cursor.

        `position` counts characters from 0 to the cursor; the end of the text when None. Raises Unavailable.
        """
        if position is not None and not 0 <= position <= len(sql):
            raise InvalidInput(
                f"position {position} is outside the text of {len(sql)} characters; count from 0 to the cursor.",
                details={"position": position},
            )
        purpose = stated_purpose(subject, purpose)
        self._trail.purpose(subject, purpose, ACTION)
        at = len(sql) if position is None else position
        text = read(sql, at)
        items: list[Item] = []
        if text is not None:
            candidates = (
                self._tables(subject, text, purpose) if text.wants_table else self._inside(subject, text, purpose)
            )
            for item in candidates:
                items.append(item)
                if len(items) >= _MOST:
                    break
        start = text.start if text is not None else at
        return Proposals(items, start, at)

    # --- tables ----------------------------------------------------------------------------------------------------

    def _tables(self, subject: Subject, text: Unfinished, purpose: str | None) -> Iterator[Item]:
        references = sorted(r for r in self._preparer.shown(subject, self._references()) if "/" in r)
        names = [r.partition("/") for r in references]
        topics = [topic for _, _, topic in names]
        prefix, before = fold(text.word), [fold(part) for part in text.chain]
        if not before:
            for cte in text.ctes:
                if fold(cte).startswith(prefix):
                    yield Item(cte, "table", "named in this query", name_sql(cte))
            clusters = dict.fromkeys(cluster for cluster, _, _ in names)
            if len(clusters) > 1:
                yield from (
                    Item(c, "table", "cluster", name_sql(c) + ".")
                    for c in clusters
                    if prefix and fold(c).startswith(prefix)
                )
        fits = []
        for cluster, _, topic in names:
            # `shop.ord` may be the start of the topic shop.orders, or of orders in the cluster shop.
            whole = fold(".".join([*text.chain, text.word]))
            if (
                before
                and before[0] == fold(cluster)
                and fold(topic).startswith(fold(".".join([*text.chain[1:], text.word])))
            ):
                fits.append((0, cluster, topic, _rest(text, topic, len(text.chain) - 1)))
            elif not before and prefix in fold(topic):
                short = topics.count(topic) == 1
                rank = 0 if fold(topic).startswith(prefix) else 1
                fits.append((rank, cluster, topic, table_sql("" if short else cluster, topic)))
            elif before and fold(topic).startswith(whole):
                fits.append((0, cluster, topic, _rest(text, topic, len(text.chain))))
        refused = []
        for _, cluster, topic, insert in sorted(fits)[:_MOST_TABLES]:
            open_, detail = self._access(subject, f"{cluster}/{topic}", purpose)
            item = Item(topic, "table", detail, insert)
            if open_:
                yield item
            else:
                refused.append(item)
        yield from refused

    def _access(self, subject: Subject, reference: str, purpose: str | None) -> tuple[bool, str]:
        try:
            table = self._preparer.table(reference, subject)
        except (InvalidInput, NotFound):
            return False, f"{reference} · cannot be queried"
        except Conflict:
            return False, f"{reference} · a view that has no rows yet"
        decision = self._preparer.decide(subject, table, purpose)
        if decision.effect is not Effect.ALLOW:
            return False, f"{reference} · no access yet: weir request create {reference}"
        masked = sum(explain.is_masked(c) for c in decision.columns)
        return True, f"{reference} · {len(decision.columns)} fields" + (f", {masked} masked" if masked else "")

    # --- columns, functions, keywords ------------------------------------------------------------------------------

    def _inside(self, subject: Subject, text: Unfinished, purpose: str | None) -> Iterator[Item]:
        tables = [(alias, governed) for alias, governed in self._governed(subject, text, purpose)]
        prefix = fold(text.word)
        if text.chain:
            yield from _below(tables, text, prefix)
            return
        columns = [item for _, governed in tables for item in _columns(governed, prefix)]
        several = len(tables) > 1
        yield from (dict.fromkeys(columns) if several else columns)
        if several or prefix:
            yield from (
                Item(alias, "table", governed.table.reference, name_sql(alias) + ".")
                for alias, governed in tables
                if fold(alias).startswith(prefix)
            )
        yield from (
            Item(word, "keyword", "keyword", word) for word in KEYWORDS if not prefix or fold(word).startswith(prefix)
        )
        if prefix:
            for name, function in sorted(inventory.functions().items()):
                if function.verdict == "allowed" and name.startswith(prefix) and name[0].isalpha():
                    yield Item(name, "function", "function", f"{name}(")

    def _governed(self, subject: Subject, text: Unfinished, purpose: str | None) -> Iterator[tuple[str, GovernedTable]]:
        for alias, parts in text.tables[:_MOST_NAMED]:
            try:
                table = self._preparer.table(".".join(parts), subject)
                decision = self._preparer.decide(subject, table, purpose)
                self._trail.looked(subject, ACTION, purpose, "", str(decision.effect), [table.reference])
                if decision.effect is Effect.ALLOW:
                    yield alias, self._preparer.view(table, decision)
            except (InvalidInput, NotFound, Conflict):
                continue


def _rest(text: Unfinished, topic: str, count: int) -> str:
    """What to write after the parts that are there. Spark does not take a topic's own dots for separators."""
    return name_sql(topic) if count <= 0 else ".".join(map(name_sql, topic.split(".")[count:]))


def _columns(governed: GovernedTable, prefix: str) -> Iterator[Item]:
    system = [c for c in governed.shown if c.name in _SYSTEM]
    own = [c for c in governed.shown if c.name not in _SYSTEM]
    for column in (*own, *(system if prefix else ())):
        if fold(column.name).startswith(prefix):
            yield Item(column.name, "column", _detail(governed, column, []), name_sql(column.name))


def _detail(governed: GovernedTable, column: Column, names: Sequence[str], kind: DataType | None = None) -> str:
    if kind is None and not names:
        kind = _kind(governed.table, column)
    decisions = explain.within(governed, column, names)
    description = explain.describe(decisions, True, column.note)
    shape = _short(kind) if kind is not None else SYSTEM_TYPES.get(column.name, "string").lower()
    return f"{shape} · {description['effect']}" + (
        f" {', '.join(description['masks'])}" if description.get("masks") else ""
    )


def _short(kind: DataType) -> str:
    if isinstance(kind, StructType):
        return "struct"
    if isinstance(kind, ArrayType):
        return f"array<{_short(kind.element)}>"
    if isinstance(kind, MapType):
        return f"map<{_short(kind.key)}, {_short(kind.value)}>"
    return to_ddl(kind).lower()


def _kind(table: QueryTable, column: Column) -> DataType | None:
    return kind_of(table, column.name, column.path)


def _below(tables: Sequence[tuple[str, GovernedTable]], text: Unfinished, prefix: str) -> Iterator[Item]:
    """What is below `o.customer.` or `customer.`."""
    first, *rest = text.chain
    for alias, governed in tables:
        if fold(alias) == fold(first):
            yield from _columns(governed, prefix) if not rest else _fields(governed, rest[0], rest[1:], prefix)
            if rest:
                return
    for _, governed in tables:
        yield from _fields(governed, first, rest, prefix)


def _fields(governed: GovernedTable, name: str, names: Sequence[str], prefix: str) -> Iterator[Item]:
    column = explain.find(governed, name)
    if column is None or column.sql is None or column.path is None:
        return
    kind = _kind(governed.table, column)
    for each in names:
        kind = _unwrapped(kind)
        if isinstance(kind, MapType):
            kind = kind.value
        elif isinstance(kind, StructType):
            kind = kind.get(each) or next((k for n, k in kind.fields if fold(n) == fold(each)), None)
        else:
            return
    kind = _unwrapped(kind)
    inside: list[tuple[str, DataType | None]] = []
    if isinstance(kind, StructType):
        inside = [(n, k) for n, k in kind.fields]
    elif isinstance(kind, MapType):
        inside = [(key, kind.value) for key in _keys(governed, column, names)]
    elif column.name == "_headers" and not names:
        inside = [(n, k) for n, k in governed.table.headers.fields]
    for field, below in inside:
        decisions = explain.within(governed, column, [*names, field])
        if fold(field).startswith(prefix) and any(d.effect is Effect.ALLOW for d in decisions):
            yield Item(field, "column", _detail(governed, column, [*names, field], below), name_sql(field))


def _unwrapped(kind: DataType | None) -> DataType | None:
    while isinstance(kind, ArrayType):
        kind = kind.element
    return kind


def _keys(governed: GovernedTable, column: Column, names: Sequence[str]) -> list[str]:
    """Keys of a map that the catalog knows by name."""
    path = explain.path_of(governed, column, names)
    depth = len(path.steps)
    keys: dict[str, None] = {}
    for field in governed.table.facts.fields:
        steps = FieldPath.parse(field.path).steps
        if len(steps) > depth and steps[:depth] == path.steps and steps[depth].kind is StepKind.MAP_KEY:
            keys.setdefault(steps[depth].name or "")
    return [key for key in keys if key]
