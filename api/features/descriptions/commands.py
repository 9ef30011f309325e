"""`weir dataset history`: what descriptions were before."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.http import dataset_path
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "dataset").command(
        "history", epilog="weir dataset history prod/orders · weir dataset history prod/orders --field value.region"
    )(history)


def history(
    dataset: Topic,
    field: Annotated[str | None, typer.Option(help="Only of this field.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show who changed the descriptions of a dataset and its fields, when, and what."""
    answer = api(user).get(f"{dataset_path(dataset)}/descriptions", field=field)
    if output is not Format.TABLE or not answer["changes"]:
        columns = ("at", "by", "field", "before", "after")
        show(answer["changes"], columns, output, whole=answer, empty="No description was changed yet.")
        return
    for each in answer["changes"]:
        where = f" {each['field']}" if each["field"] else ""
        console.print(f"{each['at']} {each['by'] or 'unknown'}{where}", markup=False, highlight=False)
        console.print(each["diff"], markup=False, highlight=False)
