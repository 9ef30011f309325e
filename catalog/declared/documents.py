"""Declared state: YAML text -> documents, with the line of everything that is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, get_args

from pydantic import BaseModel, RootModel, ValidationError

from catalog.declared.yaml_text import compose, dotted, plain, wrong
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from catalog.problem_words import plain_problem
from catalog.unseen import has_unseen

API_VERSION = "weir/v1"
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


class WrittenDocument(TypedDict):
    """A document as it is written again."""

    apiVersion: str
    kind: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]


def load(text: str | bytes, kinds: Mapping[str, type[BaseModel]], file: str = "the document") -> list[Document]:
    """Every document of a text, in order. `file` is named in errors.

    Raises InvalidInput with details {file, line, field}: what is not YAML, an unknown kind or field, a key twice, a
    value of the wrong type, the same document twice.
    """
    documents: list[Document] = []
    lines_of: dict[tuple[str, str], int] = {}
    for node in compose(text, file):
        lines: dict[tuple[str | int, ...], int] = {}
        value = plain(node, (), lines, file)
        if value is None:
            continue
        document = _document(value, kinds, file, node.start_mark.line + 1, lines)
        identity = (document.kind, document.key)
        if identity in lines_of:
            first = lines_of[identity]
            text = f"{document.kind} {document.key!r} is there twice (first at line {first})"
            error = wrong(file, document.line, "metadata.name", text)
            error.details["first"] = first
            raise error
        lines_of[identity] = document.line
        documents.append(document)
    return documents


def _document(
    value: Any, kinds: Mapping[str, type[BaseModel]], file: str, line: int, lines: Mapping[tuple[str | int, ...], int]
) -> Document:
    if not isinstance(value, dict):
        raise wrong(file, line, None, "a document has apiVersion, kind, metadata and spec")
    for name in value:
        if name not in ("apiVersion", "kind", "metadata", "spec"):
            raise wrong(
                file, lines[(name,)], name, "is not known" + _near(name, ("apiVersion", "kind", "metadata", "spec"))
            )
    if value.get("apiVersion") != API_VERSION:
        raise wrong(file, lines.get(("apiVersion",), line), "apiVersion", f"must be {API_VERSION}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise wrong(
            file,
            lines.get(("kind",), line),
            "kind",
            f"{kind!r} is not a kind{_near(str(kind), kinds) or '; kinds are ' + ', '.join(sorted(kinds))}",
        )
    metadata = _metadata(value.get("metadata"), kind, file, line, lines)
    spec = value.get("spec")
    spec = {} if spec is None else spec
    if not isinstance(spec, dict):
        raise wrong(file, lines.get(("spec",), line), "spec", "must be names with values")
    try:
        model = kinds[kind].model_validate(spec)
    except ValidationError as error:
        raise _first_error(error, kind, metadata["name"], kinds[kind], file, line, lines) from None
    return Document(
        api_version=API_VERSION,
        kind=kind,
        name=metadata["name"],
        metadata=metadata,
        spec=spec,
        line=line,
        model=model,
        lines=lines,
    )


def _metadata(
    metadata: Any, kind: str, file: str, line: int, lines: Mapping[tuple[str | int, ...], int]
) -> dict[str, Any]:
    at = lines.get(("metadata",), line)
    if not isinstance(metadata, dict):
        raise wrong(file, at, "metadata", "is missing; write metadata: {name: ...}")
    for name, value in metadata.items():
        here = lines.get(("metadata", name), at)
        if name not in _METADATA:
            raise wrong(file, here, f"metadata.{name}", "is not known" + _near(name, _METADATA))
        if not isinstance(value, _METADATA[name]):
            raise wrong(
                file,
                here,
                f"metadata.{name}",
                "must be text; put it in quotes" if _METADATA[name] is str else "must be names with values",
            )
    if not _NAME.match(metadata.get("name", "")):
        raise wrong(file, lines.get(("metadata", "name"), at), "metadata.name", "must be a word")
    if has_unseen(metadata["name"]):
        here = lines.get(("metadata", "name"), at)
        raise wrong(file, here, "metadata.name", "has a character that nobody sees; write the name without it")
    if kind == "Dataset" and "*" in metadata["name"]:
        here = lines.get(("metadata", "name"), at)
        raise wrong(file, here, "metadata.name", "is the name of one dataset, so it has no *")
    if kind == "Dataset" and not metadata.get("cluster"):
        raise wrong(file, at, "metadata.cluster", "is missing; state which cluster the dataset is in")
    if kind != "Dataset" and "cluster" in metadata:
        raise wrong(file, lines[("metadata", "cluster")], "metadata.cluster", "belongs to kind Dataset only")
    if kind not in _OF_DOMAINS and "domain" in metadata:
        here = lines[("metadata", "domain")]
        raise wrong(file, here, "metadata.domain", f"belongs to kinds {' and '.join(_OF_DOMAINS)} only")
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
    # An unknown field explains best; the input is never shown (it may be a secret).
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
        text = plain_problem(problem).removeprefix("it ")
        text = text[:1].lower() + text[1:]
    return wrong(file, here, dotted(place), f"{text} ({kind} {name})")


def _branches(model: Any) -> Iterator[type[BaseModel]]:
    """The models that a kind may be: one, or those of a union."""
    if isinstance(model, type) and issubclass(model, RootModel):
        yield from _branches(model.model_fields["root"].annotation)
    elif isinstance(model, type) and issubclass(model, BaseModel):
        yield model
    else:
        for each in get_args(model):
            yield from _branches(each)


def _near(name: str, names: Iterable[str]) -> str:
    return did_you_mean(difflib.get_close_matches(name, list(names), 1), lead="; ")


def as_document(kind: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> WrittenDocument:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": dict(metadata), "spec": dict(spec)}
