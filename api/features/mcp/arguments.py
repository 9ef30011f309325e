"""What an agent sends to a tool, read forgivingly: other spellings of a name, numbers as text, a value where a list is due."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from api.features.mcp.fence import visible
from catalog.near_names import did_you_mean

Kind = Literal["text", "integer", "texts"]
Value = str | int | list[str] | None

_TYPES: Mapping[Kind, dict[str, object]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "texts": {"type": "array", "items": {"type": "string"}},
}


class WrongArguments(Exception):
    """What an agent sent cannot be used. The message names the argument and the fix."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    listed  whether the schema has `about`; every agent reads the list of tools at its start, so the list is short
    others  further names that agents guess; the schema does not show them
    """

    name: str
    about: str = ""
    kind: Kind = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    listed: bool = True

    def schema(self) -> dict[str, object]:
        """Its JSON Schema."""
        shape = {"enum": list(self.choices)} if self.choices else _TYPES[self.kind]
        return {**shape, **({"description": self.about} if self.about and self.listed else {})}

    def read(self, given: Any) -> Value:
        """The value, or None for an empty one. Raises WrongArguments."""
        if given is None or given in ("", [], {}):
            return None
        if self.kind == "integer":
            return self._integer(given)
        if self.kind == "texts":
            return [self._text(each) for each in (given if isinstance(given, list) else [given])]
        text = self._text(given[0] if isinstance(given, list) and len(given) == 1 else given)
        return self._choice(text) if self.choices else text

    def _integer(self, given: Any) -> int:
        if isinstance(given, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", given):
            given = int(given)
        if isinstance(given, float) and given.is_integer() and abs(given) < 2**53:
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int):
            raise WrongArguments(f"{self.name} is a whole number, not {_shown(given)}.")
        if given < 0:
            raise WrongArguments(f"{self.name} is 0 or more, not {given}.")
        return given

    def _text(self, given: Any) -> str:
        if isinstance(given, bool) or not isinstance(given, (str, int, float)):
            raise WrongArguments(f"{self.name} is a text, not {_shown(given)}.")
        return str(given)

    def _choice(self, text: str) -> str:
        plain = text.strip().lower()
        if plain in self.choices:
            return plain
        near = next(iter(get_close_matches(plain, self.choices, 1)), None)
        raise WrongArguments(
            f"{self.name} is one of {', '.join(self.choices)}, not {_shown(text)}.{did_you_mean(near, lead=' ')}"
        )


def read(arguments: Sequence[Argument], given: Mapping[str, Any], may_lack: Collection[str] = ()) -> dict[str, Value]:
    """Every argument by its name; None for one that was left out.

    `dataSet`, `data-set` and `DATASET` are `dataset`. Raises WrongArguments for an unknown one, naming the nearest, for one
    that is missing and not in `may_lack`, and for two spellings of one.
    """
    known = {_plain(name): each for each in arguments for name in (each.name, *each.others)}
    values: dict[str, Value] = {each.name: None for each in arguments}
    spelt: dict[str, str] = {}
    for name, value in given.items():
        argument = known.get(_plain(name))
        if argument is None:
            raise WrongArguments(_unknown(name, arguments))
        if argument.name in spelt:
            raise WrongArguments(
                f"{visible(spelt[argument.name], 60)} and {visible(name, 60)} mean the same; send one."
            )
        spelt[argument.name] = name
        values[argument.name] = argument.read(value)
    for each in arguments:
        if each.required and values[each.name] is None and each.name not in may_lack:
            raise WrongArguments(f"{each.name} is missing: {each.about or 'the tool needs it'}")
    return values


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _unknown(name: str, arguments: Sequence[Argument]) -> str:
    names = [each.name for each in arguments]
    near = next(iter(get_close_matches(_plain(name)[:60], names, 1)), None)
    others = f"The arguments are {', '.join(names)}." if names else "This tool takes none."
    return f"'{visible(name, 60)}' is not an argument here.{did_you_mean(near, lead=' ')} {others}"


def _shown(given: Any) -> str:
    return f"'{visible(given, 60)}'" if isinstance(given, str) else f"a value of type {type(given).__name__}"
