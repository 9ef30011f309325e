"""`weir test --coverage`: shares of rooms from coverage's report, and the floor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.testing import coverage
from tools.testing.coverage import Share, below, by_room


def file(lines: int, ran: int) -> dict[str, Any]:
    return {"summary": {"num_statements": lines, "covered_lines": ran}}


def test_lines_are_summed_by_room_and_drivers_apart() -> None:
    report = {
        "policies/decide.py": file(10, 9),
        "policies/sql/gate.py": file(30, 30),
        "policies/adapters/spark.py": file(50, 5),
        "api/app.py": file(4, 2),
    }
    assert by_room(report) == [Share("policies", 40, 39, 50, 5), Share("api", 4, 2, 0, 0)]
    assert [share.percent for share in by_room(report)] == [97.5, 50.0]
    assert "97.5%" in by_room(report)[0].line() and "10%" in by_room(report)[0].line()


@pytest.mark.parametrize(("ran", "low"), [(94, ["policies"]), (95, [])])
def test_the_floor_is_of_what_decides(ran: int, low: list[str]) -> None:
    shares = by_room({"policies/decide.py": file(100, ran), "catalog/paths.py": file(100, 0)})
    assert [share.room for share in below(shares)] == low


def test_a_selection_is_run_and_shown_without_the_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a repository of two rooms with one test."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take seconds to import
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "__init__.py").touch()
    (tmp_path / "policies" / "rules.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    (tmp_path / "test_rules.py").write_text("from policies.rules import one\ndef test_one(): assert one() == 1\n")
    lines: list[str] = []
    assert coverage.run(tmp_path, ["-p", "no:cacheprovider", "test_rules.py"], lines.append) == 0
    assert lines == ["policies        4 lines   75.0%   drivers  none   floor 95%"]
    (tmp_path / "test_rules.py").write_text("def test_one(): assert False\n")
    assert coverage.run(tmp_path, ["-p", "no:cacheprovider", "test_rules.py"], lines.append) == 1
