"""Versions of recognizers: ours, the user's, presidio's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from scanners.detectors.core.base import VERSION
from scanners.detectors.kinds import categories
from scanners.detectors.registry import installed
from scanners.model import Recognizer

OURS = (
    "phone",
    "national_id",
    "api_key",
    "entropy",
    "name_shape",
    "address",
    "postcode",
    "date",
    "password",
    "uuid",
    "device_form",
    "imei",
    "pair",
    "coordinates",
    "date_number",
    "document",
    "imsi",
    "mac_plain",
    "birth_years",
    "flag",
    "vin_check",
    "national_id_called",
    "session_cookie",
    "machine_readable_zone",
    "british_licence",
    *(
        each.recognizer
        for kind in installed().kinds
        if kind.entity not in installed().plugged
        for each in kind.patterns
    ),
    *(category.recognizer for category in categories.CATEGORIES),
)
"""Names of our recognizers, as evidence has them after `weir:`."""


def versions(recognizers: Sequence[Recognizer]) -> dict[str, str]:
    """Name -> version of everything that looks: ours, those of other packages, the user's. presidio's change with its package."""
    plugged = {f"plug:{name}": version for name, version in installed().versions.items()}
    return {**{f"weir:{name}": VERSION for name in OURS}, **plugged, **{r.name: r.version for r in recognizers}}


def presidio_version() -> str:
    """Of the installed package; `?` where there is none."""
    return package_version("presidio-analyzer")


@cache
def package_version(package: str) -> str:
    """Of a Python package; `?` where it is not installed. Read once a process."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
