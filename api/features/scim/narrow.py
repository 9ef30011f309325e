"""Which documents a filter can be about at most, so that a directory of thousands is not read for one person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scim2_models.path import Comparison, LogicalExpr, LogicalOperator

from policies.declared.directory import Directory
from policies.ports import Document


def narrowed(wanted: Any, documents: Iterable[Document], named: str, directory: Directory) -> list[Document]:
    """The documents, or fewer where the filter has a comparison by `eq` with id, externalId or the name (`named`) that all
    answers must fit. What is given still has to be matched."""
    there = sorted(documents, key=lambda each: each.name)  # so that pages follow one another
    for term in _required(wanted.ast) if wanted is not None else ():
        name = str(term.attr_path).rpartition(":")[2].casefold()
        if str(term.op).casefold() not in ("eq", "compareoperator.eq") or not isinstance(term.value, str):
            continue
        value = term.value
        if name == "id":
            there = [each for each in there if each.name == value]
        elif name == "externalid":
            there = [each for each in there if (each.spec or {})["resource"].get("externalId") == value]
        elif name == "username" and named == "userName":
            hit = directory.user(value)
            there = [each for each in there if hit is not None and each.name == hit.name]
        elif name == "displayname" and named == "displayName":
            there = [each for each in there if str((each.spec or {})["name"]).casefold() == value.casefold()]
    return there


def _required(node: Any) -> list[Any]:
    """Comparisons that every match fits."""
    if isinstance(node, Comparison):
        return [node]
    if isinstance(node, LogicalExpr) and node.op is LogicalOperator.and_:
        return [hit for term in node.terms for hit in _required(term)]
    return []
