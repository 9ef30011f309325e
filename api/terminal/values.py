"""Values of options and arguments, without the adapter of pydantic that typer builds for each.

Importing pydantic takes longer than most commands run. What a command usually gets is taken as it is; typer's own adapter
reads everything else, and words every refusal.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, get_args, get_origin

from typer import BadParameter
from typer._coercion import RuntimeParam, TypeDescriptor, build_runtime_param

_PYDANTIC = "Value error, "
"""What pydantic puts before a sentence of typer's own."""


class UsualValue(RuntimeParam):
    """Takes texts, switches and words of enumerations at once."""

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
        kind: Any = self.annotation
        if get_origin(kind) is list and isinstance(value, list | tuple):
            (kind,) = get_args(kind)
            taken = [_taken(each, kind) for each in value]
            if None not in taken and all(map(self._is_within, taken)):
                return taken
        elif (usual := _taken(value, kind)) is not None and self._is_within(usual):
            return usual
        whole = TypeDescriptor(self.annotation, self.parameter_info, None)
        try:
            return build_runtime_param(whole)._coerce_value(value, param=param, ctx=ctx)
        except BadParameter as error:
            error.message = error.message.removeprefix(_PYDANTIC)
            raise

    def _is_within(self, value: Any) -> bool:
        """Whether a number is one that the option's least and most allow; other values have no such limits."""
        if type(value) is not int:
            return True
        least, most = self.parameter_info.min, self.parameter_info.max
        return (least is None or value >= least) and (most is None or value <= most)


def usual(descriptor: TypeDescriptor) -> RuntimeParam:
    """How a parameter is read; files and parameters with a parser as typer does."""
    if descriptor.file_annotation is not None or descriptor.parameter_info.parser is not None:
        return build_runtime_param(descriptor)
    return UsualValue(descriptor.parameter_info, descriptor.annotation)


def _taken(value: Any, kind: Any) -> Any:
    """The value where it needs no reading; None where it does."""
    if kind in (str, bool):
        return value if type(value) is kind else None
    if kind is int:
        return value if type(value) is int else None
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((each for each in kind if value is each or (type(value) is str and value == each.value)), None)
    return None
