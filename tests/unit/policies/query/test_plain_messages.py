"""Messages name what the person wrote, in words of the language, and what to write instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.errors import NotAllowed, SqlRefused
from policies.adapters.spark import error_sentences
from policies.decision.domains import Power
from policies.gate import gate
from policies.model import Subject
from policies.query import failures
from policies.query.type_words import plain_type
from policies.sql import statements
from tests.unit.policies.query.test_query_failures import failed, told
from tests.unit.policies.world import World

ROOT = Path(__file__).resolve().parents[4]


def test_the_column_that_fails_is_the_one_named() -> None:
    """Two columns end in the same names; the error is about the one that is not a struct."""
    error = failed("INVALID_EXTRACT_BASE_FIELD_TYPE", base='"who"', other='"STRING"')
    sql = "SELECT DISTINCT o.who.mail, m.who.mail FROM orders o JOIN (SELECT id AS who FROM orders) m ON true"
    problem = told(sql, error)
    assert problem.message == "m.who is a text, so there is no field or element in it."
    assert (problem.details["line"], problem.details["column"]) == (1, 29)
    both = told("SELECT o.id.x, p.id.y FROM orders o JOIN orders p ON true", failed(
        "INVALID_EXTRACT_BASE_FIELD_TYPE", base='"id"', other='"STRING"'
    ))  # fmt: skip
    assert both.message.startswith("o.id is a text")


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELECT sum(who) FROM orders",
         failed("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "sum(`who`)", requiredType='"NUMERIC" or "ANSI INTERVAL"',
                inputType='"STRUCT<a: STRING>"', paramIndex="first"),
         "sum(who) takes a number or a length of time, and its first argument is a struct."),
        ("SELECT explode(amount) FROM orders",
         failed("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "explode(`amount`)", requiredType='("ARRAY" or "MAP")',
                inputType='"DECIMAL(12,2)"', paramIndex="first"),
         "explode(amount) takes an array or a map, and its first argument is a number (DECIMAL(12,2))."),
        ("SELECT id FROM orders WHERE amount > 'abc'",
         failed("CAST_INVALID_INPUT", "`amount` > 'abc'", targetType='"DOUBLE"'),
         "'abc' is not a number, and amount is compared as one; write a number, as in 12.5."),
        ("SELECT id FROM orders WHERE amount = 'abc'",
         failed("CAST_INVALID_INPUT", "`amount` = 'abc'", targetType='"BIGINT"'),
         "'abc' is not a whole number, and amount is compared as one; write a number, as in 12."),
        ("SELECT id FROM orders WHERE at = 'gestern'",
         failed("CAST_INVALID_INPUT", "`at` = 'gestern'", targetType='"TIMESTAMP"'),
         "'gestern' is not a time, and at is compared as one; write it as TIMESTAMP '2026-01-31 12:00:00'."),
        ("SELECT who > amount FROM orders",
         failed("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "`who` > `amount`", left='"BOOLEAN"', right='"INT"'),
         "who > amount: one side is true or false, the other a whole number (INT); CAST one of them."),
    ],
)  # fmt: skip
def test_types_are_in_plain_words(sql: str, error: object, message: str) -> None:
    assert told(sql, error).message == message  # type: ignore[arg-type]


@pytest.mark.parametrize("pointer", ["fragment", "sqlExpr"])
@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("STRUCT<name: STRING>", "BIGINT", "a struct, which cannot be cast to a whole number (BIGINT); CAST one of its fields."),
        ("ARRAY<STRING>", "DATE", "an array, which cannot be cast to a date; CAST one of its elements."),
        ("DATE", "INT", "a date, which cannot be cast to a whole number (INT); CAST it to STRING first, or compute the value"
         " in another way."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suggestion", ["WITHOUT_SUGGESTION", "WITH_CONF_SUGGESTION", "WITH_FUNC_SUGGESTION"])
def test_a_cast_that_there_is_not_names_column_types_and_place(
    pointer: str, source: str, target: str, words: str, suggestion: str
) -> None:
    written = f"TRY_CAST(`who` AS {target})" if pointer == "fragment" else None
    error = failed(f"DATATYPE_MISMATCH.CAST_{suggestion}", written, srcType=f'"{source}"', targetType=f'"{target}"',
                   sqlExpr=f'"CAST(who AS {target})"')  # fmt: skip
    problem = failures.with_place(told(f"SELECT id,\n  try_cast(who AS {target}) AS n FROM orders", error))
    assert problem.message == f"who is {words} (line 2, column 12)"
    assert (problem.details["line"], problem.details["column"]) == (2, 12)
    assert failures.with_place(problem).message == problem.message


@pytest.mark.parametrize(
    ("sql", "message", "column"),
    [
        ("SELECT * FROM orders@v1", "orders@v1 is not a name: @ goes in back-quotes, as in `orders@v1`. For the records of a"
         " time write AS OF '2026-11-20'.", 15),
        ("SELECT * FROM a.b@c", "b@c is not a name", 17),
        ("SELECT * FROM orders WHERE id = @b", "Parameters are not filled in", 33),
        ("SELECT * FROM STREAM orders", "STREAM is not a word of this SQL. For rows as they arrive write EMIT CHANGES", 15),
        ("SELECT * FROM stream `orders` EMIT CHANGES", "STREAM is not a word of this SQL", 15),
        ("SELECT 1 FROM a JOIN STREAM b ON true", "STREAM is not a word of this SQL", 22),
        ("SELECT * FROM STREAM(orders)", "STREAM is not a word of this SQL", 15),
    ],
)  # fmt: skip
def test_names_with_at_and_stream(sql: str, message: str, column: int) -> None:
    with pytest.raises(SqlRefused) as raised:
        gate.check(sql)
    assert raised.value.message.startswith(message) and raised.value.details["column"] == column


def test_a_topic_called_stream_can_be_read() -> None:
    for sql in (
        "SELECT * FROM stream",
        "SELECT * FROM stream AS s",
        "SELECT s.stream FROM `stream` s",
        "SELECT stream FROM t",
    ):
        assert gate.check(sql).tree is not None


@pytest.mark.parametrize("word", ["function", "database", "schema", "catalog"])
def test_describe_of_something_else(word: str) -> None:
    with pytest.raises(SqlRefused, match=f"DESCRIBE shows a topic or a query, not a {word}"):
        statements.read(f"DESCRIBE {word} x")


def test_permissions_and_powers_are_their_names() -> None:
    world = World()
    with pytest.raises(NotAllowed) as raised:
        world.identity.require(Subject("ana"), Power.REPORT)
    assert "the permission 'report:read'" in raised.value.message and "Power" not in raised.value.message
    assert [f"{each!r}" for each in Power] == [repr(str(each)) for each in Power]


# -- all messages -----------------------------------------------------------------------------------------------------

_PYTHON = re.compile(
    r"<class |<[A-Z]\w+\.[A-Z]|\bNoneType\b|\bvalid dictionary\b|\bdict\b|\btuple\b|\bfrozenset\b|Traceback"
)
_ENGINE = re.compile(
    r"\bANSI\b|\bNUMERIC\b|\bINTEGRAL\b|DATATYPE_MISMATCH|AnalysisException|\bColumnar|\bCatalyst\b|\bLogicalPlan\b|spark\.sql\."
)
_MESSAGES = re.compile(
    r"(Error|Refused|Failed|Invalid\w*|NotFound|NotAllowed|Unavailable|LimitExceeded|refus\w*|ValueError)\Z"
)


def messages() -> Iterator[tuple[str, int, str]]:
    """(file, line, text) of every text that is given to an error or a refusal in the rooms that people ask."""
    for room in ("policies", "views", "api"):
        for file in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if not isinstance(node, ast.Call):
                    continue
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                for argument in node.args[:3] if _MESSAGES.search(name) else ():
                    for part in ast.walk(argument):
                        if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                            yield str(file.relative_to(ROOT)), part.lineno, part.value


def test_no_message_has_words_of_python_or_of_the_engine() -> None:
    texts = [*messages(), *(("errors.py", 0, text) for text in error_sentences.SENTENCES.values())]
    assert len(texts) > 800
    assert [each for each in texts if _PYTHON.search(each[2]) or _ENGINE.search(each[2])] == []


def test_every_type_of_the_engine_has_plain_words() -> None:
    names = [
        "STRING", "INT", "BIGINT", "TINYINT", "SMALLINT", "FLOAT", "DOUBLE", "DECIMAL(12,2)", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ",
        "BOOLEAN", "BINARY", "ARRAY", "MAP", "STRUCT", "NUMERIC", "INTEGRAL", "ANSI INTERVAL", "INTERVAL DAY TO SECOND", "VARIANT",
    ]  # fmt: skip
    for name in names:
        words = plain_type(name)
        assert words is not None and not _ENGINE.search(words), name
    assert plain_type("anna@example.eu") is None is plain_type("ANNA KELLER")
