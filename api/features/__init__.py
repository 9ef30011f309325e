"""What a person can do with Weir, a folder each. A feature consists of:

routes.py    `router`: its HTTP routes, each with its guard, made of typed answers; `first`, where a feature has it: routes
             that are tried before all others
answers.py   the answers as pydantic models: the one statement of their shape
service.py   what joins the rooms for it, where a room's own service is not enough
wiring.py    `provide(instance, parts)`: adds its services to the instance
commands.py  `add_to(app)`: its commands of the command line, whose names are in `COMMANDS` of the feature's `__init__.py`

Each part may be missing. The application, the composition root and the command line find features here; no list names them.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec
from types import ModuleType


@cache
def names() -> tuple[str, ...]:
    """Names of all features, sorted."""
    return tuple(sorted(each.name for each in pkgutil.iter_modules(__path__) if each.ispkg))


def parts(name: str) -> list[ModuleType]:
    """The modules of one part, such as `routes`, of every feature that has it."""
    modules = (f"{__name__}.{feature}.{name}" for feature in names())
    return [importlib.import_module(module) for module in modules if find_spec(module) is not None]


@cache
def commands() -> dict[str, str]:
    """Name of each command of the command line -> the feature that has it. No command is imported."""
    packages = ((name, importlib.import_module(f"{__name__}.{name}")) for name in names())
    return {command: name for name, package in packages for command in getattr(package, "COMMANDS", ())}


def part(feature: str, name: str) -> ModuleType:
    """One part of one feature. Raises ModuleNotFoundError."""
    return importlib.import_module(f"{__name__}.{feature}.{name}")
