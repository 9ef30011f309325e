"""`weir test`: the checks, the tests, a part of the tests, or a benchmark."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Annotated

import typer

from api.cli import coverage, phases
from api.terminal.output import errors, print_text

_ROOT = Path(__file__).resolve().parents[2]


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(
        epilog="weir test · weir test --fast · weir test --room lineage · weir test --unit -k redact"
        " · weir test -- tests/e2e -x · weir test --bench stack",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(test)


def test(
    context: typer.Context,
    fast: Annotated[bool, typer.Option("--fast", help="Only what needs no server, and the checks.")] = False,
    unit: Annotated[bool, typer.Option("--unit", help="Only unit tests, without the checks.")] = False,
    room: Annotated[
        str | None, typer.Option("--room", help="Only the unit tests of one room, without the checks.")
    ] = None,
    words: Annotated[
        str | None, typer.Option("-k", help="Only tests whose names match, without the checks; as for pytest.")
    ] = None,
    bench: Annotated[str | None, typer.Option("--bench", help="Run a benchmark of benchmarks/ instead.")] = None,
    covered: Annotated[
        bool, typer.Option("--coverage", help="How much of each room runs, without the checks; with a floor.")
    ] = False,
) -> None:
    """Check the code and run the tests; servers are started as needed. Further arguments go to pytest."""
    if not (_ROOT / "tests").exists():
        raise typer.BadParameter("this Weir was installed from a wheel, which has no tests; run it in a checkout.")
    if bench is not None:
        raise typer.Exit(_run([f"benchmarks.{_known('benchmark', bench, _benchmarks())}", *context.args]))
    part = bool(unit or room or words)
    if not part and not covered and not context.args:
        raise typer.Exit(phases.run(phases.FAST if fast else phases.WHOLE, _ROOT, print_text))
    selection = ["-m", "not integration and not e2e"] if fast else []
    selection += ["-k", words] if words else []
    if room is not None:
        rooms = sorted(path.name for path in (_ROOT / "tests" / "unit").glob("[a-z]*/") if path.is_dir())
        selection.append(f"tests/unit/{_known('room', room, rooms)}")
    elif unit:
        selection.append("tests/unit")
    if covered:
        raise typer.Exit(coverage.run(_ROOT, [*selection, *context.args], print_text))
    failed = [] if part else _failed_checks()
    code = _run(["pytest", *selection, *context.args])
    if failed:
        errors.print(f"[red]✗[/] Failed checks: {', '.join(failed)}.")
    raise typer.Exit(code or (1 if failed else 0))


def _run(module: list[str]) -> int:
    return subprocess.run([*phases.PYTHON, *module], cwd=_ROOT, check=False).returncode


def _known(what: str, name: str, names: list[str]) -> str:
    if name not in names:
        raise typer.BadParameter(f"there is no {what} {name!r}; there are: {', '.join(names)}")
    return name


def _benchmarks() -> list[str]:
    folder = _ROOT / "benchmarks"
    packages = (path.parent for path in folder.glob("[a-z]*/__main__.py"))
    return sorted(path.stem for path in (*folder.glob("[a-z]*.py"), *packages))


def _failed_checks() -> list[str]:
    """Run the checks; the names of those that failed."""
    failed = []
    for name, command in phases.CHECKS.steps:
        done = subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, text=True)
        errors.print(f"{'[green]✓[/]' if done.returncode == 0 else '[red]✗[/]'} {name}")
        if done.returncode:
            failed.append(name)
            print_text(done.stdout[-8000:] + done.stderr[-2000:])
    return failed
