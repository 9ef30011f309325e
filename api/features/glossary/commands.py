"""`weir glossary`: words of the business as a tree, and what carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from api.terminal.http import segment
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "glossary")
    group.command("list", epilog="weir glossary list · weir glossary list -o json")(list_terms)
    group.command("show", epilog="weir glossary show customer-email")(show_term)


def list_terms(output: Output = Format.TABLE, user: As = None) -> None:
    """List all terms, those of a wider one below it."""
    answer = api(user).get("/api/v1/glossary")
    terms = {each["name"]: each for each in answer["terms"]}
    tops = [each["name"] for each in answer["terms"] if each["parent"] is None]
    rows = [row for top in tops for row in _below(terms, top, 0)]
    columns = ("term", "definition", "synonyms", "tags", "datasets", "fields")
    show(rows, columns, output, whole=answer, empty="No terms yet; declare one by kind: GlossaryTerm.")


def _below(terms: Mapping[str, Mapping[str, Any]], name: str, depth: int) -> Iterator[dict[str, Any]]:
    term = terms[name]
    listed = {key: ", ".join(term[key]) for key in ("synonyms", "tags")}
    yield {**term, **listed, "term": f"{'  ' * depth}{name}"}
    for child in term["children"]:
        yield from _below(terms, child, depth + 1)


def show_term(
    term: Annotated[str, typer.Argument(help="Its name.")], output: Output = Format.TABLE, user: As = None
) -> None:
    """Show a term, its parents, and the datasets and fields that carry it."""
    answer = api(user).get(f"/api/v1/glossary/{segment(term)}")
    rows = [{"dataset": each, "field": ""} for each in answer["carryingDatasets"]]
    rows += [{"dataset": each["dataset"], "field": each["path"]} for each in answer["carryingFields"]]
    if output is Format.TABLE:
        console.print(" > ".join([*answer["path"], answer["name"]]), markup=False)
        if answer["definition"]:
            console.print(answer["definition"], markup=False)
    show(rows, ("dataset", "field"), output, whole=answer, empty="Nothing carries this term.")
