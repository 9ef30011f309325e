"""From the text of a condition to its tree, of bounded size. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from views.serving.where.refusals import refused

MOST_TEXT = 4_000
MOST_DEPTH = 50
MOST_OPERATIONS = 300
_SPARK = Spark()
_BEGINS_QUERY = re.compile(r"\s*(?:SELECT|WITH)\s", re.I)
_NO_OPERATION = (
    exp.Literal,
    exp.Identifier,
    exp.Column,
    exp.Paren,
    exp.DataType,
    exp.DataTypeParam,
    exp.Null,
    exp.Boolean,
)


def parsed(text: str) -> exp.Expression:
    """Raises InvalidInput for what is not one condition, or is too large; with the place where it is known."""
    if len(text) > MOST_TEXT:
        raise refused(f"where has more than {MOST_TEXT} characters")
    try:
        # As a condition, not as a statement: of `refresh = 'x'` sqlglot would make a command, and log its text.
        trees = _SPARK.parse_into(exp.Condition, _quotes_by_backslash(text))
    except SqlglotError as error:
        places = ((each.get("line"), each.get("col")) for each in getattr(error, "errors", ()))
        line, column = next(places, (None, None))
        if _BEGINS_QUERY.match(text):
            raise refused("where holds a query, which is not a condition of columns and values") from error
        place = f" at line {line}, column {column}" if line else ""
        raise refused(f"where cannot be read{place}", line=line, column=column) from error
    except RecursionError as error:
        raise _too_deep() from error
    if len(trees) != 1 or trees[0] is None:
        raise refused("where is empty" if not any(trees) else "where holds more than one condition, divided by ;")
    _refuse_large(trees[0])
    return trees[0]


def _too_deep() -> Exception:
    return refused("where is nested too deeply", how=f"write at most {MOST_DEPTH} levels")


def _quotes_by_backslash(text: str) -> str:
    """Two quotes inside a text are one, as in Spark 4 and standard SQL: `'O''Brien'`. sqlglot reads two texts."""
    strings = [each for each in _SPARK.tokenize(text) if each.token_type is TokenType.STRING]
    letters = list(text)
    for one, next_one in pairwise(strings):
        if one.end + 1 == next_one.start and text[one.end] == text[next_one.start]:
            letters[one.end] = "\\"
    return "".join(letters)


def _refuse_large(tree: exp.Expression) -> None:
    """A chain of one operator, as `a AND b AND c`, is one level."""
    operations = 0
    left = [(tree, 1)]
    while left:
        node, depth = left.pop()
        if depth > MOST_DEPTH:
            raise _too_deep()
        operations += not isinstance(node, _NO_OPERATION)
        if operations > MOST_OPERATIONS:
            raise refused(
                f"where has more than {MOST_OPERATIONS} operations", how="write fewer; IN takes any number of values"
            )
        for each in node.iter_expressions():
            chained = type(each) is type(node) and isinstance(each, exp.And | exp.Or | exp.DPipe)
            left.append((each, depth if chained else depth + 1))
