"""`weir test`: phases run side by side, each is printed once it ends, and whatever fails makes the whole run fail."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.testing import phases
from tools.testing.phases import Phase, run

ROOT = Path(__file__).resolve()
while not (ROOT / "pyproject.toml").exists():
    ROOT = ROOT.parent
MARKS = ("integration", "e2e", "secured", "own_servers")


def script(name: str, *codes: str) -> Phase:
    return Phase(name, tuple((f"step{n}", (sys.executable, "-c", code)) for n, code in enumerate(codes)))


def pytest_of(name: str, folder: Path, text: str) -> Phase:
    file = folder / f"test_{name}.py"
    file.write_text(text)
    command = (sys.executable, "-m", "pytest", "-raR", "-p", "no:cacheprovider", str(file))
    return Phase(name, (("pytest", command),))


@pytest.fixture(autouse=True)
def few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is run here needs none of the installed plugins, which take seconds to import."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


class Output(list[str]):
    def text(self) -> str:
        return "\n".join(self)


def waits_for(own: Path, other: Path) -> str:
    return (
        f"import pathlib, time; pathlib.Path({str(own)!r}).touch(); end = time.monotonic() + 60\n"
        f"while not pathlib.Path({str(other)!r}).exists(): assert time.monotonic() < end; time.sleep(0.01)"
    )


def test_two_phases_run_side_by_side(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    assert run([script("first", waits_for(a, b)), script("second", waits_for(b, a))], tmp_path, Output().append, 2) == 0


def test_one_lane_runs_them_in_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    write = "open({!r}, 'a').write('{}')"
    assert run([script(n, write.format(str(log), n)) for n in "abc"], tmp_path, Output().append, 1) == 0
    assert log.read_text() == "abc"


def test_a_failed_check_fails_the_run_although_the_tests_pass(tmp_path: Path) -> None:
    out = Output()
    checks = script("checks", "print('line 7 is wrong'); raise SystemExit(2)", "print('fine')")
    tests = pytest_of("tests", tmp_path, "def test_it(): pass")
    assert run([checks, tests], tmp_path, out.append, 2) == 1
    assert "line 7 is wrong" in out.text() and "✓ step1" in out.text()
    assert out[-1].startswith("1 passed in ") and out[-1].endswith("Failed: checks (step0).")


def test_a_failed_test_is_printed_without_the_progress_and_all_are_counted(tmp_path: Path) -> None:
    out = Output()
    good = pytest_of("good", tmp_path, "def test_a(): pass\ndef test_b(): pass")
    bad = pytest_of(
        "bad",
        tmp_path,
        "import pytest\ndef test_c(): assert 'left' == 'right'\ndef test_d(): pytest.skip('no moon')\ndef test_e(): pass",
    )
    assert run([good, bad], tmp_path, out.append, 2) == 1
    assert "assert 'left' == 'right'" in out.text() and "no moon" in out.text()
    assert "[100%]" not in out.text() and "test session starts" not in out.text()
    assert "3 passed" in out[-1] and "1 failed" in out[-1] and "1 skipped" in out[-1]
    assert "Failed: bad (pytest)." in out[-1]


def test_tests_that_end_without_a_summary_have_failed(tmp_path: Path) -> None:
    out = Output()
    gone = pytest_of("gone", tmp_path, "import os\ndef test_it(): os.write(1, b'last words'); os._exit(0)")
    assert run([gone], tmp_path, out.append, 1) == 1
    assert "Failed: gone (pytest)." in out[-1]


def test_a_program_that_is_missing_is_a_failure(tmp_path: Path) -> None:
    out = Output()
    assert run([Phase("checks", (("ruff", (str(tmp_path / "ruff"), "check")),))], tmp_path, out.append, 1) == 1
    assert str(tmp_path / "ruff") in out.text()


def test_the_minutes_count_from_the_start_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_MINUTES", "20")
    log = tmp_path / "log"
    look = f"import os; open({str(log)!r}, 'a').write(os.environ['WEIR_TEST_MINUTES'] + ' ')"
    run([script("a", f"{look}; import time; time.sleep(0.6)"), script("b", look)], tmp_path, Output().append, 1)
    first, second = map(float, log.read_text().split())
    assert second + 0.01 <= first <= 20


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_runs_is_interrupted_once_and_waited_for(tmp_path: Path, number: signal.Signals) -> None:
    begun, cleaned = tmp_path / "begun", tmp_path / "cleaned"
    work = (
        f"import pathlib, signal, time; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"try: pathlib.Path({str(begun)!r}).touch(); time.sleep(60)\n"
        f"finally: time.sleep(0.3); open({str(cleaned)!r}, 'a').write('once')"
    )
    code = (
        f"import signal, sys; from pathlib import Path; from tools.testing.phases import Phase, run\n"
        f"signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"run([Phase('work', (('it', (sys.executable, '-c', {work!r})),))] * 1, Path('/'), print, 2)"
    )
    whole = subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ) | {"PYTHONPATH": str(ROOT)})
    until = time.monotonic() + 60
    while not begun.exists():
        assert time.monotonic() < until and whole.poll() is None
        time.sleep(0.02)
    whole.send_signal(number)
    assert whole.wait(60) != 0
    assert cleaned.read_text() == "once"


def takes(phase: Phase, marks: dict[str, bool], folder: str) -> bool:
    """Whether a phase runs a test with such marks in such a folder."""
    words = phase.steps[0][1]
    chosen = words[words.index("-m", 2) + 1]
    ignored = {word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")}
    folders = [word for word in words if word.startswith("tests/")]
    return bool(eval(chosen, {}, marks)) and folder not in ignored and (not folders or folder in folders)


def kinds_of_tests(*marks: str) -> Iterator[tuple[dict[str, bool], str]]:
    """Every combination of marks, in each folder where a test may have them."""
    for values in itertools.product((True, False), repeat=len(marks)):
        kind = dict(zip(marks, values, strict=True))
        servers = ("tests/contract", "tests/integration") if kind["integration"] else (*phases.JOINED, "tests/unit")
        own = ("tests/integration", "tests/e2e")
        for folder in ("tests/e2e",) if kind["e2e"] else own if kind["own_servers"] else servers:
            yield kind, folder


def test_each_test_is_in_one_phase() -> None:
    parts = (phases.SERVERS, phases.FEATURES, phases.ROOMS, phases.DEMO, phases.SECURED, phases.OWN)
    assert {*parts} < {*phases.ALL}
    for marks, folder in kinds_of_tests(*MARKS):
        assert sum(takes(phase, marks, folder) for phase in parts) == 1, (marks, folder)


def test_a_quick_run_has_each_test_but_the_tail_and_those_on_servers_of_their_own() -> None:
    quick = [phase for phase in phases.QUICK if phase is not phases.CHECKS]
    for marks, folder in kinds_of_tests(*MARKS, "tail"):
        once = not marks["tail"] and not marks["own_servers"]
        assert sum(takes(phase, marks, folder) for phase in quick) == once, (marks, folder)


def test_folders_without_servers_have_no_test_that_needs_them() -> None:
    """The phases with servers look at the other folders alone."""
    named = [f"mark.{mark}" for mark in MARKS]
    files = [*(ROOT / "tests" / "unit").rglob("*.py"), *(ROOT / "tests" / "architecture").rglob("*.py")]
    assert [str(f) for f in files if f.name != Path(__file__).name and any(n in f.read_text() for n in named)] == []
    assert [str(f) for f in (ROOT / "tests" / "contract").rglob("*.py") if "mark.e2e" in f.read_text()] == []
    assert [str(f) for f in (ROOT / "tests" / "contract").rglob("*.py") if "mark.own_servers" in f.read_text()] == []
    assert [str(f) for f in (ROOT / "tests" / "integration").rglob("*.py") if "mark.e2e" in f.read_text()] == []
