"""Python, and the packages that are installed against those that this version of Weir was tested with."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version

from api import VERSION
from api.config.extras import DISTRIBUTION, notices
from api.config.home import PROGRAM
from api.features.doctor.findings import Finding, fault, ok, warning
from api.wiring.installation import Subject

_LOCK = PROGRAM / "requirements" / "core.txt"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)(?:\s*;\s*([^\\]*))?", re.M)
_NAMED = 8


def look_at_packages(_: Subject) -> Iterator[Finding]:
    """The packages of the lock file, or of the installed distribution."""
    yield ok("python", f"Weir {VERSION} runs on Python {platform.python_version()}.")
    yield compared(locked())
    for notice in notices():
        words, separator, command = notice.rpartition(": ")
        yield warning("packages optional", f"{words}." if separator else command, command.rstrip("."))


def locked() -> dict[str, str]:
    """Package -> version; empty where nothing names them."""
    if _LOCK.is_file():
        lines = _PIN.findall(_LOCK.read_text(encoding="utf-8"))
        return {name: pinned for name, pinned, marker in lines if "extra" not in marker and _applies(marker)}
    try:
        lines = [_PIN.match(line) for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        return {}
    return {match[1]: match[2] for match in lines if match and "extra ==" not in (match[3] or "")}


def compared(wanted: Mapping[str, str]) -> Finding:
    """What is installed against what is wanted."""
    if not wanted:
        return warning(
            "packages", "No lock file names the packages that are wanted.", "Install Weir from its wheel or checkout."
        )
    installed = {name: _version(name) for name in wanted}
    missing = [name for name, there in installed.items() if there is None]
    other = [
        f"{name} {there} in place of {wanted[name]}"
        for name, there in installed.items()
        if there not in (None, wanted[name])
    ]
    if missing:
        return fault(
            "packages", f"{len(missing)} packages are missing: {_some(missing)}.", "Install requirements/core.txt."
        )
    if other:
        return warning(
            "packages", f"{len(other)} packages have another version: {_some(other)}.", "Install requirements/core.txt."
        )
    return ok("packages", f"{len(wanted)} packages are installed in the versions that Weir was tested with.")


def _applies(marker: str) -> bool:
    from packaging.markers import Marker

    return not marker.strip() or Marker(marker.strip()).evaluate()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _some(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
