"""SQL text -> column lineage: what each statement writes, and from which columns. One pass, nothing guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from lineage.sql.aliases import alias_rule
from lineage.sql.dialects import known as known_dialect
from lineage.sql.dialects import spelling, statements
from lineage.sql.from_clause import table_name
from lineage.sql.limits import Budget
from lineage.sql.model import Columns, NotUnderstood, SqlLineage, TooComplex
from lineage.sql.queries import Queries
from lineage.sql.relations import ELEMENT, Output, Relation, renamed
from lineage.sql.row_changes import RowChanges
from lineage.sql.table_names import last_part
from lineage.sql.target import Target

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
    """Column lineage of one or several statements. Never raises: what cannot be determined is in `unknown`.

    dialect   spark, flink, ksqldb, trino, postgres, mysql, snowflake, bigquery, or another that sqlglot knows; plain SQL
              when it is none of them
    schemas   columns of tables, by the name the text uses (case does not count), or a function that returns them
    """
    sql_lineage = SqlLineage()
    if dialect and not known_dialect(dialect):
        sql_lineage.doubt(f"dialect {dialect[:40]!r} is not known; read as plain SQL")
    try:
        Statements(sql_lineage, dialect, _lookup(schemas)).read(statements(sql, dialect))
    except (TooComplex, NotUnderstood) as error:
        sql_lineage.doubt(f"the statement is not read: {error}")
    except RecursionError:
        sql_lineage.doubt("the statement is not read: it is nested too deeply")
    return sql_lineage


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

    def __init__(
        self, sql_lineage: SqlLineage, dialect: str | None, columns_of: Callable[[str], Columns | None]
    ) -> None:
        self.sql_lineage = self._sql_lineage = sql_lineage
        self.named: dict[str, list[Relation]] = {}
        """Names that the text defines, in lower case -> what each means, in each place that defines it."""
        self._known = columns_of
        self._spell, self._names = spelling(dialect), alias_rule(dialect)
        self._inserts_by_name = (dialect or "").lower() in ("ksql", "ksqldb")
        self._made: dict[str, Columns] = {}
        self._budget = Budget()
        self._target = Target(sql_lineage, self._budget, self._columns)
        self._row_changes = RowChanges(sql_lineage, self._budget, self._columns, self._target)

    def read(self, trees: Iterable[exp.Expression]) -> None:
        for tree in trees:
            queries = Queries(self._sql_lineage, self._columns, self._budget, self._names, self.named)
            match tree:
                case exp.Create():
                    self._create(tree, queries)
                case exp.Insert():
                    self._insert(tree, queries)
                case exp.MultitableInserts():
                    self._sql_lineage.doubt("an insert into several tables is not read")
                case exp.Merge():
                    self._row_changes.merge(tree, queries)
                case exp.Update():
                    self._row_changes.update(tree, queries)
                case exp.Select() if (into := _into(tree)) is not None:
                    self._make(table_name(into), tree, [], queries)
                case exp.Query():
                    relation = queries.table(tree, "", None)
                    self._target.emit(queries, "", ((output.name, output) for output in relation.outputs))
                case exp.Delete() | exp.Drop() | exp.Set() | exp.Use() | exp.Alter() | exp.Command() | exp.Describe():
                    if isinstance(tree, exp.Command) and str(tree.this).upper() not in _SILENT:
                        self._sql_lineage.doubt(f"a statement {str(tree.this).upper()[:20]} is not read")
                case _ if type(tree).__name__.upper() in _SILENT:
                    continue
                case _:
                    self._sql_lineage.doubt(f"a statement {type(tree).__name__.upper()} is not read")

    def _columns(self, table: str) -> Columns | None:
        columns = self._made.get(table.lower())
        return columns if columns is not None else self._known(table)

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
        column_names = [each.name for each in defined if isinstance(each, exp.ColumnDef | exp.Identifier)]
        self._topic(name, tree)
        query = tree.args.get("expression")
        if query is None:
            columns = _defined(defined)
            if columns:
                self._made[name.lower()] = columns
            return
        if not isinstance(query, exp.Query):
            self._sql_lineage.doubt("the query of a CREATE is not read")
            return
        self._make(name, query, column_names, queries, queries.ctes(tree, None, {}))

    def _make(
        self,
        name: str,
        query: exp.Query,
        column_names: list[str],
        queries: Queries,
        ctes: dict[str, Relation] | None = None,
    ) -> None:
        """A table that is made of a query, its columns named by `column_names`, else as the query names them."""
        relation = queries.table(query, "", None, ctes)
        names = column_names or [self._spelled(output.name, query) for output in relation.outputs]
        self.named.setdefault(last_part(name), []).append(renamed(relation, name, column_names))
        if relation.open:
            self._sql_lineage.doubt(
                f"the columns of {name} are not all known: a star selects from a table of unknown columns"
            )
        else:
            self._made[name.lower()] = dict.fromkeys(names)
        self._target.emit(queries, name, zip(names, relation.outputs, strict=False))

    def _topic(self, name: str, tree: exp.Create) -> None:
        properties = tree.args.get("properties")
        for each in properties.expressions if properties is not None else ():
            key = each.this.name if isinstance(each, exp.Property) and isinstance(each.this, exp.Expression) else ""
            key = key or (str(each.this) if isinstance(each, exp.Property) else "")
            value = each.args.get("value")
            if key.lower() in ("topic", "kafka_topic") and isinstance(value, exp.Literal):
                self._sql_lineage.topics[name] = value.name

    # -- INSERT, queries ----------------------------------------------------------------------------------------------

    def _insert(self, tree: exp.Insert, queries: Queries) -> None:
        holder = tree.this
        table = holder.this if isinstance(holder, exp.Schema) else holder
        query = tree.args.get("expression")
        if not isinstance(table, exp.Table) or not isinstance(query, exp.Query | exp.Table):
            if isinstance(table, exp.Table) and isinstance(query, exp.Values):
                self._sql_lineage.outputs.add(table_name(table))
                return
            self._sql_lineage.doubt("an INSERT is not read")
            return
        name = table_name(table)
        relation = queries.table(query, "", None, queries.ctes(tree, None, {}))
        columns: list[str] | None = (
            [each.name for each in holder.expressions] if isinstance(holder, exp.Schema) else None
        )
        if columns is None and (tree.args.get("by_name") or self._inserts_by_name):
            columns = [self._spelled(output.name, query) for output in relation.outputs]
        if columns is None:
            columns = self._by_place(table, name, relation.outputs, bool(relation.open))
        self._doubt_conflict(tree, name)
        if columns is None:
            self._target.emit(queries, name, ())
        else:
            self._target.emit(queries, name, zip(columns, relation.outputs, strict=False))

    def _doubt_conflict(self, tree: exp.Insert, name: str) -> None:
        """ON CONFLICT and ON DUPLICATE KEY may write a column from another; `a = EXCLUDED.a` is what INSERT writes."""
        conflict = tree.args.get("conflict")
        for each in conflict.expressions if isinstance(conflict, exp.Expression) else ():
            target = each.this.name.lower() if isinstance(each, exp.EQ) else ""
            if any(column.name.lower() != target for column in each.expression.find_all(exp.Column)):
                self._sql_lineage.doubt(f"what {name} is given where a row is there already is not read")

    def _by_place(self, table: exp.Table, name: str, outputs: list[Output], is_open: bool) -> list[str] | None:
        """The target's columns, in its order: an INSERT without a list goes by place."""
        target_columns = self._columns(name)
        if target_columns is None or is_open:
            why = "a star selects from a table of unknown columns" if is_open else "its columns are not known"
            self._sql_lineage.doubt(
                f"which columns of {name} are written cannot be determined: {why}, and INSERT matches columns by position"
            )
            return None
        partition = table.args.get("partition")
        fixed = {
            each.this.name.lower()
            for each in (partition.expressions if isinstance(partition, exp.Expression) else ())
            if isinstance(each, exp.EQ)
        }
        columns = [column for column in target_columns if column.lower() not in fixed]
        if len(columns) != len(outputs):
            self._sql_lineage.doubt(
                f"which columns of {name} are written cannot be determined: {len(outputs)} values for"
                f" {len(columns)} columns"
            )
            return None
        return columns

    def _spelled(self, name: str, query: exp.Expression) -> str:
        """An output's name as the engine writes it down: quoted names stay as they are."""
        for each in getattr(query, "selects", ()):
            if each.alias_or_name == name:
                identifier = each.args.get("alias") or each.this
                if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
                    return name
        return self._spell(name)


def _into(tree: exp.Select) -> exp.Table | None:
    """The table that a SELECT ... INTO makes. In Oracle and MySQL it is variables that are set."""
    into = tree.args.get("into")
    table = into.this if isinstance(into, exp.Into) and "bulk_collect" not in into.args else None
    return table if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier) else None


def _defined(defined: Iterable[exp.Expression]) -> Columns:
    return {each.name: _nested(each.args.get("kind")) for each in defined if isinstance(each, exp.ColumnDef)}


def _nested(kind: exp.Expression | None) -> Columns | None:
    """What is inside a column of a type: fields of a struct, `[]` for an array; None for anything else."""
    if not isinstance(kind, exp.DataType):
        return None
    if kind.this in (exp.DataType.Type.STRUCT, exp.DataType.Type.NESTED, exp.DataType.Type.OBJECT):
        return _defined(kind.expressions) or None
    if kind.this in (exp.DataType.Type.ARRAY, exp.DataType.Type.LIST) and kind.expressions:
        return {ELEMENT: _nested(kind.expressions[0])}
    return None
