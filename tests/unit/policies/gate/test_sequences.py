"""Sequences are bounded: by what is written, or by a check of the end before it is used."""

from __future__ import annotations

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate
from policies.gate.cost import sequences
from policies.gate.fragment import read_fragment


def run(sql: str) -> str:
    gated = gate.check(sql)
    return gated.render({ref: ref.parts[-1] for ref in gated.tables}, {}).replace("`", "")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT explode(sequence(1, 5))",
        "SELECT sequence(1, 50000)",
        "SELECT sequence(1000000, 1000100)",
        "SELECT sequence(1, 1000000, 10)",
        "SELECT sequence(DATE'2026-01-01', DATE'2026-12-31')",
        "SELECT sequence(TIMESTAMP'2026-01-01', TIMESTAMP'2026-01-02 12:00:00', INTERVAL 5 MINUTES)",
        "SELECT sequence(TIMESTAMP'2026-01-02', TIMESTAMP'2026-01-01', -INTERVAL '1:30' HOUR TO MINUTE)",
    ],
)
def test_what_is_written_short_runs_as_it_is(sql: str) -> None:
    assert "raise_error" not in run(sql)


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("SELECT explode(sequence(min(at), max(at), INTERVAL 5 MINUTES)) AS t FROM o", 200_000 * 300_000_000),
        ("SELECT sequence(a, b, INTERVAL '1 day 2 hours') FROM o", 200_000 * 26 * 3_600_000_000),
        ("SELECT sequence(a, b, INTERVAL 1 DAY 2 HOURS) FROM o", 200_000 * 26 * 3_600_000_000),
        ("SELECT sequence(b, a, INTERVAL '-1' MONTH) FROM o", 200_000 * 28 * 86_400_000_000),
        ("SELECT sequence(to_timestamp(a), b) FROM o", 200_000 * 86_400_000_000),
        ("SELECT sequence(DATE'2026-01-01', TIMESTAMP'20260101', INTERVAL 1 HOUR)", 200_000 * 3_600_000_000),
        ("SELECT sequence(a, b, INTERVAL 1000000000 YEARS) FROM o", 9 * 10**18),
    ],
)
def test_the_end_of_times_is_checked(sql: str, limit: int) -> None:
    text = run(sql)
    assert f"> {limit} THEN raise_error('{sequences.MARK}') ELSE weir_s.b END" in text
    assert "named_struct('a', " in text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sequence(1, amount) FROM o",
        "SELECT sequence(n, m, 2) FROM o",
        "SELECT sequence(min(day), max(day)) FROM o",
        "SELECT sequence(DATE'0001-01-01', date_add(DATE'0001-01-01', 2000000000))",
        "SELECT sequence(1, CAST(rand() * 1e9 AS INT))",
        "SELECT n, size(sequence(1, n)), size(sequence(d, e, INTERVAL 1 DAY)), size(sequence(d, f, INTERVAL 1 DAY)) FROM o",
    ],
)
def test_the_end_of_numbers_and_days_is_checked(sql: str) -> None:
    text = run(sql)
    assert "weir_s.b > try_add(weir_s.a, 200000) OR weir_s.b < try_subtract(weir_s.a, 200000)" in text


def test_arguments_are_evaluated_once() -> None:
    assert run("SELECT sequence(1, CAST(rand() * 9 AS INT), 1 + 1)").count("rand()") == 2, "once, and in the name"


def test_the_column_keeps_its_name() -> None:
    assert run("SELECT sequence(1, n) FROM o").endswith(" AS sequence(1, n) FROM o AS o")
    assert run("SELECT size(sequence(1, n)) FROM o").endswith(" AS size(sequence(1, n)) FROM o AS o")
    assert run("SELECT size(sequence(1, n)) AS k FROM o").endswith(" AS k FROM o AS o")
    assert " AS " not in run("SELECT explode(sequence(1, n)) FROM (SELECT 1 AS n)").partition(" FROM ")[0]
    assert run("SELECT n FROM o WHERE size(sequence(1, n)) > 2").startswith("SELECT n FROM o AS o WHERE size(get(")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT size(sequence(timestamp'0001-01-01', timestamp'9999-12-31', INTERVAL 1 HOUR))",
        "SELECT sequence(DATE'0001-01-01', DATE'9999-12-31')",
        "SELECT sequence(0, 200000)",
        "SELECT sequence(-100000000, 100000000)",
        "SELECT sequence(a, b, step_column * INTERVAL '1' DAY, 1) FROM o",
        "SELECT sequence(a, b, INTERVAL n MINUTES) FROM o",
        "SELECT sequence(a, b, INTERVAL 1 DAY - INTERVAL 23 HOURS) FROM o",
        "SELECT sequence(a, b, INTERVAL 1 DAY + INTERVAL '-23' HOURS) FROM o",
        "SELECT transform(sequence(1, n), x -> repeat('a', 1000)) FROM o",
        "SELECT transform(sequence(1, n), x -> sequence(1, x)) FROM o",
        "SELECT transform(sequence(a, b, INTERVAL 1 DAY), x -> repeat('a', 1000)) FROM o",
    ],
)
def test_what_would_be_too_long_is_refused(sql: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert error.value.details["reasons"] == ["size"], error.value.message


def test_a_mask_takes_bounded_sequences_only() -> None:
    assert read_fragment("array_max(sequence(1, 5))")
    with pytest.raises(SqlRefused, match="written out"):
        read_fragment("size(sequence(1, value))")
