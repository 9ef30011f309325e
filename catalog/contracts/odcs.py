"""Documents of the Open Data Contract Standard (ODCS), 3.0 to 3.2: checked by its JSON schema, and written in one order.

A document is kept as it was written, so that what Weir has no rule for goes out as it came in. Source of the schema: the
package open-data-contract-standard, which carries that of 3.2; it takes all that 3.1 has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean

_LONGEST = 200
_ROOT = (
    "version",
    "kind",
    "apiVersion",
    "id",
    "name",
    "tenant",
    "status",
    "domain",
    "dataProduct",
    "contractCreatedTs",
    "description",
    "tags",
    "servers",
    "schema",
    "slaProperties",
    "team",
    "roles",
    "support",
    "price",
    "authoritativeDefinitions",
    "customProperties",
    "context",
)
"""The order of a document's parts; what is not among them follows by name."""
_FIRST = ("id", "property", "name", "type", "value")


def check_document(document: Any) -> None:
    """Raises InvalidInput with one sentence that names the place, for anything but an ODCS document."""
    if not isinstance(document, Mapping):
        raise InvalidInput("An ODCS document consists of names with values, such as kind: DataContract.")
    if document.get("kind") != "DataContract":
        raise InvalidInput("kind must be DataContract: the spec of a contract is a whole ODCS document.")
    errors = sorted(_validator().iter_errors(dict(document)), key=lambda e: (-len(e.absolute_path), str(e.message)))
    if errors:
        raise InvalidInput(_sentence(errors[0]), details={"field": _place(errors[0].absolute_path)})


def check_property(value: Mapping[str, Any], place: str) -> None:
    """Raises InvalidInput where a custom property that is read as a property of a schema is none."""
    validator = _validator().evolve(schema={"$ref": "#/$defs/SchemaProperty"})
    error = next(validator.iter_errors({"name": "values", **value}), None)
    if error is not None:
        raise InvalidInput(f"{place}: {_sentence(error)}")


def canonical(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same document with its parts in one order; lists stay as they are. Two that differ in order only are equal."""
    ordered = _ordered(document)
    return {name: ordered[name] for name in (*_ROOT, *(n for n in ordered if n not in _ROOT)) if name in ordered}


def canonical_text(document: Mapping[str, Any]) -> str:
    """The document as JSON text in its one order: equal texts are equal documents."""
    return json.dumps(canonical(document), ensure_ascii=False, indent=1, default=str)


def custom(element: Mapping[str, Any], name: str) -> Any:
    """The value of a custom property of an element; None where it has none of that name."""
    properties = element.get("customProperties") or ()
    return next((each.get("value") for each in properties if each.get("property") == name), None)


def customs(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Names with values as ODCS writes them."""
    return [{"property": name, "value": value} for name, value in properties.items()]


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        names = [*(n for n in _FIRST if n in value), *sorted(n for n in value if n not in _FIRST)]
        return {name: _ordered(value[name]) for name in names}
    return [_ordered(each) for each in value] if isinstance(value, list | tuple) else value


@lru_cache(maxsize=1)
def _validator() -> Any:
    from jsonschema.validators import validator_for
    from open_data_contract_standard.model import OpenDataContractStandard

    schema = json.loads(OpenDataContractStandard.json_schema())  # type: ignore[no-untyped-call]
    _require_tested(schema)
    return validator_for(schema)(schema)


def _require_tested(part: Any) -> None:
    """A condition on a property's `logicalType` is meant for properties that have one. As published it also applies to those
    without, so that each of them would need a `map`."""
    if isinstance(part, dict):
        if set(part) == {"properties"} and isinstance(part["properties"], dict):
            tested = [
                name for name, each in part["properties"].items() if isinstance(each, dict) and set(each) == {"const"}
            ]
            if tested == list(part["properties"]):
                part["required"] = tested
        for each in list(part.values()):
            _require_tested(each)
    elif isinstance(part, list):
        for each in part:
            _require_tested(each)


def _place(path: Iterable[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the document"


def _sentence(error: Any) -> str:
    """In our words: those of the validator repeat whole parts of the document."""
    place, rule = _place(error.absolute_path), error.validator
    if rule == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return f"{place} has no {', '.join(missing)}, which ODCS requires."
    if rule in ("additionalProperties", "unevaluatedProperties"):
        known = (error.schema.get("properties") or {}).keys()
        unknown = [name for name in error.instance if name not in known]
        advice = did_you_mean(_near(unknown, known), lead=" ")
        names = ", ".join(unknown[:3])
        return f"{place} has {names}, which ODCS does not know there; put it into customProperties.{advice}"
    if rule == "enum":
        return f"{place} must be one of {', '.join(map(str, error.validator_value))}."
    if rule == "type":
        return f"{place} must be of type {error.validator_value}."
    return f"{place} does not fit the ODCS schema: {str(error.message)[-_LONGEST:]}."


def _near(unknown: list[str], known: Iterable[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(unknown[0], list(known), 1) if unknown else []
