"""CREATE MATERIALIZED VIEW, DROP VIEW and SHOW VIEWS. Words only; the query within CREATE goes through the gate.

CREATE [OR REPLACE] [MATERIALIZED] VIEW [IF NOT EXISTS] shop.revenue_5m
    [WITH (key = 'region, window_start', watermark = '10 minutes', topic = 'prod/shop.revenue-5m')]
    AS SELECT ...
DROP [MATERIALIZED] VIEW [IF EXISTS] shop.revenue_5m
SHOW [MATERIALIZED] VIEWS [LIKE 'shop.*']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from policies.sql.statement_reader import MOST_CHARACTERS, StatementReader, beginning, blank, tokens, unquoted
from policies.sql.words import words

_FIRST = beginning(r"create|drop|show\s+(?:materialized\s+)?views")
_OTHER = words("table stream topic source sink connector database schema function temporary temp global")
_EXAMPLE = "CREATE MATERIALIZED VIEW shop.totals AS SELECT region, sum(amount) AS total FROM orders GROUP BY region"


class ViewAction(StrEnum):
    CREATE = "create"
    DROP = "drop"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class ViewStatement:
    """A statement about stream views.

    options  as written behind WITH, names in lower case; a list is joined by commas
    query    the query within, at its own place in the text: what comes before is blank
    replace  OR REPLACE; lenient: IF NOT EXISTS, or IF EXISTS of DROP
    pattern  of SHOW VIEWS
    """

    action: ViewAction
    name: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    replace: bool = False
    lenient: bool = False
    pattern: str | None = None


def read(sql: str) -> ViewStatement | None:
    """The statement, or None for a text that begins like anything else. Raises SqlRefused for one that is not complete."""
    if _FIRST.match(sql) is None or len(sql) > MOST_CHARACTERS:
        return None
    reader = _Reader(sql, tokens(sql))
    match reader.tokens[0].text.lower():
        case "create":
            return reader.create()
        case "drop":
            return reader.drop()
    return reader.show()


class _Reader(StatementReader):
    __slots__ = ()

    def create(self) -> ViewStatement:
        replace = self._skipped("or", "replace")
        self._view("CREATE", _EXAMPLE)
        lenient = self._skipped("if", "not", "exists")
        name = self._name()
        options = self._options() if self._skipped("with") else {}
        if not self._skipped("as"):
            raise self.refusal(f"AS and a query are missing, as in {_EXAMPLE}.")
        if self.next >= len(self.tokens):
            raise self.refusal("A query is missing behind AS.")
        start = self.tokens[self.next].start
        query = blank(self.sql[:start]) + self.sql[start : self.tokens[-1].end]
        return ViewStatement(
            action=ViewAction.CREATE, name=name, options=options, query=query, replace=replace, lenient=lenient
        )

    def drop(self) -> ViewStatement:
        self._view("DROP", "DROP VIEW shop.totals")
        lenient = self._skipped("if", "exists")
        statement = ViewStatement(ViewAction.DROP, self._name(), lenient=lenient)
        return self._end(statement)

    def show(self) -> ViewStatement:
        self._skipped("materialized")
        self._skipped("views")
        return self._end(ViewStatement(ViewAction.SHOW, pattern=self.pattern("shop.*")))

    def _view(self, verb: str, example: str) -> None:
        token = self.token()
        if token is not None and token.is_word(_OTHER):
            raise self.refusal(f"{verb} is for stream views only, as in {example}.")
        self._skipped("materialized")
        if not self._skipped("view"):
            raise self.refusal(f"{verb} is for stream views only, as in {example}.")

    def _options(self) -> dict[str, str]:
        """`(name = value, ...)`; a value is a text, a number, a name, or several texts in brackets."""
        options: dict[str, str] = {}
        self._mark("(")
        while not self._is(")"):
            at = self.next
            name = self._name().lower()
            if name in options:
                raise self.refusal(f"The option {name} is given twice.", at)
            self._mark("=")
            options[name] = self._value()
            if not self._is(","):
                break
            self.next += 1
        self._mark(")")
        return options

    def _value(self) -> str:
        if not self._is("(", "["):
            return self._one()
        self.next += 1
        values = [self._one()]
        while self._is(","):
            self.next += 1
            values.append(self._one())
        if not self._is(")", "]"):
            raise self.refusal("A bracket is missing behind the values of an option.")
        self.next += 1
        return ",".join(values)

    def _one(self) -> str:
        token = self.token()
        if token is None or token.kind == "mark" or token.is_open():
            raise self.refusal("An option takes a value, as in key = 'region' or partitions = 3.")
        self.next += 1
        if token.kind == "string":
            return unquoted(token)
        return token.name if token.name is not None else token.text

    def _name(self) -> str:
        """`shop.revenue_5m`, each part plain or in back-quotes."""
        return ".".join(self.name())

    def _skipped(self, *expected: str) -> bool:
        """Whether these words come next; then they are read."""
        ahead = self.tokens[self.next : self.next + len(expected)]
        if [token.text.lower() for token in ahead if token.kind == "word"] != list(expected):
            return False
        self.next += len(expected)
        return True

    def _mark(self, text: str) -> None:
        if not self._is(text):
            raise self.refusal(
                f"{text} is missing: options are written WITH (key = 'region', watermark = '10 minutes')."
            )
        self.next += 1

    def _is(self, *texts: str) -> bool:
        token = self.token()
        return token is not None and token.kind == "mark" and token.text in texts

    def _end(self, statement: ViewStatement) -> ViewStatement:
        token = self.token()
        if token is not None:
            several = token.text == ";"
            raise self.refusal(
                "One statement at a time."
                if several
                else "The statement ends before this; a name with a dash goes in back-quotes."
            )
        return statement
