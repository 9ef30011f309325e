"""Cells of the table of what is declared: lists, formulas, columns of a document's parts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from catalog.curation.stated import value_text
from catalog.spreadsheet import is_formula

FIXED = (
    "dataset", "field", "description", "owners", "businessOwners", "technicalOwners", "tags", "terms",
    "certified", "certifiedBy", "certificationNote", "deprecated", "deprecationReason", "successor", "endsOn",
)  # fmt: skip
OF_FIELDS = frozenset({"dataset", "field", "description", "tags", "terms"})
PROPERTY = "property:"
_LISTED = re.compile(r"((?:\\.|[^;\\])*)(?:;|\Z)", re.DOTALL)


def guarded(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet may take it for a formula, or where `plain` would take one away."""
    return "'" + text if is_formula(text) or (text.startswith("'") and is_formula(text.lstrip("'"))) else text


def plain(cell: str) -> str:
    """The text that `guarded` made a cell of."""
    return cell[1:] if cell.startswith("'") and is_formula(cell.lstrip("'")) else cell


def joined(values: Iterable[str]) -> str:
    """`a; b`. A semicolon within a value has a backslash before it."""
    return "; ".join(re.sub(r"([\\;])", r"\\\1", each) for each in values)


def listed(cell: str) -> list[str]:
    """The values of a list, each once, without blanks around them."""
    parts = (re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL).strip() for part in _LISTED.findall(cell))
    return list(dict.fromkeys(part for part in parts if part))


def owner_name(owner: Mapping[str, Any]) -> str:
    """A user, or a group as group:NAME."""
    return str(owner["user"]) if owner.get("user") else f"group:{owner['group']}"


def row(dataset: str, field: str, part: Mapping[str, Any], properties: Iterable[str]) -> list[str]:
    """A line of the table. `part`: the spec of a Dataset, or of one of its fields."""
    certification, deprecation = part.get("certification"), part.get("deprecation")
    certified, deprecated = certification or {}, deprecation or {}
    owners = part.get("owners") or ()
    values = part.get("properties") or {}
    cells = {
        "dataset": dataset,
        "field": field,
        "description": part.get("description") or "",
        "owners": joined(map(owner_name, owners)),
        "businessOwners": joined(owner_name(each) for each in owners if "business" in (each.get("roles") or ())),
        "technicalOwners": joined(owner_name(each) for each in owners if "technical" in (each.get("roles") or ())),
        "tags": joined(part.get("tags") or ()),
        "terms": joined(part.get("terms") or ()),
        "certified": "" if certification is None else "yes",
        "certifiedBy": certified.get("by") or "",
        "certificationNote": certified.get("note") or "",
        "deprecated": "" if deprecation is None else "yes",
        "deprecationReason": deprecated.get("reason") or "",
        "successor": deprecated.get("successor") or "",
        "endsOn": deprecated.get("date") or "",
    }
    own = [value_text(values[name]) if name in values else "" for name in properties]
    return [guarded(each) for each in (*(cells[name] for name in FIXED), *own)]
