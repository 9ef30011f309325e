"""`weir catalog terms`: words of the business as a tree, and what carries them."""

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
    noun(app, "catalog").command("terms", epilog="weir catalog terms · weir catalog terms customer-email")(terms)


def terms(
    term: Annotated[str | None, typer.Argument(help="One of them, with what carries it.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the terms of the glossary, those of a wider one below it; or show one, and the datasets and fields that carry it."""
    if term is not None:
        _show_term(term, output, user)
        return
    answer = api(user).get("/api/v1/glossary")
    by_name = {each["name"]: each for each in answer["terms"]}
    tops = [each["name"] for each in answer["terms"] if each["parent"] is None]
    rows = [row for top in tops for row in _below(by_name, top, 0)]
    columns = ("term", "definition", "synonyms", "tags", "datasets", "fields")
    show(rows, columns, output, whole=answer, empty="No terms yet; declare one by kind: GlossaryTerm.")


def _below(terms: Mapping[str, Mapping[str, Any]], name: str, depth: int) -> Iterator[dict[str, object]]:
    term = terms[name]
    listed = {key: ", ".join(term[key]) for key in ("synonyms", "tags")}
    yield {**term, **listed, "term": f"{'  ' * depth}{name}"}
    for child in term["children"]:
        yield from _below(terms, child, depth + 1)


def _show_term(term: str, output: Format, user: str | None) -> None:
    answer = api(user).get(f"/api/v1/glossary/{segment(term)}")
    rows = [{"dataset": each, "field": ""} for each in answer["carryingDatasets"]]
    rows += [{"dataset": each["dataset"], "field": each["path"]} for each in answer["carryingFields"]]
    if output is Format.TABLE:
        console.print(" > ".join([*answer["path"], answer["name"]]), markup=False)
        if answer["definition"]:
            console.print(answer["definition"], markup=False)
    show(rows, ("dataset", "field"), output, whole=answer, empty="Nothing carries this term.")
