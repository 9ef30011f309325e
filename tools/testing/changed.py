"""`weir test --changed`: the checks and the tests that a change touches, the nearest ones first, within two minutes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import grimp

from tools.testing import imports, phases
from tools.testing.phases import PYTHON, Phase

SECONDS = 100
"""After so many seconds no further test starts; those that are left are counted as skipped."""
_WORDS = ("tests/architecture/test_arrows.py", "tests/architecture/test_words.py")
_LAYERS = {"answers", "commands", "features", "http", "joins", "routes", "schemas", "service", "services", "wiring"}
"""Names of files that say nothing of a subject."""
_DOCS = tuple(f"tests/architecture/test_{name}.py" for name in ("docs", "glossary", "site"))


def run(root: Path, base: str | None, arguments: Sequence[str], say: Callable[[str], None]) -> int:
    """Run what the changes since `base` touch; the exit code. `arguments` go to pytest."""
    base = base or merge_base(root)
    files = changed_files(root, base)
    if not files:
        say(f"Nothing has changed since {base[:12]}; --base names another commit.")
        return 0
    chosen = tests_for(root, files)
    say(f"{len(files)} changed files touch {len(chosen)} test files; `weir test` runs all.")
    say("".join(f"  {name}\n" for name in chosen[:20]) + (f"  and {len(chosen) - 20} more" if len(chosen) > 20 else ""))
    return phases.run(steps(root, files, chosen, arguments), root, say)


def steps(root: Path, files: Sequence[str], chosen: Sequence[str], arguments: Sequence[str]) -> list[Phase]:
    """The phases: ruff on the changed files, types by mypy with its cache, and the chosen tests."""
    python = [name for name in files if name.endswith(".py") and (root / name).exists()]
    ruff = [
        ("ruff", (*PYTHON, "ruff", "check", *python)),
        ("format", (*PYTHON, "ruff", "format", "--check", *python)),
        ("arrows", (str(Path(sys.executable).with_name("lint-imports")),)),
        ("types", (*PYTHON, "mypy")),  # its daemon ends with an error at the second run, in a module of presidio
    ]
    marks = f"{phases.UNIT_MARKS} and not tail"
    plugin = ("-p", "tools.testing.time_limit")
    tests = (*PYTHON, "pytest", "-m", marks, *plugin, "--durations=5", *chosen, *arguments)
    return [
        *(
            [Phase("tests of the change", (("pytest", tests),), (("WEIR_TEST_SECONDS", str(SECONDS)),))]
            if chosen
            else []
        ),
        *([Phase("checks of the change", tuple(ruff))] if python else []),
    ]


def merge_base(root: Path) -> str:
    """The commit at which this branch left main; HEAD where there is no main."""
    for branch in ("origin/main", "main"):
        done = _git(root, "merge-base", "HEAD", branch)
        if done.returncode == 0:
            return done.stdout.strip()
    return "HEAD"


def changed_files(root: Path, base: str) -> list[str]:
    """Paths that differ from a commit, committed or not, and new ones that git does not ignore."""
    differing = _git(root, "diff", "--name-only", base)
    if differing.returncode:
        raise SystemExit(f"weir test: {base} is not a commit of this repository")
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*differing.stdout.splitlines(), *new.stdout.splitlines()})


def tests_for(root: Path, files: Sequence[str]) -> list[str]:
    """Test files for changed files, the nearest ones first.

    Of a module that only the application as a whole imports, such as a file of routes, the tests of the same room are
    taken whose names share a word with it. Of a file of data, the tests that name it or its folder, directly or through a
    helper. Tests that need servers are left to `weir test`.
    """
    modules, others = [], []
    for name in files:
        path = Path(name)
        if path.suffix == ".py" and path.parts[0] in imports.ROOMS:
            parts = path.with_suffix("").parts
            modules.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        elif path.parts[0] != "tests" or path.suffix != ".py":
            others.append(path)
    graph = grimp.build_graph(*imports.ROOMS, cache_dir=str(root / ".import_linter_cache"))
    near = [*files, *_that_name(root, others)]
    chosen = imports.files_by_distance(root, imports.distances(graph, modules), near)
    for module in modules:
        chosen += by_name(root, module)
    chosen += [*(_WORDS if modules else ()), *(_DOCS if any(p.parts[0] == "docs" for p in others) else ())]
    local = [name for name in dict.fromkeys(chosen) if not name.startswith(("tests/integration/", "tests/e2e/"))]
    return [name for name in local if (root / name).exists()]


def by_name(root: Path, module: str) -> list[str]:
    """Unit tests of a module's room whose names share a word with it or its folders; plurals are no other words."""
    room, *parts = module.split(".")
    names = {word for part in parts for word in part.split("_") if len(word) > 3} - _LAYERS
    words = {word.removesuffix("s") for word in names}
    return [
        str(path.relative_to(root))
        for path in sorted((root / "tests" / "unit" / room).rglob("test_*.py"))
        if words & {word.removesuffix("s") for word in path.stem.split("_")}
    ]


def _that_name(root: Path, others: Sequence[Path]) -> list[str]:
    data = [path for path in others if path.suffix not in (".md", ".ts", ".tsx", ".css")]
    # Tests read a folder of such files as often as one of them.
    names = {path.name for path in data} | {f'"{path.parent.name}"' for path in data if path.parent.name}
    tests = sorted((root / "tests").rglob("*.py")) if names else []
    return [str(test.relative_to(root)) for test in tests if any(name in test.read_text() for name in names)]


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
