"""Statements about the catalog: SHOW, DESCRIBE and EXPLAIN. Words only; the query within EXPLAIN goes through the gate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from catalog.errors import SqlRefused
from policies.sql.errors import refused
from policies.sql.statement_reader import MOST_CHARACTERS, StatementReader, beginning, blank, tokens
from policies.sql.words import words

_QUERIES = words("select with from values")
_CLUSTERS = words("databases schemas namespaces catalogs clusters")
_EXPLAIN_WORDS = words("extended formatted cost codegen verbose logical")
_FIRST = beginning("show|describe|desc|explain")
_SHOWN = "SHOW TABLES, SHOW COLUMNS FROM a topic, SHOW DATABASES and SHOW FUNCTIONS"


class About(StrEnum):
    """What a statement asks for."""

    TABLES = "tables"
    COLUMNS = "columns"
    CLUSTERS = "clusters"
    FUNCTIONS = "functions"
    DESCRIPTION = "description"
    RESULT = "result"  # DESCRIBE SELECT ...
    PLAN = "plan"  # EXPLAIN SELECT ...


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about the catalog.

    word     its first words, in upper case; for CLUSTERS that is which of the words was used
    name     the dataset or cluster, as written; `at` is where it begins in the text
    column   the column and the fields below it, of DESCRIBE; `column_at` is where it begins
    pattern  of names: * and % match any characters, | is or; None = all
    query    the query within, at its own place in the text: what comes before is blank
    """

    about: About
    word: str
    name: tuple[str, ...] = ()
    at: int = 0
    column: tuple[str, ...] = ()
    pattern: str | None = None
    extended: bool = False
    query: str | None = None
    column_at: int = 0

    def fits(self, name: str) -> bool:
        """Whether a name is asked for; letter case does not matter."""
        return self.pattern is None or fits(self.pattern, name)

    def without_literals(self) -> str:
        """For the audit."""
        parts = [self.word, ".".join(self.name), ".".join(self.column), "LIKE ?" if self.pattern is not None else ""]
        return " ".join(part for part in parts if part)


def read(sql: str) -> Statement | None:
    """The statement, or None for a text that begins like anything else. Raises SqlRefused for one that is not complete."""
    first = _FIRST.match(sql)
    if first is None or len(sql) > MOST_CHARACTERS:
        return None
    reader = _Reader(sql, tokens(sql))
    if first[1].lower() == "show":
        return reader.show()
    return reader.explain() if first[1].lower() == "explain" else reader.describe()


def fits(pattern: str, name: str) -> bool:
    """Whether a name is one of a pattern's: * and % are any characters, | is or; letter case does not matter."""
    return any(_fits(re.split(r"[*%]+", way), name.lower()) for way in pattern.split("|"))


def names_table(statement: Statement, sql: str) -> str:
    """A query of the dataset that DESCRIBE or SHOW COLUMNS names, the name at its own place in the text."""
    written = ".".join("`" + part.replace("`", "``") + "`" for part in statement.name)
    before = blank(sql[: statement.at])
    at = re.search(r"[^\n]{4}\s+\Z", before)
    return before[: at.start()] + "FROM" + before[at.start() + 4 :] + written if at else f"FROM {written}"


def _fits(pieces: Sequence[str], name: str) -> bool:
    """`a*b*c` without a regular expression: nothing to run away with."""
    lowered = [piece.strip().lower() if len(pieces) == 1 else piece.lower() for piece in pieces]
    if len(lowered) == 1:
        return lowered[0] == name
    start, *middle, end = lowered
    if not (name.startswith(start) and name.endswith(end) and len(name) >= len(start) + len(end)):
        return False
    at, upto = len(start), len(name) - len(end)
    for piece in middle:
        index = name.find(piece, at, upto)
        if index < 0:
            return False
        at = index + len(piece)
    return True


class _Reader(StatementReader):
    __slots__ = ()

    def show(self) -> Statement:
        kind = self.word()
        self.next += kind is not None
        if kind in ("tables", "topics"):
            name, at = self._within()
            return self._end(Statement(About.TABLES, "SHOW TABLES", name, at, pattern=self.pattern("order*")))
        if kind == "columns":
            if self.word() not in ("from", "in"):
                raise self.refusal("Name the topic: SHOW COLUMNS FROM orders.")
            name, at = self._within()
            cluster, _ = self._within()
            return self._end(Statement(About.COLUMNS, "SHOW COLUMNS", (*cluster, *name), at))
        if kind in _CLUSTERS:
            return self._end(Statement(About.CLUSTERS, f"SHOW {kind}".upper(), pattern=self.pattern("order*")))
        if kind in ("functions", "user", "system", "all"):
            self.next += self.word() == "functions"
            return self._end(Statement(About.FUNCTIONS, "SHOW FUNCTIONS", pattern=self.pattern("order*")))
        raise self.refusal(f"Of SHOW there is {_SHOWN}; DESCRIBE shows one topic.", at=1)

    def describe(self) -> Statement:
        word = self.word()
        if word in ("query", *_QUERIES) and (word != "query" or self.word(1) in (*_QUERIES, "table")):
            if word == "query":
                self.next += 1
            return Statement(About.RESULT, "DESCRIBE QUERY", query=self._rest())
        if self.text() == "(":
            return Statement(About.RESULT, "DESCRIBE QUERY", query=self._rest())
        if word in ("function", "database", "schema", "catalog") and len(self.tokens) > self.next + 1:
            raise self.refusal(f"DESCRIBE shows a topic or a query, not a {word}.")
        if word == "table" and len(self.tokens) > self.next + 1:
            self.next += 1
        extended = self.word() in ("extended", "formatted") and len(self.tokens) > self.next + 1
        self.next += extended
        name, at = self._name("Name the topic: DESCRIBE orders.")
        column: tuple[str, ...] = ()
        column_at = 0
        if self.next < len(self.tokens) and self.tokens[self.next].name is not None:
            column, column_at = self._name("")
        statement = Statement(About.DESCRIPTION, "DESCRIBE", name, at, column, extended=extended, column_at=column_at)
        return self._end(statement)

    def explain(self) -> Statement:
        word = self.word()
        if word == "analyze":
            raise self.refusal("EXPLAIN runs nothing; leave out ANALYZE.")
        self.next += word in _EXPLAIN_WORDS and self.next + 1 < len(self.tokens)
        if self.next >= len(self.tokens):
            raise self.refusal("EXPLAIN takes a query, as in EXPLAIN SELECT order_id FROM orders.")
        return Statement(About.PLAN, "EXPLAIN", query=self._rest())

    def _rest(self) -> str:
        start = self.tokens[self.next].start
        return blank(self.sql[:start]) + self.sql[start:]

    def _within(self) -> tuple[tuple[str, ...], int]:
        if self.word() not in ("from", "in"):
            return (), 0
        self.next += 1
        return self._name("A name is missing behind FROM or IN.")

    def _name(self, missing: str) -> tuple[tuple[str, ...], int]:
        """A name, and where it begins in the text."""
        start = self.place()
        return self.name(missing), start

    def _end(self, statement: Statement) -> Statement:
        if self.next < len(self.tokens):
            left = self.tokens[self.next]
            if left.text == ";":
                raise refused(self.sql, left.start + 1, "One statement at a time.", "several-statements")
            dash = (
                " A name with a dash, a slash or a colon goes in back-quotes."
                if left.text in ("-", "/", ":", '"')
                else ""
            )
            raise self.refusal(f"{statement.word} ends before this.{dash}")
        return statement


__all__ = ["About", "SqlRefused", "Statement", "fits", "names_table", "read"]
