"""Slips of the pen are named where they are, with what to write instead; values are not repeated."""

from __future__ import annotations

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT TOP 10 a FROM t", "write LIMIT at the end"),
        ("SELECT a b c FROM t", "A comma may be missing before c."),
        ("SELECT a FROM t WHERE", "ends too early, behind WHERE"),
        ("SELECT a FROM t ORDER BY", "ends too early, behind BY"),
        ("SELECT (a FROM t", "A bracket is not closed."),
        ("SELECT a) FROM t", "A bracket is closed that was not opened."),
        ("SELECT * FROM orders-v2", "goes in back-quotes"),
        ("SELECT * FROM prod/orders", "there is a dot: prod.orders"),
        ("SELECT a INTO b FROM t", "INTO is not allowed"),
        ("SELECT generate_series(1, 5)", "write explode(sequence(start, stop, step))"),
        ("SELECT a->>'x' FROM t", "get_json_object"),
        ("SELECT x FROM UNNEST(a) t", "LATERAL VIEW explode"),
        ("DELETE FROM t", "Topics are read here, not written."),
        ("SET a = 1", "There are no settings"),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT * FROM t", "Spark 4.0"),
    ],
)
def test_slips(sql: str, message: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert message in error.value.message


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        # misspelt words
        ("SELCT * FROM t", "Did you mean SELECT instead of SELCT?"),
        ("EXPLAN SELECT 1", "Did you mean EXPLAIN instead of EXPLAN?"),
        ("SELECT * FORM t", "Did you mean FROM instead of FORM?"),
        ("SELECT * FROM t WEHRE a > 1", "Did you mean WHERE instead of WEHRE?"),
        ("SELECT a FROM t GRUOP BY a", "Did you mean GROUP instead of GRUOP?"),
        ("SELECT * FROM t ORDER BY a DSC", "Did you mean DESC instead of DSC?"),
        ("SELECT * FROM t LEFT JION u ON true", "Did you mean JOIN instead of JION?"),
        ("SELECT * FROM t LIMT 5", "Did you mean LIMIT instead of LIMT?"),
        ("SELECT * FROM t ORDER BY a DESCENDING", "Write DESC."),
        ("PRINT 'orders'", "SELECT * FROM orders shows the records of a topic."),
        # clauses twice, unfinished or where they do not belong
        ("SELECT * FROM t WHERE a > 1 WHERE b > 1", "WHERE is there twice; write AND between its conditions."),
        ("SELECT * FROM t LIMIT 1 LIMIT 2", "LIMIT is there twice; leave one of them out."),
        ("SELECT * FROM t JOIN ON true", "A topic is missing behind JOIN."),
        ("SELECT * FROM t JOIN u ON", "ON takes a condition"),
        ("SELECT * FROM t JOIN u ON WHERE a = 1", "ON takes a condition"),
        ("SELECT * FROM t JOIN u USING WHERE a = 1", "USING takes the columns"),
        ("SELECT max(a) OVER FROM t", "OVER takes a window in brackets"),
        ("SELECT max(a) OVER (PARTITION b) FROM t", "Write PARTITION BY."),
        ("SELECT * FROM t ORDER a", "Write ORDER BY."),
        ("SELECT * FROM t LEFT u ON true", "JOIN is missing behind LEFT."),
        ("SELECT * FROM t PARTITION BY a", "PARTITION BY goes into OVER (...); to group rows write GROUP BY."),
        ("SELECT * FROM t UNION u", "Behind UNION comes a query, as in SELECT * FROM u."),
        ("SELECT * FROM t WHERE AND a = 1", "A condition is missing between WHERE and AND."),
        ("SELECT 1 FROM t WHERE a BETWEEN 1", "BETWEEN takes two values with AND between them"),
        ("SELECT CASE WHEN a > 1 THEN 'a' FROM t", "A CASE is not ended; write END."),
        ("WITH a AS SELECT 1 SELECT * FROM a", "The query behind AS goes in brackets"),
        ("WITH a AS (SELECT 1), SELECT * FROM a", "There is a comma too many before SELECT."),
        ("WITH a AS (SELECT 1)", "comes the SELECT that uses them."),
        # types, numbers, marks
        ("SELECT CAST(a AS NUMBR) FROM t", "NUMBR is not a type of Spark; did you mean NUMERIC?"),
        ("SELECT CAST(a AS UNSIGNED) FROM t", "UNSIGNED is not a type of Spark; did you mean BIGINT?"),
        ("SELECT a::numbr FROM t", "numbr is not a type of Spark; did you mean NUMERIC?"),
        ("SELECT CAST(a, INT) FROM t", "CAST takes a value, AS and a type"),
        ("SELECT * FROM t WHERE a > 1,5", "A number is written with a point, as in 1.5."),
        ("SELECT * FROM t WHERE a => 5", "Write >= instead of =>."),
        ("SELECT * FROM t WHERE a = = 5", "Write = instead of = =."),
        ("SELECT * FROM t WHERE a IN 'EU', 'US'", "IN takes values in brackets"),
        ("SELECT * FROM t WHERE a = \u2018EU\u2019", "The character \u2018 is not a mark of SQL; write ' instead."),
        ("SELECT a\uff0cb FROM t", "The character \uff0c is not a mark of SQL; write , instead."),
        ("SELECT * FROM t # note", "A comment begins with --."),
        ("SELECT * FROM t // note", "A comment begins with --."),
        ("SELECT * FROM [t]", "Names go in back-quotes"),
        ("SELECT X'zz' FROM t", "write them as digits from 0 to F."),
        ("SELECT customer:email FROM t", "A field is written with a dot"),
        ("SELECT * FROM a.b.c.d", "as in prod.orders"),
        # times, windows and streams of other engines
        ("SELECT * FROM t AS OF 5", "AS OF takes a time in quotes"),
        ("SELECT * FROM t AS OF 2026-01-01", "AS OF takes a time in quotes"),
        ("SELECT * FROM t AS OF now()", "AS OF takes a time in quotes"),
        ("SELECT * FROM t AS OF OFFSET 5", "AS OF takes a time in quotes"),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF '2026-01-01'", "Leave out FOR SYSTEM_TIME"),
        ("SELECT a FROM t WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY a", "write GROUP BY window(_timestamp, '5 minutes')"),
        ("SELECT * FROM TUMBLE(TABLE t, DESCRIPTOR(a), INTERVAL '1' MINUTE)", "write GROUP BY window(_timestamp"),
        ("SELECT * FROM t o JOIN u p WITHIN 1 HOURS ON true", "WITHIN is of other engines"),
        ("SELECT * FROM t EMIT", "EMIT CHANGES are the last two words"),
        ("SELECT * FROM t EMIT FINAL", "EMIT FINAL is for views"),
        ("SELECT * FROM t EMIT FINAL LIMIT 5", "or EMIT FINAL of a view; LIMIT goes before them"),
        ("SELECT * FROM t EMIT CHANGES LIMIT 5", "EMIT CHANGES are the last two words"),
        ("SELECT STREAM * FROM t", "STREAM is not a word of this SQL"),
        ("SELECT LATEST_BY_OFFSET(a) FROM t", "write max_by(value, _offset)"),
        ("SELECT COUNT_DISTINCT(a) FROM t", "write count(DISTINCT value), and in a view size(collect_set(value))"),
        ("SELECT AS_VALUE(a) FROM t", "write its argument alone"),
        ("SELECT URL_EXTRACT_HOST(a) FROM t", "write parse_url(text, 'HOST')"),
        ("SELECT STRUCT(a := 1) AS s FROM t", "Fields are named in named_struct('a', 1, 'b', 2)"),
        ("SELECT customer->email FROM t", "written with a dot, as in customer.email"),
        ("SELECT a FROM t PARTITION BY a", "The records of a view have its key"),
        # units, patterns, stars
        ("SELECT date_trunc('fortnight', a) FROM t", "is not a unit of time that it knows. It knows YEAR to MICROSECOND."),
        ("SELECT trunc(a, 'DAY') FROM t", "date_trunc has shorter ones"),
        ("SELECT dateadd(DAYZ, 1, a) FROM t", "DAYZ is not a unit of time; did you mean DAY?"),
        ("SELECT datediff(WEAK, a, b) FROM t", "WEAK is not a unit of time; did you mean WEEK?"),
        ("SELECT date_add('DAY', 1, a) FROM t", "date_add takes its unit without quotes"),
        ("SELECT a + INTERVAL 3 FROM t", "An interval takes a number and a unit, as in INTERVAL 2 DAYS."),
        ("SELECT a + INTERVAL '3' FROM t", "An interval takes a number and a unit, as in INTERVAL 2 DAYS."),
        ("SELECT a + INTERVAL 3 FORTNIGHTS FROM t", "FORTNIGHTS is not a unit of time."),
        ("SELECT a + INTERVAL 5 mins FROM t", "MINS is not a unit of time; did you mean MINUTES?"),
        ("SELECT a + INTERVAL '1 day 3 moons' FROM t", "The text of an interval has a number and a unit"),
        ("SELECT window(a, '5 parsecs') FROM t", "window takes lengths of time such as '5 minutes'."),
        ("SELECT session_window(a, 'x') FROM t", "session_window takes lengths of time such as '5 minutes'."),
        ("SELECT a FROM t WHERE a RLIKE '['", "The pattern cannot be read as a regular expression"),
        ("SELECT a FROM t WHERE a IN ()", "IN takes at least one value in its brackets."),
        ("SELECT a FROM t WHERE b =! 'EU'", "Write != instead of =!."),
        ("SELECT a FROM t WHERE b IS 'EU'", "IS takes NULL, NOT NULL, TRUE or FALSE"),
        ("SELECT a FROM t WHERE b IS NOT empty", "IS takes NULL, NOT NULL, TRUE or FALSE"),
        ("SELECT 1234567890123456789012345678901234567890", "A number has 40 digits; at most 38"),
        ("SELECT 1e999", "The exponent of a number is at most 308."),
        ("SELECT CAST(a AS DECIMAL(99, 2)) FROM t", "DECIMAL has 1 to 38 digits"),
        ("SELECT CAST(a AS DECIMAL(2, 4)) FROM t", "more digits behind the point than in all"),
        ("SELECT * t", "* needs a topic: write FROM and its name."),
    ],
)  # fmt: skip
def test_neighbours(sql: str, message: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert message in error.value.message
    assert "A comma may be missing" not in error.value.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT `on`, `emit` AS emit FROM t",
        "SELECT t.on FROM t",
        "SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b)",
        "SELECT * FROM t AS OF '2026-01-01' JOIN u ON true",
        "SELECT * FROM t AS OF TIMESTAMP '2026-01-01'",
        "SELECT * FROM t AS OF EARLIEST WHERE a = 1",
        "SELECT * FROM t AS OF OFFSETS '0:1-2'",
        "SELECT * FROM t AS of WHERE of.a = 1",
        "SELECT position('a' IN 'abc') FROM t",
        "SELECT * FROM t WHERE a = '\u2018EU\u2019, \uff08x\uff09'",
        "SELECT `\u2018a\u2019` FROM t -- \u2018note\u2019",
        "SELECT emit FROM t EMIT CHANGES",
        "SELECT a IS NULL, b IS NOT NULL, c IS TRUE, c IS NOT FALSE, a IS DISTINCT FROM b, NOT a IS NULL FROM t",
        "SELECT 12345678901234567890123456789012345678, 1e-30, 1.5E308",
        "SELECT CAST(a AS DECIMAL), CAST(a AS DECIMAL(38, 38)), CAST(b AS DECIMAL(5)) FROM t",
        "SELECT a + INTERVAL '1 day 2 hours' + INTERVAL 2 DAYS + INTERVAL '2-3' YEAR TO MONTH + INTERVAL b DAY FROM t",
        "SELECT date_trunc('DAY', a), date_trunc(b, a), trunc(a, 'MM'), dateadd(DAY, 1, a), date_add(a, 1) FROM t",
        "SELECT window(a, '5 minutes', '1 minute'), window(a, INTERVAL 5 MINUTES), session_window(a, b) FROM t",
        "SELECT count(*), struct(t.*) FROM t WHERE a RLIKE '[a&&b]'",
        "SELECT X'0aFF' FROM t",
        "SELECT 1 FROM emit",
    ],
)
def test_what_looks_like_a_slip_and_is_none(sql: str) -> None:
    assert gate.check(sql).tree is not None


def test_an_open_quote_has_its_place() -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check("SELECT a FROM t\n WHERE a = 'x")
    assert (error.value.details["line"], error.value.details["column"]) == (2, 12)


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM t WHERE b b = 'anna@example.eu'", "SELECT a b 'anna@example.eu' FROM t"]
)
def test_a_text_is_not_repeated(sql: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert "anna" not in error.value.message
