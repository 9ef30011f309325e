"""`weir doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from api.features.doctor.findings import Finding, Level
from api.terminal.options import Output
from api.terminal.output import Format, console, show

_COLUMNS = ("name", "state", "message", "fix")


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(epilog="weir doctor · weir doctor --only spark --only kafka · weir doctor -o json")(doctor)


def doctor(
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Look at this alone (may be repeated).")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Look at everything this installation needs, and name what to do. Exit code 1 for a fault; a warning is none."""
    from api.features.doctor.examinations import NAMES, examine_installation
    from api.wiring.installation import Subject

    for name in only or ():
        if name not in NAMES:
            raise typer.BadParameter(f"There is no {name!r} to look at; take one of {', '.join(NAMES)}.")
    findings = examine_installation(Subject.of_environment(), only or ())
    rows = [as_row(finding) for finding in findings]
    faults = sum(finding.level is Level.FAULT for finding in findings)
    warnings = sum(finding.level is Level.WARNING for finding in findings)
    show(rows, _COLUMNS, output, whole={"findings": rows, "faults": faults, "warnings": warnings})
    if output is Format.TABLE:
        console.print(f"{len(findings)} looked at: {faults} faults, {warnings} warnings.", markup=False)
    if faults:
        raise typer.Exit(1)


def as_row(finding: Finding) -> dict[str, str]:
    """As it is printed."""
    return {"name": finding.name, "state": str(finding.level), "message": finding.message, "fix": finding.fix}
