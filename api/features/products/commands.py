"""`weir product`: datasets that are offered together."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "product")
    group.command("list", epilog="weir product list")(list_products)
    group.command("show", epilog="weir product show shop")(show_product)


def list_products(output: Output = Format.TABLE, user: As = None) -> None:
    """List the data products that you may know of."""
    answer = api(user).get("/api/v1/products")
    rows = [
        {**each, "datasets": len(each["datasets"]), "owners": ", ".join(each["owners"])} for each in answer["products"]
    ]
    columns = ("name", "title", "owners", "datasets")
    show(rows, columns, output, whole=answer, empty="No data products; declare one by kind: DataProduct.")


def show_product(
    product: Annotated[str, typer.Argument(help="Its name.")], output: Output = Format.TABLE, user: As = None
) -> None:
    """Show a data product: its datasets, which of them are outputs, and its contracts."""
    answer = api(user).get(f"/api/v1/products/{segment(product)}")
    columns = ("reference", "output", "certified", "deprecated", "inCatalog", "description")
    show(answer["datasets"], columns, output, whole=answer, empty="None of its datasets may be known to you.")
    if output is Format.TABLE:
        if answer["contracts"]:
            console.print(f"Contracts: {', '.join(answer['contracts'])}", markup=False)
        if answer["leftOut"]:
            console.print(f"Left out, as you may not know of them: {answer['leftOut']} datasets.", markup=False)
