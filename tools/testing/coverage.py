"""`weir test --coverage`: how much of each room the tests without servers run, with a floor for what decides access."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.testing.phases import PYTHON, UNIT_MARKS

ROOMS = ("catalog", "connectors", "scanners", "lineage", "policies", "views", "api", "stack")
FLOORS = {"policies": 95.0}
"""Percent of lines outside adapters/, whose tests need servers."""


@dataclass(frozen=True)
class Share:
    """Lines of a room and those that ran: outside adapters/, and in it."""

    room: str
    lines: int
    ran: int
    driver_lines: int
    driver_ran: int

    @property
    def percent(self) -> float:
        """Of the lines outside adapters/; 100 where there is none."""
        return 100 * self.ran / self.lines if self.lines else 100.0

    def line(self) -> str:
        """One row of the printed table."""
        drivers = f"{100 * self.driver_ran / self.driver_lines:.0f}%" if self.driver_lines else "none"
        floor = f"   floor {FLOORS[self.room]:.0f}%" if self.room in FLOORS else ""
        return f"{self.room:<10}{self.lines:>7} lines{self.percent:>7.1f}%   drivers {drivers:>5}{floor}"


def run(root: Path, selection: Sequence[str], write: Callable[[str], None]) -> int:
    """Run tests and write the share of each room that they ran. `selection`: words for pytest; empty: all without servers.

    Gives the tests' exit code; 1 where a room is below its floor. Floors hold for all tests without servers only.
    """
    with tempfile.TemporaryDirectory(prefix="weir-coverage-") as folder:
        data, report = Path(folder) / "data", Path(folder) / "report.json"
        paths = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "COVERAGE_FILE": str(data), "PYTHONPATH": paths}
        words = list(selection) or ["-m", f"{UNIT_MARKS} and not tail"]
        coverage = [*PYTHON, "coverage"]
        rooms = [str(root / room) for room in ROOMS if (root / room).is_dir()]
        tests = [*coverage, "run", f"--source={','.join(rooms)}", "-m", "pytest", *words]
        code = subprocess.run(tests, cwd=root, env=environment, check=False).returncode
        as_json = [*coverage, "json", "--quiet", "-o", str(report)]
        if subprocess.run(as_json, cwd=root, env=environment, check=False).returncode:
            return code or 1
        shares = by_room(json.loads(report.read_text())["files"])
    write("\n".join(share.line() for share in shares))
    low = [] if selection else below(shares)
    for share in low:
        write(f"✗ {share.room} is below its floor of {FLOORS[share.room]:.0f}%: add tests for what they do not run.")
    return code or (1 if low else 0)


def by_room(files: Mapping[str, Mapping[str, Any]]) -> list[Share]:
    """Sums of coverage's report by file; rooms without a file are left out."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for name, file in files.items():
        parts = Path(name).parts
        at = 2 if "adapters" in parts else 0
        sums[parts[0]][at] += file["summary"]["num_statements"]
        sums[parts[0]][at + 1] += file["summary"]["covered_lines"]
    return [Share(room, *sums[room]) for room in ROOMS if room in sums]


def below(shares: Sequence[Share]) -> list[Share]:
    """The rooms that have less than their floor."""
    return [share for share in shares if share.percent < FLOORS.get(share.room, 0.0)]
