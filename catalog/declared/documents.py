"""Declared state: YAML text <-> documents, with the line of everything that is wrong.

YAML is read as people mean it: `no`, `on` and `12:30` are words, as in YAML 1.2; anchors and tags are refused, which
also closes the door on documents that blow up when read; a key that occurs twice is an error.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import yaml
from pydantic import BaseModel, RootModel, ValidationError

from catalog.near_names import did_you_mean

try:  # libyaml reads the largest text in about a quarter of the time, in which all other requests are slow
    from yaml import CSafeLoader as _SafeLoader
except ImportError:
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

from catalog.errors import InvalidInput

API_VERSION = "weir/v1"
_MOST_BYTES = 2 * 1024 * 1024
_DEEPEST = 40
_EXPLAINED = 64 * 1024
"""Characters of a text whose fault is looked for again by the slower reader, which explains it better."""
_NAME = re.compile(r"[^\s/][^\s]*\Z")
_METADATA = {"name": str, "cluster": str, "domain": str, "labels": dict, "annotations": dict}
_OF_DOMAINS = ("Policy", "Visibility")
"""Kinds of documents that may belong to a domain."""


@dataclass(frozen=True, slots=True)
class Document:
    """One declared thing. `metadata` and `spec` are as written; `model` is the spec as its kind reads it."""

    api_version: str
    kind: str
    name: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    line: int
    model: BaseModel
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def key(self) -> str:
        """What distinguishes it from others of its kind: its name; for a dataset CLUSTER/NAME."""
        cluster = self.metadata.get("cluster")
        return f"{cluster}/{self.name}" if cluster else self.name


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


def load(text: str | bytes, kinds: Mapping[str, type[BaseModel]], file: str = "the document") -> list[Document]:
    """Every document of a text, in order. `file` is named in errors.

    Raises InvalidInput with details {file, line, field}: what is not YAML, an unknown kind or field, a key twice, a
    value of the wrong type, the same document twice.
    """
    documents: list[Document] = []
    lines_of: dict[tuple[str, str], int] = {}
    for node in _compose(text, file):
        lines: dict[tuple[str | int, ...], int] = {}
        value = _plain(node, (), lines, file)
        if value is None:
            continue
        document = _document(value, kinds, file, node.start_mark.line + 1, lines)
        identity = (document.kind, document.key)
        if identity in lines_of:
            raise _wrong(
                file,
                document.line,
                "metadata.name",
                f"{document.kind} {document.key!r} is there twice (first at line {lines_of[identity]})",
            )
        lines_of[identity] = document.line
        documents.append(document)
    return documents


def _compose(text: str | bytes, file: str) -> list[yaml.Node]:
    if len(text) > _MOST_BYTES:
        raise InvalidInput(
            f"{file} is larger than {_MOST_BYTES // 1024 // 1024} MiB; split it.", details={"file": file}
        )
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        depth = 0
        for event in yaml.parse(decoded, Loader=_Loader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise _wrong(file, line, None, f"this is nested more than {_DEEPEST} deep")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise _wrong(file, line, None, "anchors and aliases (& and *) are not read; write it out")
        return [node for node in yaml.compose_all(decoded, Loader=_Loader) if node is not None]
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8 text.", details={"file": file}) from None
    except yaml.MarkedYAMLError as error:
        error = _explained(decoded) or error
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise _wrong(
            file, line, None, f"this is not YAML: {error.problem or error.context or 'cannot be read'}"
        ) from None
    except yaml.YAMLError:
        raise InvalidInput(f"{file} holds characters that YAML does not allow.", details={"file": file}) from None
    except RecursionError:
        raise InvalidInput(f"{file} is nested too deeply.", details={"file": file}) from None


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


def _plain(node: yaml.Node, at: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int], file: str) -> Any:
    """The node as Python's plain types; remembers the line of every place."""
    line = node.start_mark.line + 1
    lines.setdefault(at, line)
    if node.tag not in _TAGS:
        raise _wrong(file, line, _dotted(at), f"the tag {node.tag} is not read")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*at, n), lines, file) for n, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, child in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise _wrong(file, key_line, _dotted(at), "a name must be a word")
            key = str(key_node.value)
            if key in mapping:
                raise _wrong(file, key_line, _dotted((*at, key)), "is there twice")
            lines[(*at, key)] = key_line
            mapping[key] = _plain(child, (*at, key), lines, file)
        return mapping
    try:
        return yaml.constructor.SafeConstructor().construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError):
        raise _wrong(file, line, _dotted(at), "cannot be read") from None


