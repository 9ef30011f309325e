"""Text -> syntax trees, for eight dialects. Flink and ksqlDB are rewritten, word by word, into what a parser knows."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from lineage.sql.limits import MAX_CHARACTERS, check_tokens, check_tree, shortened
from lineage.sql.matches import MEASURES_LAST
from lineage.sql.model import NotUnderstood, TooComplex
from lineage.sql.rewriting import flink, ksqldb
from lineage.sql.rewriting.tokens import token

Rewrite = Callable[[list[Token]], list[Token]]

_READ_AS = {
    "flink": "spark",
    "ksql": "spark",
    "ksqldb": "spark",
    "sparksql": "spark",
    "spark_sql": "spark",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "flinksql": "spark",
    "flink_sql": "spark",
    "googlesql": "bigquery",
    "prestodb": "presto",
    "sqlserver": "tsql",
    "mssql": "tsql",
    "generic": "",
    "ansi": "",
    "sql": "",
}
_REWRITES: dict[str, Rewrite] = {
    "flink": flink.rewrite,
    "flinksql": flink.rewrite,
    "flink_sql": flink.rewrite,
    "ksql": ksqldb.rewrite,
    "ksqldb": ksqldb.rewrite,
}
_REPLACE = re.compile(r"(\A|;)(\s{0,200})REPLACE(?=\s{1,200}INTO\b)", re.IGNORECASE)
"""MySQL's and SQLite's `REPLACE INTO`, which the tokenizer leaves unread: for what it reads and writes, an INSERT."""
_UPPER = {"ksql", "ksqldb", "snowflake", "oracle"}
_LOWER = {"postgres", "postgresql", "redshift", "trino", "presto", "prestodb", "athena"}


def known(dialect: str | None) -> bool:
    """Whether text of this dialect is read as what it is; any other is read as plain SQL."""
    name = (dialect or "").lower()
    return name in _READ_AS or Dialect.get(name) is not None


def spelling(dialect: str | None) -> Callable[[str], str]:
    """How a dialect writes down a name that was not quoted."""
    name = (dialect or "").lower()
    return str.upper if name in _UPPER else str.lower if name in _LOWER else str


def statements(sql: str, dialect: str | None) -> list[exp.Expression]:
    """The statements of a text. Raises TooComplex, NotUnderstood."""
    if len(sql) > MAX_CHARACTERS:
        raise TooComplex(f"the text has {len(sql):,} characters; at most {MAX_CHARACTERS:,} are read")
    name = (dialect or "").lower()
    reader = Dialect.get_or_raise((_READ_AS.get(name, name) if known(name) else "") or None)
    try:
        text = flink.unwrapped(sql) if name.startswith("flink") else _REPLACE.sub(r"\1\2INSERT", sql)
        tokens = shortened(reader.tokenize(text))
        check_tokens(tokens)
        tokens = [_as_name(tokens, at) for at in range(len(tokens))]
        if name in _REWRITES:
            tokens = _REWRITES[name](tokens)
        trees = [tree for tree in reader.parser().parse(tokens, sql) if tree is not None]
    except SqlglotError as error:
        raise NotUnderstood(_where(error)) from None
    except RecursionError:
        raise TooComplex("it is nested too deeply") from None
    _read["texts"] += 1
    for tree in trees:
        check_tree(tree)
        _mark_order(tree, name)
    return trees


_read = {"texts": 0}


def texts_read() -> int:
    """Texts whose syntax trees were made so far. A tree is full of cycles, which only the collector frees."""
    return _read["texts"]


def _mark_order(tree: exp.Expression, name: str) -> None:
    """Note on the tree what a dialect does of its own with the order of columns."""
    if name in ("bigquery", "googlesql"):  # UNPIVOT gives its values before their names
        for pivot in tree.find_all(exp.Pivot):
            pivot.set("value_columns_first", True)
    if name == "snowflake":  # MATCH_RECOGNIZE ... ALL ROWS PER MATCH gives the columns as they are, then the measures
        for match in tree.find_all(exp.MatchRecognize):
            match.meta[MEASURES_LAST] = True


def _as_name(tokens: list[Token], at: int) -> Token:
    """Spark's function and column `window`, which the parser takes for the WINDOW clause."""
    each, after = tokens[at], tokens[at + 1].token_type if at + 1 < len(tokens) else None
    if each.token_type is TokenType.WINDOW and after in (TokenType.L_PAREN, TokenType.DOT):
        return token(TokenType.VAR, each.text, each)
    return each


def _where(error: SqlglotError) -> str:
    """The place of a fault, without the words around it, which may be values."""
    places = getattr(error, "errors", None) or [{}]
    line = places[0].get("line")
    return f"it cannot be read at line {line}" if line else "it cannot be read"
