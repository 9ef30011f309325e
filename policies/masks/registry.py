"""All masks there are: those of `kinds`, and those of other packages, by entry points of the group `weir.masks`.

An entry point names a subclass of `MaskKind`. One that cannot be used is a sentence in `installed().problems`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from catalog import plugs
from catalog.errors import InvalidInput, Unavailable, WeirError
from policies.masks import kinds as kinds_of_weir
from policies.masks.fitness import obstacle
from policies.masks.kind import MaskKind, Value

GROUP = "weir.masks"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Installed:
    """kinds: by name, from what hides least to what hides most, then those without a place; names: every name of each, with
    the parameters it implies; problems: a sentence for each plug that is not used; plugged: names of masks of other packages."""

    kinds: Mapping[str, MaskKind]
    names: Mapping[str, tuple[str, Mapping[str, Value]]]
    problems: tuple[str, ...]
    plugged: frozenset[str]


@cache
def installed() -> Installed:
    """Read once in a process."""
    every = list(_of_weir())
    names = {name for kind in every for name in _names(kind)}
    loaded, problems = plugs.load(GROUP)
    plugged: set[str] = set()
    for plug in loaded:
        why = obstacle(plug.value, names)
        if why is not None:
            problems.append(plug.refused(why))
            continue
        kind = plug.value()
        every.append(kind)
        names.update(_names(kind))
        plugged.add(kind.name)
    ordered = sorted(every, key=lambda kind: (kind.rank is None, kind.rank or 0, kind.name))
    return Installed(
        {kind.name: kind for kind in ordered},
        {
            **{alias: (kind.name, kind.implied.get(alias, {})) for kind in ordered for alias in kind.aliases},
            **{kind.name: (kind.name, {}) for kind in ordered},
        },
        tuple(problems),
        frozenset(plugged),
    )


def find(name: str) -> MaskKind | None:
    """The mask of this name; None where it is not installed."""
    return installed().kinds.get(name)


def of(name: str) -> MaskKind:
    """The mask of this name. Raises InvalidInput where it is not installed, such as when a package was removed."""
    kind = find(name)
    if kind is None:
        raise InvalidInput(
            f"The mask {name} is not installed; install its package, or change the policy that names it."
        )
    return kind


def shows_equality(name: str) -> bool:
    """Whether the mask keeps equal values equal and different ones different, by a key."""
    kind = find(name)
    return kind is not None and kind.equality


def guarded(kind: MaskKind, call: Callable[[], T]) -> T:
    """What a mask gives. Raises Unavailable where the code of another package raises anything: nothing is shown then."""
    if kind.name not in installed().plugged:
        return call()
    try:
        return call()
    except WeirError:
        raise
    except Exception as error:  # the text may hold the value
        raise Unavailable(
            f"The mask {kind.name} failed ({type(error).__name__}); update its package, or change the policy.",
            details={"mask": kind.name},
        ) from None


def _of_weir() -> Iterable[MaskKind]:
    for each in pkgutil.iter_modules(kinds_of_weir.__path__):
        module = importlib.import_module(f"{kinds_of_weir.__name__}.{each.name}")
        for _, value in inspect.getmembers(module, inspect.isclass):
            if issubclass(value, MaskKind) and value.__module__ == module.__name__:
                yield value()


def _names(kind: MaskKind) -> list[str]:
    return [kind.name, *kind.aliases]
