"""What the tests of policies would notice: mutants of one module at a time. See docs/contributing/mutation.md.

    weir test --mutation                        every module of the list, most relevant first
    weir test --mutation -- outcome grants      these only
    weir test --mutation -- --minutes 10        ends between two modules once the time is over

One process, which forks for each mutant, at the lowest priority. Prints the mutants that survive with their change.
Exit code 1 when one survives that docs/contributing/mutation.md does not list.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.mutation.forks import Forks

ROOT = Path(__file__).resolve().parents[2]
DECIDES = ("decision/test_decide_reasons.py", "decision/test_decide.py", "decision/test_decide_reference.py")
MODULES: dict[str, tuple[str, ...]] = {
    "columns/expression": ("masks/test_masked_columns.py",),
    "decision/decide": DECIDES,
    "access/grants": ("access/test_grants.py", "whatif/test_scenarios.py"),
    "access/who_has_access": ("access/test_grants.py", "whatif/test_scenarios.py"),
    "requests/break_glass": ("requests/test_break_glass_terms.py", "requests/test_break_glass.py"),
    "requests/approvals": (
        "requests/test_approval_details.py",
        "requests/test_approvals.py",
        "requests/test_break_glass.py",
    ),
    "gate/gate": ("gate/test_gate_details.py", "gate/test_gate.py"),
    "decision/mask_order": ("masks/test_masks.py", "decision/test_decide_reference.py"),
    "decision/column_outcome": ("decision/test_outcome.py",),
    "decision/places": ("decision/test_places.py",),
    "matching": ("decision/test_matching.py",),
    "decision/row_conditions": ("decision/test_conditions.py",),
    "masks/primitives": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "masks/reference": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "masks/custom": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "masks/keys": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "masks/names": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "masks/preview": ("masks/test_mask_values.py", "masks/test_masks.py"),
    "decision/standing": DECIDES,
    "decision/mask_applicability": DECIDES,
    "reach": DECIDES,
    "decision/columns": DECIDES,
    "decision/policy_index": DECIDES,
    "decision/policy_groups": DECIDES,
}
"""Module of policies/ -> its fast tests, the most relevant to security first."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="weir test --mutation --", description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(MODULES)}")
    parser.add_argument("--minutes", type=float, default=120, help="start no further module after this time")
    parser.add_argument("--function", help="only mutants of this function, as Grants.revoke")
    given = parser.parse_args()
    if unknown := set(given.modules) - MODULES.keys():
        parser.error(f"no tests are listed for {', '.join(sorted(unknown))}; there are: {', '.join(MODULES)}")
    os.nice(19 - os.nice(0))
    os.environ.setdefault("WEIR_TEST_DECISIONS", "200")
    os.environ["WEIR_MUTATION"] = "1"
    sys.path.insert(0, str(ROOT))
    from tools.mutation.forks import collect

    modules = given.modules or list(MODULES)
    until = time.monotonic() + 60 * given.minutes
    listed = read_list((ROOT / "docs/contributing/mutation.md").read_text())
    problems: list[str] = []

    def use(forks: Forks) -> None:
        for module in modules:
            if time.monotonic() > until:
                print(f"{module}: not run, the time is over", flush=True)
                continue
            problems.extend(run(forks, module, listed.get(module, set()), given.function))

    files = dict.fromkeys(name for module in modules for name in MODULES[module])
    collect([f"tests/unit/policies/{name}" for name in files], use)
    return 1 if problems else 0


def run(forks: Forks, module: str, listed: set[str], function: str | None) -> list[str]:
    """Try one module and print what survives. Returns the survivors that are not listed."""
    from tools.mutation.forks import Result, counted

    started, results, new = time.monotonic(), list[Result](), list[str]()

    def report(result: Result) -> None:
        results.append(result)
        if result.outcome in ("killed", "timeout") or result.mutant.words:
            return
        known = result.mutant.change in listed
        print(f"  {result.outcome}{' (listed)' if known else ''}: {module} {result.mutant.function}")
        print(
            *(f"    - {line}" for line in result.mutant.removed),
            *(f"    + {line}" for line in result.mutant.added),
            sep="\n",
            flush=True,
        )
        if not known:
            new.append(result.mutant.change)

    reach = forks.run(module, MODULES[module], report, function)
    if reach.failed:
        print(f"{module}: {reach.failed[0]} fails without any change, so nothing was tried", flush=True)
        return reach.failed
    words = sum(r.mutant.words and r.outcome not in ("killed", "timeout") for r in results)
    seconds = time.monotonic() - started
    print(
        f"{module}: {len(results)} mutants, {counted(results)}, {words} of the survivors differ in the words of a"
        f" sentence only, {seconds:.0f} s",
        flush=True,
    )
    return new


def read_list(text: str) -> dict[str, set[str]]:
    """Module -> the changes that docs/contributing/mutation.md lists as equivalent, from rows like | grants: `the line` | why |."""
    equivalent: dict[str, set[str]] = {}
    for module, change in re.findall(r"^\| ([\w/]+): `(.+?)` \| ", text, re.M):
        equivalent.setdefault(module, set()).add(change.replace("\\|", "|"))
    return equivalent


if __name__ == "__main__":
    sys.exit(main())