def _document(
    value: Any, kinds: Mapping[str, type[BaseModel]], file: str, line: int, lines: Mapping[tuple[str | int, ...], int]
) -> Document:
    if not isinstance(value, dict):
        raise _wrong(file, line, None, "a document has apiVersion, kind, metadata and spec")
    for name in value:
        if name not in ("apiVersion", "kind", "metadata", "spec"):
            raise _wrong(
                file, lines[(name,)], name, "is not known" + _near(name, ("apiVersion", "kind", "metadata", "spec"))
            )
    if value.get("apiVersion") != API_VERSION:
        raise _wrong(file, lines.get(("apiVersion",), line), "apiVersion", f"must be {API_VERSION}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise _wrong(
            file,
            lines.get(("kind",), line),
            "kind",
            f"{kind!r} is not a kind{_near(str(kind), kinds) or '; kinds are ' + ', '.join(sorted(kinds))}",
        )
    metadata = _metadata(value.get("metadata"), kind, file, line, lines)
    spec = value.get("spec")
    spec = {} if spec is None else spec
    if not isinstance(spec, dict):
        raise _wrong(file, lines.get(("spec",), line), "spec", "must be names with values")
    try:
        model = kinds[kind].model_validate(spec)
    except ValidationError as error:
        raise _first_error(error, kind, metadata["name"], kinds[kind], file, line, lines) from None
    return Document(API_VERSION, kind, metadata["name"], metadata, spec, line, model, lines)


def _metadata(
    metadata: Any, kind: str, file: str, line: int, lines: Mapping[tuple[str | int, ...], int]
) -> dict[str, Any]:
    at = lines.get(("metadata",), line)
    if not isinstance(metadata, dict):
        raise _wrong(file, at, "metadata", "is missing; write metadata: {name: ...}")
    for name, value in metadata.items():
        here = lines.get(("metadata", name), at)
        if name not in _METADATA:
            raise _wrong(file, here, f"metadata.{name}", "is not known" + _near(name, _METADATA))
        if not isinstance(value, _METADATA[name]):
            raise _wrong(
                file,
                here,
                f"metadata.{name}",
                "must be text; put it in quotes" if _METADATA[name] is str else "must be names with values",
            )
    if not _NAME.match(metadata.get("name", "")):
        raise _wrong(file, lines.get(("metadata", "name"), at), "metadata.name", "must be a word")
    if kind == "Dataset" and not metadata.get("cluster"):
        raise _wrong(file, at, "metadata.cluster", "is missing; state which cluster the dataset is in")
    if kind != "Dataset" and "cluster" in metadata:
        raise _wrong(file, lines[("metadata", "cluster")], "metadata.cluster", "belongs to kind Dataset only")
    if kind not in _OF_DOMAINS and "domain" in metadata:
        here = lines[("metadata", "domain")]
        raise _wrong(file, here, "metadata.domain", f"belongs to kinds {' and '.join(_OF_DOMAINS)} only")
    return metadata


def _first_error(
    error: ValidationError,
    kind: str,
    name: str,
    model: type[BaseModel],
    file: str,
    line: int,
    lines: Mapping[tuple[str | int, ...], int],
) -> InvalidInput:
    # An unknown field explains best; the message of pydantic is kept, the input never (it may be a secret).
    problems = error.errors(include_url=False, include_input=False)
    problem = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    # A union adds the names of its branches to the place; only what the text itself names is a place there.
    place: tuple[str | int, ...] = ("spec",)
    written = problem["loc"][1:] if issubclass(model, RootModel) else problem["loc"]
    for part in written:
        if (*place, part) in lines or problem["type"] == "missing":
            place = (*place, part)
    here = next((lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines), line)
    if problem["type"] == "extra_forbidden":
        names = [f.alias or n for each in _branches(model) for n, f in each.model_fields.items()]
        names = names if len(place) == 2 else []
        text = "is not known" + _near(str(place[-1]), names)
    else:
        text = problem["msg"].removeprefix("Value error, ")
        text = text[:1].lower() + text[1:]
    return _wrong(file, here, _dotted(place), f"{text} ({kind} {name})")


def _branches(model: Any) -> Iterator[type[BaseModel]]:
    """The models that a kind may be: one, or those of a union."""
    if isinstance(model, type) and issubclass(model, RootModel):
        yield from _branches(model.model_fields["root"].annotation)
    elif isinstance(model, type) and issubclass(model, BaseModel):
        yield model
    else:
        for each in get_args(model):
            yield from _branches(each)


def _wrong(file: str, line: int, field_name: str | None, text: str) -> InvalidInput:
    where = f"{field_name} " if field_name else ""
    stop = "" if text.endswith("?") else "."
    return InvalidInput(
        f"{file}, line {line}: {where}{text}{stop}", details={"file": file, "line": line, "field": field_name}
    )


def _dotted(at: Iterable[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at).lstrip(".")


def _near(name: str, names: Iterable[str]) -> str:
    return did_you_mean(difflib.get_close_matches(name, list(names), 1), lead="; ")


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
    """Documents as YAML, `---` between them. What comes out, `load` reads back the same."""
    return yaml.dump_all(
        [dict(d) for d in documents],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=110,
        explicit_start=True,
    )


def as_document(kind: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": dict(metadata), "spec": dict(spec)}
