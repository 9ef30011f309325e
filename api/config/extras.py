"""Optional packages: what each extra of the distribution switches on, and which are missing here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "weir-catalog"


@dataclass(frozen=True, slots=True)
class Extra:
    """`packages`: names of distributions, without version. `without`: what is different when one of them is missing."""

    name: str
    packages: tuple[str, ...]
    without: str

    def missing(self) -> list[str]:
        """The packages of this extra that are not installed."""
        return [package for package in self.packages if not _is_installed(package)]

    def notice(self) -> str | None:
        """One sentence on what is off and how to switch it on; None when every package is installed."""
        missing = self.missing()
        if not missing:
            return None
        are = "is" if len(missing) == 1 else "are"
        return f"{self.without} because {', '.join(missing)} {are} not installed: pip install '{DISTRIBUTION}[{self.name}]'."


FAST = Extra(
    "fast", ("numba", "hyperscan", "sqlglotc"), "Large scans and reading SQL are slower, with the same answers,"
)
MEANING = Extra("meaning", ("wordllama", "tokenizers", "safetensors"), "Search by meaning is off (words alone count)")
EXTRAS = (FAST, MEANING)
"""Those that every instance could use. `postgres` is asked for where a PostgreSQL is named: see `catalog.adapters.sql.database`."""


def notices() -> list[str]:
    """A sentence for each extra of which a package is missing."""
    return [notice for extra in EXTRAS if (notice := extra.notice())]


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
