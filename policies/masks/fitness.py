"""Whether a mask of another package can be used: checked when it is loaded, before any value meets it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from catalog import plugs
from catalog.datatypes import Primitive
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Meaning, Parameter
from policies.model import Mask

_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z")
_LEAST_RANK, _MOST_RANK = 1, 59
"""A mask of another package never holds where MASK, MASK_NULL or DROP would."""
_KINDS = ("STRING", "BIGINT", "DECIMAL(12,2)", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "BINARY")
_KEYS = MaskKeys(b"a key that is of no installation")


def obstacle(value: Any, taken: Collection[str]) -> str | None:
    """Why a plug cannot be a mask, as the end of a sentence; None where it can. `taken`: names that others have."""
    if not (isinstance(value, type) and issubclass(value, MaskKind)):
        return "it is not a subclass of policies.masks.kind.MaskKind"
    try:
        return _name(value, taken) or _declared(value) or _example(value())
    except Exception as error:  # the code of another package may raise anything
        return f"it raised {plugs.failure(error)}"


def _name(value: type[MaskKind], taken: Collection[str]) -> str | None:
    name = getattr(value, "name", None)
    if not isinstance(name, str) or not _NAME.match(name):
        return f"its name is {name!r}; write upper case, digits and _ as in ACME_POSTCODE"
    for each in (name, *value.aliases):
        if not _NAME.match(each):
            return f"its alias {each!r} is not upper case, digits and _"
        if each in taken:
            return f"there is another mask of the name {each}; choose another name"
    return None


def _declared(value: type[MaskKind]) -> str | None:
    rank = value.rank
    if rank is not None and (not isinstance(rank, int) or not _LEAST_RANK <= rank <= _MOST_RANK):
        return f"its rank is {rank!r}; write a whole number from {_LEAST_RANK} to {_MOST_RANK}, or None"
    if not isinstance(getattr(value, "meaning", None), Meaning):
        return "it has no meaning; write one as in Meaning('12xxx', '0', '1900-01-01', 'the street')"
    for each in value.parameters:
        problem = _parameter(each)
        if problem is not None:
            return problem
    known = {each.name: each for each in value.parameters}
    for alias, implied in value.implied.items():
        if alias not in value.aliases:
            return f"{alias} implies parameters and is not among its aliases"
        for name, given in implied.items():
            if name not in known or not known[name].allows(given):
                return f"its alias {alias} gives the parameter {name} a value that it does not take"
    return None


def _parameter(parameter: Parameter) -> str | None:
    if parameter.least > parameter.most:
        return f"the range of its parameter {parameter.name} is empty: {parameter.least:g} to {parameter.most:g}"
    if not parameter.allows(parameter.default):
        return f"the default of its parameter {parameter.name}, {parameter.default!r}, is not {parameter.range}"
    return None


def _example(kind: MaskKind) -> str | None:
    mask = Mask(kind.name)
    for each in map(Primitive, _KINDS):
        if not isinstance(kind.expression(mask, "v", each, _KEYS), str):
            return f"it gives no SQL for {each.name}"
    if not 0 <= kind.fine(mask) <= 1_000_000:
        return "what its method fine gives is not from 0 to a million"
    if kind.example is None:
        return None if kind.equality else "it has no example"
    value, expected = kind.example
    masked = kind.apply(mask, value, Primitive("STRING"), _KEYS)
    return None if masked == expected else f"of its example {value!r} it makes {masked!r}, not {expected!r}"
