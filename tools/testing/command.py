"""The command `weir test`: the checks, the tests, a part of the tests, a benchmark, or the mutation tester."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from tools.testing import changed, coverage, kept_servers, phases, settings

_ROOT = Path(__file__).resolve().parents[2]

app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})


@app.command(
    epilog="weir test · weir test --changed · weir test --fast · weir test --room lineage · weir test --unit -k redact"
    " · weir test -- tests/e2e -x · weir test --all · weir test --bench stack",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def test(
    context: typer.Context,
    whole: Annotated[
        bool, typer.Option("--all", help="The long tail too: all examples, servers that end, mutants; hours.")
    ] = False,
    change: Annotated[
        bool, typer.Option("--changed", help="Only what the changes since --base touch, by the imports.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option("--base", help="The commit that --changed compares with; by default where main was left."),
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Only what needs no server, and the checks.")] = False,
    unit: Annotated[bool, typer.Option("--unit", help="Only unit tests, without the checks.")] = False,
    room: Annotated[
        str | None, typer.Option("--room", help="Only the unit tests of one room, without the checks.")
    ] = None,
    words: Annotated[
        str | None, typer.Option("-k", help="Only tests whose names match, without the checks; as for pytest.")
    ] = None,
    bench: Annotated[str | None, typer.Option("--bench", help="Run a benchmark of benchmarks/ instead.")] = None,
    mutation: Annotated[bool, typer.Option("--mutation", help="Run the mutation tester instead.")] = False,
    covered: Annotated[
        bool, typer.Option("--coverage", help="How much of each room runs, without the checks; with a floor.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the shared servers running; the next run takes them if it can.")
    ] = False,
    end: Annotated[bool, typer.Option("--end", help="End the servers that an earlier run kept.")] = False,
) -> None:
    """Check the code and run the tests; servers are started as needed. Further arguments go to pytest."""
    if end:
        raise typer.Exit(kept_servers.end(_say))
    if bench is not None:
        raise typer.Exit(_run([f"benchmarks.{_known('benchmark', bench, _benchmarks())}", *context.args]))
    if mutation:
        raise typer.Exit(_run(["tools.mutation", *context.args]))
    _say(settings.apply(whole))
    if keep or kept_servers.running():
        kept_servers.use(_ROOT, _say)
    if change:
        raise typer.Exit(changed.run(_ROOT, base, context.args, _say))
    part = bool(unit or room or words)
    if not part and not covered and not context.args:
        raise typer.Exit(phases.run(phases.FAST if fast else phases.ALL if whole else phases.QUICK, _ROOT, _say))
    selection = ["-m", "not integration and not e2e"] if fast else []
    selection += ["-k", words] if words else []
    if room is not None:
        rooms = sorted(path.name for path in (_ROOT / "tests" / "unit").glob("[a-z]*/") if path.is_dir())
        selection.append(f"tests/unit/{_known('room', room, rooms)}")
    elif unit:
        selection.append("tests/unit")
    if covered:
        raise typer.Exit(coverage.run(_ROOT, [*selection, *context.args], _say))
    failed = [] if part else _failed_checks()
    code = _run(["pytest", *selection, *context.args])
    if failed:
        _say(f"✗ Failed checks: {', '.join(failed)}.")
    raise typer.Exit(code or (1 if failed else 0))


def main() -> None:
    """Run the command; an interrupt ends it without a trace."""
    try:
        app(prog_name="weir test")
    except KeyboardInterrupt:
        sys.exit(130)


def _say(text: str) -> None:
    print(text, flush=True)


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
        _say(f"{'✓' if done.returncode == 0 else '✗'} {name}")
        if done.returncode:
            failed.append(name)
            _say(done.stdout[-8000:] + done.stderr[-2000:])
    return failed
