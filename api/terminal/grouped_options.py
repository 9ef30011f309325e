"""Options that travel together: a dataclass whose fields are options, taken by a command as one parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command as typer reads it: in the place of a parameter that is a dataclass, an option for each of its fields."""
    signature = inspect.signature(command, eval_str=True)
    options: list[inspect.Parameter] = []
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for parameter in signature.parameters.values():
        group = parameter.annotation
        if isinstance(group, type) and is_dataclass(group):
            fields = inspect.signature(group, eval_str=True).parameters
            options += fields.values()
            groups[parameter.name] = group, list(fields)
        else:
            options.append(parameter)

    @functools.wraps(command)
    def flat(**values: Any) -> None:
        built = {
            name: group(**{field: values.pop(field) for field in fields}) for name, (group, fields) in groups.items()
        }
        command(**built, **values)

    by_name = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    flat.__signature__ = signature.replace(parameters=by_name)  # type: ignore[attr-defined]  # what inspect reads first
    return flat
