"""The one body of every failure."""

from __future__ import annotations

from api.edge.answer import Answer, FreeForm, about


class Failure(Answer):
    """Why a request was not answered."""

    code: str = about("Stable; for programs.", examples=["not_found"])
    message: str = about("One sentence with the fix; for people.")
    details: FreeForm = about("What programs may act on: names of fields, reasons of a decision.")


class Error(Answer):
    """The body of every failure."""

    error: Failure
