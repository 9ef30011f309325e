"""YAML text <-> plain values, with the line of every place.

YAML is read as people mean it: `no`, `on` and `12:30` are words, as in YAML 1.2; anchors and tags are refused, which
also closes the door on documents that blow up when read; a key that occurs twice is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from catalog.errors import InvalidInput

try:  # libyaml reads the largest text in about a quarter of the time, in which all other requests are slow
    from yaml import CSafeLoader as _SafeLoader
except ImportError:
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

MOST_BYTES = 2 * 1024 * 1024
_DEEPEST = 40
_EXPLAINED = 64 * 1024
"""Characters of a text whose fault is looked for again by the slower reader, which explains it better."""
_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map")}


class _Loader(_SafeLoader):
    """YAML 1.2's core words only."""


class _Explainer(yaml.SafeLoader):
    """The reader written in Python, for its messages."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    ("tag:yaml.org,2002:null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", r"(?:[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+)\Z", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first))


def compose(text: str | bytes, file: str) -> list[yaml.Node]:
    """The documents of a text as nodes. Raises InvalidInput for a text that is too large, too deep, or not YAML."""
    if len(text) > MOST_BYTES:
        raise InvalidInput(f"{file} is larger than {MOST_BYTES // 1024 // 1024} MiB; split it.", details={"file": file})
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        depth = 0
        for event in yaml.parse(decoded, Loader=_Loader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise wrong(file, line, None, f"this is nested more than {_DEEPEST} deep")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise wrong(file, line, None, "anchors and aliases (& and *) are not read; write it out")
        return [node for node in yaml.compose_all(decoded, Loader=_Loader) if node is not None]
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8 text.", details={"file": file}) from None
    except yaml.MarkedYAMLError as error:
        error = _explained(decoded) or error
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise wrong(
            file, line, None, f"this is not YAML: {error.problem or error.context or 'cannot be read'}"
        ) from None
    except yaml.YAMLError:
        raise _unprintable(decoded, file) from None
    except RecursionError:
        raise InvalidInput(f"{file} is nested too deeply.", details={"file": file}) from None


def _unprintable(text: str, file: str) -> InvalidInput:
    """The error of a text that the reader does not take for its characters."""
    character = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if character is None:
        return InvalidInput(f"{file} holds characters that YAML does not allow.", details={"file": file})
    line = text.count("\n", 0, character.start()) + 1
    return wrong(file, line, None, f"the character U+{ord(character[0]):04X} is not read; take it out")


def _explained(text: str) -> yaml.MarkedYAMLError | None:
    """The same fault as the reader written in Python names it."""
    if len(text) <= _EXPLAINED:
        try:
            for _ in yaml.parse(text, Loader=_Explainer):
                pass
        except yaml.MarkedYAMLError as error:
            return error
        except yaml.YAMLError:
            return None
    return None


def plain(node: yaml.Node, at: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int], file: str) -> Any:
    """The node as Python's plain types; remembers the line of every place. Raises InvalidInput."""
    line = node.start_mark.line + 1
    lines.setdefault(at, line)
    if node.tag not in _TAGS:
        raise wrong(file, line, dotted(at), f"the tag {node.tag} is not read")
    if isinstance(node, yaml.SequenceNode):
        return [plain(child, (*at, n), lines, file) for n, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, object] = {}
        for key_node, child in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise wrong(file, key_line, dotted(at), "a name must be a word")
            key = str(key_node.value)
            if key in mapping:
                raise wrong(file, key_line, dotted((*at, key)), "is there twice")
            lines[(*at, key)] = key_line
            mapping[key] = plain(child, (*at, key), lines, file)
        return mapping
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError):
        raise wrong(file, line, dotted(at), "cannot be read") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise wrong(file, line, dotted(at), "is a larger number than can be kept")
    return value


def wrong(file: str, line: int, field_name: str | None, text: str) -> InvalidInput:
    """The error at a line; `field_name`: the place, dotted."""
    where = f"{field_name} " if field_name else ""
    stop = "" if text.endswith("?") else "."
    return InvalidInput(
        f"{file}, line {line}: {where}{text}{stop}", details={"file": file, "line": line, "field": field_name}
    )


def dotted(at: Iterable[str | int]) -> str:
    """`spec.fields[0].path`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at).lstrip(".")


class _Dumper(yaml.SafeDumper):
    """Two spaces of indentation also for lists, no anchors, quotes for what YAML 1.1 or 1.2 takes for no text."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


_Dumper.yaml_implicit_resolvers = {
    first: [*yaml.SafeDumper.yaml_implicit_resolvers.get(first, []), *_Loader.yaml_implicit_resolvers.get(first, [])]
    for first in {*yaml.SafeDumper.yaml_implicit_resolvers, *_Loader.yaml_implicit_resolvers}
}


def dump(documents: Iterable[Mapping[str, Any]]) -> str:
    """Documents as YAML, `---` between them. What comes out, `documents.load` reads back the same."""
    return yaml.dump_all(
        [dict(d) for d in documents],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=110,
        explicit_start=True,
    )
