"""Documents of the Open Data Contract Standard (ODCS), 3.0 to 3.2: checked by its JSON schema, and written in one order.

A document is kept as it was written, so that what Weir has no rule for goes out as it came in. Source of the schema: the
package open-data-contract-standard, which carries that of 3.2; it takes all that 3.1 has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from catalog.contracts.odcs_errors import place, sentence, worst
from catalog.errors import InvalidInput

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
    validator = _validator()
    error = worst(validator.iter_errors(dict(document)))
    if error is not None:
        raise InvalidInput(sentence(error, validator.schema), details={"field": place(error.absolute_path)})


def check_property(value: Mapping[str, Any], name: str) -> None:
    """Raises InvalidInput where a custom property that is read as a property of a schema is none."""
    validator = _validator().evolve(schema={"$ref": "#/$defs/SchemaProperty"})
    error = worst(validator.iter_errors({"name": "values", **value}))
    if error is not None:
        raise InvalidInput(f"{name}: {sentence(error, _validator().schema)}")


def canonical(document: Mapping[str, Any]) -> dict[str, object]:
    """The same document with its parts in one order; lists stay as they are. Two that differ in order only are equal."""
    ordered = _ordered(document)
    return {name: ordered[name] for name in (*_ROOT, *(n for n in ordered if n not in _ROOT)) if name in ordered}


def custom(element: Mapping[str, Any], name: str) -> Any:
    """The value of a custom property of an element; None where it has none of that name."""
    properties = element.get("customProperties") or ()
    return next((each.get("value") for each in properties if each.get("property") == name), None)


def customs(properties: Mapping[str, Any]) -> list[dict[str, object]]:
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
