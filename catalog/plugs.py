"""Plugs: parts that other packages add by an entry point, such as `weir.masks`. A bad one is a sentence and disables no other."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Plug:
    """What an entry point names. `package`: the distribution it came with."""

    group: str
    name: str
    package: str
    value: Any

    def refused(self, why: str) -> str:
        """The sentence for a plug that is not used."""
        return _refused(self.group, self.name, self.package, why)


def load(group: str) -> tuple[list[Plug], list[str]]:
    """The plugs of a group by package and name, and a sentence for each that cannot be imported."""
    plugs: list[Plug] = []
    problems: list[str] = []
    for point in sorted(entry_points(group=group), key=lambda each: (_package(each), each.name, each.value)):
        try:
            plugs.append(Plug(group, point.name, _package(point), point.load()))
        except (Exception, SystemExit) as error:  # the code of another package may raise anything
            why = f"importing {point.value} raised {failure(error)}"
            problems.append(_refused(group, point.name, _package(point), why))
    return plugs, problems


def failure(error: BaseException) -> str:
    """An error in one line: its type, and the first line of its message."""
    lines = str(error).strip().splitlines()
    first = lines[0][:_LONGEST].rstrip(".") if lines else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(no package)"


def _refused(group: str, name: str, package: str, why: str) -> str:
    return f"The plug {name} of the package {package} ({group}) is not used: {why}."
