"""What the tests of policies would notice: mutmut over one module at a time. See docs/mutation.md.

    weir test --bench mutation                        every module of the list, most relevant first
    weir test --bench mutation -- outcome grants      these only
    weir test --bench mutation -- --minutes 10        ends between two modules once the time is over

Works on a copy of the sources in a temporary directory, with one process, and prints the mutants that survive as diffs.
Exit code 1 when one survives that docs/mutation.md does not list.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DECIDES = ("test_decide.py", "test_decide_reference.py")
MODULES: dict[str, tuple[str, ...]] = {
    "masks/order": ("test_masks.py",),
    "outcome": ("test_outcome.py",),
    "places": ("test_places.py",),
    "matching": ("test_matching.py",),
    "masks/expression": ("test_masks.py",),
    "conditions": ("test_outcome.py", "test_decide_reference.py"),
    "decide": DECIDES,
    "break_glass": ("test_break_glass.py",),
    "grants": ("test_grants.py", "test_scenarios.py"),
    "approvals": ("test_approvals.py", "test_break_glass.py", "test_grants.py"),
    "gate": ("test_gate.py", "test_gate_pipes.py"),
    "asking": DECIDES,
    "reach": DECIDES,
    "columns": DECIDES,
    "compiled": DECIDES,
    "stances": DECIDES,
}
"""Module of policies/ -> its fast tests, the most relevant to security first."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="weir test --bench mutation --", description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(MODULES)}")
    parser.add_argument("--minutes", type=float, default=120, help="start no further module after this time")
    given = parser.parse_args()
    if unknown := set(given.modules) - MODULES.keys():
        parser.error(f"no tests are listed for {', '.join(sorted(unknown))}; there are: {', '.join(MODULES)}")
    until = time.monotonic() + 60 * given.minutes
    listed = (ROOT / "docs/mutation.md").read_text()
    unlisted = 0
    with tempfile.TemporaryDirectory(prefix="weir-mutation-") as folder:
        for module in given.modules or MODULES:
            if time.monotonic() > until:
                print(f"{module}: not run, the time is over", flush=True)
                continue
            unlisted += run(module, Path(folder) / module.replace("/", "_"), listed)
    return 1 if unlisted else 0


def run(module: str, place: Path, listed: str) -> int:
    """Mutate one module in a copy at `place`. Returns how many survivors docs/mutation.md does not list."""
    copy(place, module)
    started = time.monotonic()
    mutmut = [sys.executable, "-m", "mutmut"]
    env = {
        **os.environ, "PYTHONPATH": "", "WEIR_TEST_DECISIONS": "100", "WEIR_MUTATION": "1", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    done = subprocess.run(
        ["nice", "-n", "15", *mutmut, "run", "--max-children", "1"], cwd=place, env=env, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    shown = subprocess.run(
        [*mutmut, "results", "--all", "true"], cwd=place, env=env, check=False, capture_output=True, text=True
    )
    outcomes = re.findall(r"^\s+(\S+): (.+)$", shown.stdout, re.M)
    if not outcomes:
        print(f"{module}: no results\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}", flush=True)
        return 1
    count = {kind: sum(k == kind for _, k in outcomes) for kind in sorted({k for _, k in outcomes})}
    print(f"{module}: {len(outcomes)} mutants, {count}, {time.monotonic() - started:.0f} s", flush=True)
    new = 0
    for name, kind in outcomes:
        if kind in ("killed", "timeout", "caught by type check"):
            continue
        diff = subprocess.run([*mutmut, "show", name], cwd=place, env=env, check=False, capture_output=True, text=True)
        change = [line for line in diff.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        known = all(line[1:].strip() in listed for line in change if line[0] == "+" and line[1:].strip())
        new += not known
        print(f"  {kind}{' (listed)' if known else ''}: {name}", *change, sep="\n    ", flush=True)
    return new


def copy(place: Path, module: str) -> None:
    """The files of the working tree that git knows or would add, with the settings of one module."""
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in files:
        source, target = ROOT / name, place / name
        if source.is_file() and not name.startswith(("ui/", "docs/screenshots/")):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    tests = [f"tests/unit/policies/{name}" for name in MODULES[module]]
    tests = [name for name in tests if (ROOT / name).exists()]
    with (place / "pyproject.toml").open("a") as settings:
        settings.write(f'only_mutate = ["policies/{module}.py"]\npytest_add_cli_args_test_selection = {tests!r}\n')


if __name__ == "__main__":
    sys.exit(main())
