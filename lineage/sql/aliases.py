"""Where a dialect lets a name mean a column of the SELECT's own list. A column that is read goes before it everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

EARLIER, ALL = "earlier", "all"


@dataclass(frozen=True, slots=True)
class AliasRule:
    """The clauses that see the names of a SELECT list.

    listed   what an expression of the list sees: None, those before it, or all of them
    clauses  the other clauses that see them, by sqlglot's names of them
    strict   whether a column that is neither grouped nor aggregated is refused beside GROUP BY, in any case
    """

    listed: str | None = ALL
    clauses: frozenset[str] = frozenset(("where", "prewhere", "group", "having", "qualify", "order"))
    strict: bool = False


def _sees(listed: str | None, *clauses: str, strict: bool = False) -> AliasRule:
    return AliasRule(listed, frozenset((*clauses, "order")), strict)


_OF_GROUPS = ("group", "having", "qualify")
_SPARK = _sees(EARLIER, *_OF_GROUPS, strict=True)
_BIGQUERY = _sees(None, *_OF_GROUPS, strict=True)
_SNOWFLAKE = _sees(ALL, "where", *_OF_GROUPS, strict=True)
_POSTGRES, _MYSQL, _HIVE = _sees(None, "group"), _sees(None, "group", "having"), _sees(None, "having")
_NONE = _sees(None)
_RULES = {
    "spark": _SPARK,
    "sparksql": _SPARK,
    "spark_sql": _SPARK,
    "databricks": _SPARK,
    "redshift": _SPARK,
    "snowflake": _SNOWFLAKE,
    "bigquery": _BIGQUERY,
    "googlesql": _BIGQUERY,
    "postgres": _POSTGRES,
    "postgresql": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "hive": _HIVE,
    "flink": _NONE,
    "flinksql": _NONE,
    "flink_sql": _NONE,
    "ksql": _NONE,
    "ksqldb": _NONE,
    "trino": _NONE,
    "presto": _NONE,
    "prestodb": _NONE,
    "athena": _NONE,
    "tsql": _NONE,
    "mssql": _NONE,
    "sqlserver": _NONE,
    "oracle": _NONE,
}


def alias_rule(dialect: str | None) -> AliasRule:
    """The rule of a dialect; of one that is not known, or that sees them everywhere (DuckDB), any could be meant."""
    return _RULES.get((dialect or "").lower(), AliasRule())


def sure_in_group(select: exp.Select, parts: list[exp.Expression]) -> tuple[set[str], set[str]]:
    """Names in GROUP BY that can only be an output's, and those that can only be a column's.

    An output's where what the list has under the name would else be left ungrouped; a column's where that is aggregated.
    """
    grouped = [_columns(part) for part in parts]
    outputs: set[str] = set()
    columns: set[str] = set()
    for at, part in enumerate(parts):
        listed = _listed(select, part)
        if listed is None:
            continue
        if listed.find(exp.AggFunc) is not None:
            columns.add(part.name.lower())
            continue
        used = _columns(listed)
        others = set().union(*grouped[:at], *grouped[at + 1 :])
        if used and part.name.lower() not in used and not used & others:
            outputs.add(part.name.lower())
    return outputs, columns


def sure_in_having(select: exp.Select, parts: list[exp.Expression]) -> set[str]:
    """Names in HAVING and QUALIFY that can only be an output's: a column would have to be grouped or aggregated."""
    grouped = set().union(*(_columns(part) for part in parts))
    sure: set[str] = set()
    aggregated: set[str] = set()
    for key in ("having", "qualify"):
        clause = select.args.get(key)
        for column in clause.find_all(exp.Column) if clause is not None else ():
            listed = _listed(select, column)
            if listed is not None and listed.find(exp.AggFunc) is not None and column.name.lower() not in grouped:
                (aggregated if column.find_ancestor(exp.AggFunc) is not None else sure).add(column.name.lower())
    return sure - aggregated


def _listed(select: exp.Select, name: exp.Expression) -> exp.Expression | None:
    """The expression that the list gives the name of a bare column."""
    if not isinstance(name, exp.Column) or len(name.parts) != 1:
        return None
    wanted = name.name.lower()
    return next((each for each in select.expressions if each.alias_or_name.lower() == wanted), None)


def _columns(node: exp.Expression) -> set[str]:
    return {column.parts[0].name.lower() for column in node.find_all(exp.Column)}
