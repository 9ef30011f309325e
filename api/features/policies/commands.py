"""`weir policy test`, `simulate`, `mask-preview`, `decide`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from api.terminal.names import complete_dataset, complete_purpose, complete_user
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.text_input import text_of
from catalog.errors import InvalidInput

policy_app = typer.Typer(no_args_is_help=True)

Files = Annotated[list[Path], typer.Option("-f", "--file", help="YAML file; repeat for several.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(policy_app, name="policy")


@policy_app.command(
    epilog="weir policy test -f policy-tests.yaml · weir policy test -f tests.yaml --with policies.yaml"
)
def test(
    file: Files,
    policies: Annotated[
        list[Path] | None, typer.Option("--with", help="Policies to test that are not applied; repeat for several.")
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Check who may see what against a file of expectations; exit code 1 when one fails."""
    body = {"tests": _cases(file), "policies": _documents(policies or [])}
    answer = api(user).post("/api/v1/policies/test", body)
    rows = [
        {
            "case": case["name"],
            "what": problem["what"],
            "expected": problem["expected"],
            "found": problem["found"],
            "why": "; ".join(case["reasons"][:3]),
        }
        for case in answer["cases"]
        for problem in case["problems"]
    ]
    passed = f"{answer['passed']} of {answer['total']} hold."
    show(rows, ("case", "what", "expected", "found", "why"), output, whole=answer, empty=passed)
    if rows:
        if output is Format.TABLE:
            console.print(passed)
        raise typer.Exit(1)


@policy_app.command(
    epilog="weir policy simulate -f policies.yaml · weir policy simulate --remove Policy/mask-email --user ana"
)
def simulate(
    file: Annotated[
        list[Path] | None, typer.Option("-f", "--file", help="YAML as for apply; repeat for several.")
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(help="KIND/NAME to take away; repeat for several.")] = None,
    subject: Annotated[
        str | None, typer.Option("--user", help="Only for this user.", autocompletion=complete_user)
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Only for this dataset, or those of a pattern.", autocompletion=complete_dataset)
    ] = None,
    limit: Annotated[int, typer.Option(min=0, max=5000, help="At most so many changes.")] = 200,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show who would gain and who would lose what, were a file applied. Nothing is applied."""
    if not file and not remove:
        raise InvalidInput("There is nothing to simulate; give -f FILE or --remove KIND/NAME.")
    answer = api(user).post_text(
        "/api/v1/policies/simulate", _documents(file or []), user=subject, dataset=dataset, remove=remove, limit=limit
    )
    rows = [
        {
            **change,
            "path": change["path"] or "(rows)",
            "purpose": change["purpose"] or "-",
            "why": "; ".join(dict.fromkeys(r["text"] for r in change["reasons"])),
        }
        for change in answer["changes"]
    ]
    columns = ("user", "dataset", "path", "purpose", "change", "before", "after", "why")
    show(rows, columns, output, whole=answer, empty="Nobody would gain or lose anything.")
    if output is Format.TABLE:
        counted = f"{answer['gains']} gains, {answer['losses']} losses, {answer['total']} changes"
        console.print(f"{counted}, over {answer['users']} users and {answer['datasets']} datasets.")
        for note in [*answer["notes"], *([answer["note"]] if answer["note"] else [])]:
            console.print(note, style="dim", markup=False)


@policy_app.command(
    "mask-preview", epilog="weir policy mask-preview MASK_SHOW_LAST_4 '4111 1111 1111 1111' '+49 30 1234'"
)
def mask_preview(
    mask: Annotated[str, typer.Argument(help="A mask by any of its names, e.g. EMAIL_DOMAIN, CUSTOM.")],
    values: Annotated[list[str], typer.Argument(help="Values of your own.")],
    kind: Annotated[str, typer.Option("--type", help="Spark's type of the values.")] = "STRING",
    expression: Annotated[str | None, typer.Option(help="Of CUSTOM: Spark SQL of {col}.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="NAME=VALUE, e.g. show=2; repeat for several.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what a mask makes of values."""
    spec: dict[str, object] = {"type": mask}
    if expression is not None:
        spec["expression"] = expression
    if param:
        spec["params"] = dict(map(_param, param))
    answer = api(user).post("/api/v1/policies/masks/preview", {"mask": spec, "values": values, "type": kind})
    show(answer["values"], ("value", "masked"), output, whole=answer, empty="No values.")
    if output is Format.TABLE and answer["note"]:
        console.print(answer["note"], style="dim", markup=False)


@policy_app.command(epilog="weir policy decide prod/orders --user ana --field value.customer.email")
def decide(
    dataset: Topic,
    subject: Annotated[
        str | None, typer.Option("--user", help="Whom it is about; yourself when absent.", autocompletion=complete_user)
    ] = None,
    purpose: Annotated[
        str | None, typer.Option(help="The purpose they would state.", autocompletion=complete_purpose)
    ] = None,
    field: Annotated[list[str] | None, typer.Option(help="Only this path; repeat for several.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what somebody may read of a dataset, column by column, with the reasons."""
    body = {"dataset": dataset, "purpose": purpose, "fields": field or []}
    answer = api(user).post("/api/v1/decisions", {**body, **({"subject": subject} if subject else {})})
    rows = [
        {
            "path": c["path"],
            "effect": c["effect"],
            "mask": c["mask"]["type"] if c["mask"] else "",
            "clearWhen": c["clearWhen"],
            "why": "; ".join(dict.fromkeys(r["text"] for r in c["reasons"])),
        }
        for c in answer["columns"]
    ]
    show(rows, ("path", "effect", "mask", "clearWhen", "why"), output, whole=answer, empty="No field is open.")
    if output is Format.TABLE:
        console.print(
            f"{answer['dataset']}: {answer['effect']}", *(f"· {r['text']}" for r in answer["reasons"]), sep="\n"
        )
        for rows_where in answer["filters"]:
            console.print(f"Only rows where {rows_where}.", markup=False)


def _param(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"{text!r} is not a parameter; write NAME=VALUE, as in --param show=2.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _documents(files: list[Path]) -> str:
    return "\n---\n".join(text_of(path) for path in files)


def _cases(files: list[Path]) -> str:
    """Cases of several files as one list, in JSON, which is YAML too."""
    import yaml

    cases: list[Any] = []
    for path in files:
        try:
            document = yaml.safe_load(text_of(path))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f", line {mark.line + 1}" if mark is not None else ""
            raise InvalidInput(f"{path}{where}: this is not YAML.") from None
        more = document.get("cases") if isinstance(document, dict) else document
        if not isinstance(more, list):
            raise InvalidInput(f"{path} holds no cases; write cases: [...], see docs/reference/policies.md.")
        cases += more
    return json.dumps({"cases": cases}, default=str)
