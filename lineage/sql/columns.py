"""SQL text -> column lineage: what each statement writes, and from which columns. One pass, nothing guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from lineage.sql.dialects import known as known_dialect
from lineage.sql.dialects import spelling, statements
from lineage.sql.limits import Budget
from lineage.sql.model import (
    DIRECT,
    FILTER,
    IDENTITY,
    INDIRECT,
    JOIN,
    ColumnEdge,
    Columns,
    NotUnderstood,
    SqlLineage,
    TooComplex,
    Way,
)  # fmt: skip
from lineage.sql.queries import Queries, table_name
from lineage.sql.relations import ELEMENT, BaseTable, Opaque, Output, Relation, Value, spelled_in
from lineage.sql.scope import Scope

_SILENT = (
    "SET",
    "USE",
    "DROP",
    "ANALYZE",
    "REFRESH",
    "GRANT",
    "REVOKE",
    "COMMENT",
    "TRUNCATE",
    "CACHE",
    "BEGIN",
    "COMMIT",
)


def columns_from_sql(
    sql: str, dialect: str | None = None, schemas: Mapping[str, Columns] | Callable[[str], Columns | None] | None = None
) -> SqlLineage:
    """Column lineage of one or several statements. Never raises: what cannot be told is in `unknown`.

    dialect   spark, flink, ksqldb, trino, postgres, mysql, snowflake, bigquery, or another that sqlglot knows; plain SQL
              when it is none of them
    schemas   columns of tables, by the name the text uses (case does not count), or a function that tells them
    """
    said = SqlLineage()
    if dialect and not known_dialect(dialect):
        said.doubt(f"dialect {dialect[:40]!r} is not known; read as plain SQL")
    try:
        Statements(said, dialect, _lookup(schemas)).read(statements(sql, dialect))
    except (TooComplex, NotUnderstood) as error:
        said.doubt(f"the statement is not read: {error}")
    except RecursionError:
        said.doubt("the statement is not read: it is nested too deeply")
    return said


def _lookup(
    schemas: Mapping[str, Columns] | Callable[[str], Columns | None] | None,
) -> Callable[[str], Columns | None]:
    if schemas is None:
        return lambda table: None
    if callable(schemas):
        return schemas
    lowered = {name.lower(): columns for name, columns in schemas.items()}
    return lambda table: lowered.get(table.lower())


class Statements:
    """Reads statements in order; a table that one of them makes is known to those after it."""

    def __init__(self, said: SqlLineage, dialect: str | None, known: Callable[[str], Columns | None]) -> None:
        self._said, self._known = said, known
        self._spell = spelling(dialect)
        self._made: dict[str, Columns] = {}
        self._budget = Budget()

    def read(self, trees: Iterable[exp.Expression]) -> None:
        for tree in trees:
            queries = Queries(self._said, self._columns, self._budget)
            match tree:
                case exp.Create():
                    self._create(tree, queries)
                case exp.Insert():
                    self._insert(tree, queries)
                case exp.MultitableInserts():
                    self._said.doubt("an insert into several tables is not read")
                case exp.Merge():
                    self._merge(tree, queries)
                case exp.Update():
                    self._update(tree, queries)
                case exp.Query():
                    self._write(queries, "", queries.table(tree, "", None).outputs, None, queries.table)
                case exp.Delete() | exp.Drop() | exp.Set() | exp.Use() | exp.Alter() | exp.Command() | exp.Describe():
                    if isinstance(tree, exp.Command) and str(tree.this).upper() not in _SILENT:
                        self._said.doubt(f"a statement {str(tree.this).upper()[:20]} is not read")
                case _ if type(tree).__name__.upper() in _SILENT:
                    continue
                case _:
                    self._said.doubt(f"a statement {type(tree).__name__.upper()} is not read")

    def _columns(self, table: str) -> Columns | None:
        made = self._made.get(table.lower())
        return made if made is not None else self._known(table)

    # -- CREATE -------------------------------------------------------------------------------------------------------

    def _create(self, tree: exp.Create, queries: Queries) -> None:
        if str(tree.args.get("kind") or "").upper() not in ("TABLE", "VIEW", "STREAM", "MATERIALIZED VIEW"):
            return
        holder = tree.this
        table = holder.this if isinstance(holder, exp.Schema) else holder
        if not isinstance(table, exp.Table):
            return
        name = table_name(table)
        defined = list(holder.expressions) if isinstance(holder, exp.Schema) else []
        given = [each.name for each in defined if isinstance(each, exp.ColumnDef | exp.Identifier)]
        self._topic(name, tree)
        query = tree.args.get("expression")
        if query is None:
            columns = _defined(defined)
            if columns:
                self._made[name.lower()] = columns
            return
        if not isinstance(query, exp.Query):
            self._said.doubt("the query of a CREATE is not read")
            return
        found = queries.table(query, "", None, self._with(tree, queries))
        names = given or [self._spelled(output.name, query) for output in found.outputs]
        if found.open:
            self._said.doubt(f"the columns of {name} are not all known: a star stands over a table of unknown columns")
        else:
            self._made[name.lower()] = dict.fromkeys(names)
        self._emit(queries, name, zip(names, found.outputs, strict=False))

    def _topic(self, name: str, tree: exp.Create) -> None:
        properties = tree.args.get("properties")
        for each in properties.expressions if properties is not None else ():
            key = each.this.name if isinstance(each, exp.Property) and isinstance(each.this, exp.Expression) else ""
            key = key or (str(each.this) if isinstance(each, exp.Property) else "")
            value = each.args.get("value")
            if key.lower() in ("topic", "kafka_topic") and isinstance(value, exp.Literal):
                self._said.topics[name] = value.name

    # -- INSERT, queries ----------------------------------------------------------------------------------------------

    def _insert(self, tree: exp.Insert, queries: Queries) -> None:
        holder = tree.this
        table = holder.this if isinstance(holder, exp.Schema) else holder
        query = tree.args.get("expression")
        if not isinstance(table, exp.Table) or not isinstance(query, exp.Query | exp.Table):
            if isinstance(table, exp.Table) and isinstance(query, exp.Values):
                self._said.outputs.add(table_name(table))
                return
            self._said.doubt("an INSERT is not read")
            return
        name = table_name(table)
        found = queries.table(query, "", None, self._with(tree, queries))
        columns: list[str] | None = (
            [each.name for each in holder.expressions] if isinstance(holder, exp.Schema) else None
        )
        if columns is None and tree.args.get("by_name"):
            columns = [self._spelled(output.name, query) for output in found.outputs]
        if columns is None:
            columns = self._by_place(table, name, found.outputs, bool(found.open))
        self._doubt_conflict(tree, name)
        if columns is None:
            self._emit(queries, name, ())
        else:
            self._emit(queries, name, zip(columns, found.outputs, strict=False))

    def _doubt_conflict(self, tree: exp.Insert, name: str) -> None:
        """ON CONFLICT and ON DUPLICATE KEY may write a column from another; `a = EXCLUDED.a` is what INSERT writes."""
        conflict = tree.args.get("conflict")
        for each in conflict.expressions if isinstance(conflict, exp.Expression) else ():
            target = each.this.name.lower() if isinstance(each, exp.EQ) else ""
            if any(column.name.lower() != target for column in each.expression.find_all(exp.Column)):
                self._said.doubt(f"what {name} is given where a row is there already is not read")

    def _by_place(self, table: exp.Table, name: str, outputs: list[Output], is_open: bool) -> list[str] | None:
        """The target's columns, in its order: an INSERT without a list goes by place."""
        known = self._columns(name)
        if known is None or is_open:
            why = "a star stands over a table of unknown columns" if is_open else "its columns are not known"
            self._said.doubt(f"which columns of {name} are written cannot be told: {why}, and INSERT goes by place")
            return None
        partition = table.args.get("partition")
        fixed = {
            each.this.name.lower()
            for each in (partition.expressions if isinstance(partition, exp.Expression) else ())
            if isinstance(each, exp.EQ)
        }
        columns = [column for column in known if column.lower() not in fixed]
        if len(columns) != len(outputs):
            self._said.doubt(f"which columns of {name} are written cannot be told: {len(outputs)} values for"
                             f" {len(columns)} columns")  # fmt: skip
            return None
        return columns

    def _write(self, queries: Queries, name: str, outputs: list[Output], names: list[str] | None, _: object) -> None:
        self._emit(queries, name, ((names[n] if names else output.name, output) for n, output in enumerate(outputs)))

    def _with(self, tree: exp.Expression, queries: Queries) -> dict[str, Relation]:
        return queries._with(tree, None, {})

    def _spelled(self, name: str, query: exp.Expression) -> str:
        """An output's name as the engine writes it down: quoted names stay as they are."""
        for each in getattr(query, "selects", ()):
            if each.alias_or_name == name:
                identifier = each.args.get("alias") or each.this
                if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
                    return name
        return self._spell(name)

    # -- MERGE, UPDATE ------------------------------------------------------------------------------------------------

    def _merge(self, tree: exp.Merge, queries: Queries) -> None:
        table = tree.this
        scope = Scope(self._said, self._budget, None, self._with(tree, queries))
        before = set(self._said.inputs)
        queries._add(table, scope)
        own = table_name(table)
        queries._add(tree.args["using"], scope)
        source = list(scope.sources.values())[-1]
        queries.influence(tree.args.get("on"), scope, JOIN)
        assigned: list[tuple[str, Output]] = []
        whens = tree.args.get("whens")
        for when in whens.expressions if whens is not None else ():
            queries.influence(when.args.get("condition"), scope, FILTER)
            assigned += self._merged(own, when.args.get("then"), scope, source, queries)
        self._emit(queries, own, assigned)
        if own not in before and not any(edge.source.table == own for edge in self._said.edges):
            self._said.inputs.discard(own)

    def _merged(
        self, own: str, then: exp.Expression | None, scope: Scope, source: Relation, queries: Queries
    ) -> list[tuple[str, Output]]:
        if isinstance(then, exp.Update):
            if then.expressions and not any(isinstance(each, exp.Star) for each in then.expressions):
                return self._assignments(then.expressions, scope, queries)
        elif isinstance(then, exp.Insert):
            columns, values = then.this, then.expression
            if isinstance(values, exp.Tuple):
                # There is no row of the target to insert: bare names are the source's.
                key = next(name for name, each in scope.sources.items() if each is source)
                scope = Scope(self._said, self._budget, None, scope.ctes, {key: source}, scope.full_names)
                if isinstance(columns, exp.Tuple):
                    names = [each.name for each in columns.expressions]
                else:
                    names = list(self._columns(own) or ())
                    if len(names) != len(values.expressions):
                        self._said.doubt(f"which columns of {own} a MERGE inserts cannot be told")
                        return []
                return [(n, _output(n, v, scope, queries)) for n, v in zip(names, values.expressions, strict=False)]
        else:
            return []
        known = source.names()
        if known is None:
            self._said.doubt(f"which columns of {own} a MERGE with * writes cannot be told")
            return []
        own_columns = self._columns(own)
        fits = [name for name in known if own_columns is None or spelled_in(own_columns, name) is not None]
        return [(name, Output(name, _finder(source, name))) for name in fits]

    def _update(self, tree: exp.Update, queries: Queries) -> None:
        table = tree.this
        if not isinstance(table, exp.Table):
            self._said.doubt("an UPDATE is not read")
            return
        scope = Scope(self._said, self._budget, None, self._with(tree, queries))
        before = set(self._said.inputs)
        queries._add(table, scope)
        source = tree.args.get("from_")
        if source is not None:
            queries._add(source.this, scope)
            for join in source.this.args.get("joins") or ():
                queries._join(join, scope)
        queries.influence(tree.args.get("where"), scope, FILTER)
        own = table_name(table)
        named = {tuple(p.name for p in each.this.parts[:-1]) for each in tree.expressions
                 if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column)}  # fmt: skip
        if len(named) > 1:
            self._said.doubt("an UPDATE of several tables is not read")
            return
        held = [scope.source(parts) for parts in named if parts]
        if held and isinstance(held[0], BaseTable):  # MySQL's, of which any of the joined tables may be the target
            own = held[0].name
        self._emit(queries, own, self._assignments(tree.expressions, scope, queries))
        if own not in before and not any(edge.source.table == own for edge in self._said.edges):
            self._said.inputs.discard(own)

    def _assignments(self, parts: Iterable[exp.Expression], scope: Scope, queries: Queries) -> list[tuple[str, Output]]:
        found = []
        for each in parts:
            if isinstance(each, exp.EQ | exp.PropertyEQ) and isinstance(each.this, exp.Column):
                found.append((each.this.name, _output(each.this.name, each.expression, scope, queries)))
            else:
                self._said.doubt("an assignment is not read")
        return found

    # -- edges --------------------------------------------------------------------------------------------------------

    def _emit(self, queries: Queries, target: str, outputs: Iterable[tuple[str, Output]]) -> None:
        said = self._said
        said.outputs.add(target)
        known = self._columns(target) if target else None
        for name, output in outputs:
            spelled = (spelled_in(known, name) if known is not None else None) or name
            self._emit_value(target, (spelled,), output.get())
        for origin, subtypes in queries.influences.items():
            self._budget.spend(len(subtypes))
            said.edges.update(ColumnEdge(origin, target, None, Way(INDIRECT, each)) for each in subtypes)

    def _emit_value(self, target: str, field: tuple[str, ...], value: Value) -> None:
        if value.fields:
            for name, part in value.fields.items():
                self._emit_value(target, (*field, name), part)
            return
        for origin, ways in value.ways.items():
            self._budget.spend(len(ways))
            for way in ways:
                itself = origin.table == target and origin.path == field
                if not (itself and way.type == DIRECT and way.subtype == IDENTITY):
                    self._said.edges.add(ColumnEdge(origin, target, field, way))


def _output(name: str, node: exp.Expression, scope: Scope, queries: Queries) -> Output:
    return Output(name, lambda: queries.expressions.value(node, scope))


def _finder(source: Relation, name: str) -> Callable[[], Value]:
    return lambda: source.find(name) or Value()


def _defined(defined: Iterable[exp.Expression]) -> Columns:
    return {each.name: nested_of(each.args.get("kind")) for each in defined if isinstance(each, exp.ColumnDef)}


def nested_of(kind: exp.Expression | None) -> Columns | None:
    """What is inside a column of a type: fields of a struct, `[]` for an array; None for anything else."""
    if not isinstance(kind, exp.DataType):
        return None
    if kind.this in (exp.DataType.Type.STRUCT, exp.DataType.Type.NESTED, exp.DataType.Type.OBJECT):
        return _defined(kind.expressions) or None
    if kind.this in (exp.DataType.Type.ARRAY, exp.DataType.Type.LIST) and kind.expressions:
        return {ELEMENT: nested_of(kind.expressions[0])}
    return None


__all__ = ["Opaque", "columns_from_sql", "nested_of"]
