"""Which of Spark's functions and which of sqlglot's nodes a query may use.

`functions.csv` lists every name of `SHOW FUNCTIONS` in Spark 4.0.0 (plus four that are grammar there), each `allowed`,
`refused` with the class of the reason, or `operator` (written between its arguments, never called by name).
`nodes.csv` lists every expression class of the pinned sqlglot as `allowed` or `refused`. Whatever is in neither file
is refused; tests fail when a pinned version brings a name that nobody has classified.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from policies.sql.names import nearest

REASONS = {
    "environment": "describes the server, not the data",
    "jvm": "runs code of the server",
    "file": "reads files or shows which were read",
    "markup": "parses external markup",
    "not-installed": "needs a package that is not part of Weir's engine",
    "error-oracle": "raises an error of its own, by which hidden values could be probed",
    "operator": "is an operator; write it between its arguments",
    "unknown": "is not a function of Spark that Weir knows",
}
"""Class of a refusal -> what the message states about the function."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of Spark. `note`: `size` = its result grows with an argument, `table` = may be used in FROM."""

    name: str
    verdict: str
    note: str


@lru_cache(maxsize=1)
def functions() -> dict[str, Function]:
    """Every classified function, by its lower-case name."""
    text = files(__package__).joinpath("functions.csv").read_text(encoding="utf-8")
    return {
        row["name"]: Function(row["name"], row["verdict"], row["note"]) for row in csv.DictReader(text.splitlines())
    }


def refusal(name: str) -> str | None:
    """Why a function may not be called, in words; None when it may."""
    function = functions().get(name.lower())
    if function is None:
        return REASONS["unknown"]
    if function.verdict == "allowed":
        return None
    return REASONS["operator" if function.verdict == "operator" else function.note]


def near(name: str) -> str | None:
    """The function that an unknown name is most like, if there is one."""
    if name.lower() in functions():
        return None
    return nearest(name, (each for each, function in functions().items() if function.verdict == "allowed"))


def may_stand_in_from(name: str) -> bool:
    function = functions().get(name.lower())
    return function is not None and function.verdict == "allowed" and function.note == "table"


def grows(name: str) -> bool:
    """True for a function whose result is as long as an argument asks."""
    function = functions().get(name.lower())
    return function is not None and function.note == "size"


@lru_cache(maxsize=1)
def nodes() -> dict[str, str]:
    """Name of a sqlglot expression class -> allowed | refused."""
    text = files(__package__).joinpath("nodes.csv").read_text(encoding="utf-8")
    return {row["node"]: row["verdict"] for row in csv.DictReader(text.splitlines())}
