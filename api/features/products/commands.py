"""`weir catalog products`: datasets that are offered together."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "catalog").command("products", epilog="weir catalog products · weir catalog products shop")(products)


def products(
    product: Annotated[str | None, typer.Argument(help="One of them, with its datasets.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List data products, or show one: its datasets, which of them are outputs, and its contracts."""
    if product is not None:
        _show_product(product, output, user)
        return
    answer = api(user).get("/api/v1/products")
    rows = [
        {**each, "datasets": len(each["datasets"]), "owners": ", ".join(each["owners"])} for each in answer["products"]
    ]
    columns = ("name", "title", "owners", "datasets")
    show(rows, columns, output, whole=answer, empty="No data products; declare one by kind: DataProduct.")


def _show_product(product: str, output: Format, user: str | None) -> None:
    answer = api(user).get(f"/api/v1/products/{segment(product)}")
    columns = ("reference", "output", "certified", "deprecated", "inCatalog", "description")
    show(answer["datasets"], columns, output, whole=answer, empty="None of its datasets may be known to you.")
    if output is Format.TABLE:
        if answer["contracts"]:
            console.print(f"Contracts: {', '.join(answer['contracts'])}", markup=False)
        if answer["leftOut"]:
            console.print(f"Left out, as you may not know of them: {answer['leftOut']} datasets.", markup=False)
