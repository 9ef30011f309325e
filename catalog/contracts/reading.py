"""A contract's rules, read of an ODCS document. Pure.

What ODCS has no word for is in `customProperties` of a schema object: `dataset` (CLUSTER/TOPIC), `key` and `value`
({types, required, unique}), `headers` ([{name, types, required}]), `recordTypes` ({field, values}), `compatibility` (a level
of the schema registry), `additionalFields` (false: no field beside those named), `checkEvery` (1m: new records are checked so
often), `runAs` ({serviceAccount, purpose, seconds}: in whose name its queries run); of a property: `presence` (least share of
records that have it) and `values` (of a map, a property as the others).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.contracts.bounds import Interval, of_options
from catalog.contracts.odcs import check_property, custom
from catalog.contracts.quality import quality_rule
from catalog.contracts.references import References
from catalog.contracts.rules import QUERIED_KINDS, Contract, Promise, Rule, RuleKind, RunAs
from catalog.contracts.service_levels import seconds_of, service_level
from catalog.contracts.types import NAMES, promised_types
from catalog.errors import InvalidInput
from catalog.paths import HEADERS, KEY, VALUE, FieldPath

LEVELS = ("BACKWARD", "FORWARD", "FULL", "BACKWARD_TRANSITIVE", "FORWARD_TRANSITIVE", "FULL_TRANSITIVE", "NONE")
DEEPEST = 20
LEAST_EVERY, MOST_EVERY = 60.0, 86_400.0
MOST_QUERY_S = 60.0
_NO_ACCOUNT = (
    "a query decides it, and the contract names no service account to run it as: add the custom property runAs"
)
_DURATION = re.compile(r"([0-9]{1,6})\s*(s|m|min|h|d)")

Element = Mapping[str, Any]


def read_contract(document: Element) -> Contract:
    """The contract of a document that `odcs.check_document` takes. Raises InvalidInput for a custom property of Weir that
    cannot be read, and for a schema object that names no dataset."""
    description = document.get("description")
    team = document.get("team")
    return Contract(
        id=str(document["id"]),
        title=str(document.get("name") or document["id"]),
        version=str(document["version"]),
        status=str(document.get("status") or "draft"),
        purpose=str((description or {}).get("purpose") or "") if isinstance(description, Mapping) else "",
        owner=str(team.get("name") or "") if isinstance(team, Mapping) else "",
        promises=tuple(_promise(document, each) for each in document.get("schema") or ()),
    )


def dataset_of(document: Element, element: Element) -> str:
    """The dataset of a schema object: its custom property `dataset`, else its topic at the Kafka server of the document.

    Raises InvalidInput where it has neither.
    """
    named = custom(element, "dataset")
    if isinstance(named, str) and "/" in named:
        return named
    topic = str(element.get("physicalName") or element.get("name") or "")
    hosts = [str(s["host"]) for s in document.get("servers") or () if s.get("type") == "kafka" and s.get("host")]
    if named is not None or not topic or not hosts:
        raise InvalidInput(
            f"The schema object {element.get('name')!r} names no dataset; add customProperties: [{{property: dataset, value:"
            " prod/orders}], or a server of type kafka with its host."
        )
    return f"kafka://{hosts[0].split(',')[0].strip()}/{topic}"


def _promise(document: Element, element: Element) -> Promise:
    rules = [*_of_format(document), *_of_records(element)]
    for prop in element.get("properties") or ():
        rules += _of_property(prop, VALUE.field(_name(prop)), 0)
    rules += [quality_rule(each, None) for each in element.get("quality") or ()]
    for level in document.get("slaProperties") or ():
        rule = service_level(level, str(element.get("name") or ""))
        rules += [rule] if rule is not None else []
    rules += References(document, lambda of: dataset_of(document, of)).of_object(element)
    run_as = _run_as(element)
    if run_as is None:
        rules = [replace(rule, never=_NO_ACCOUNT) if rule.kind in QUERIED_KINDS else rule for rule in rules]
    return Promise(
        dataset=dataset_of(document, element),
        title=str(element.get("businessName") or element.get("name") or ""),
        description=str(element.get("description") or ""),
        rules=tuple(_with_own_ids(rules)),
        check_every=_check_every(element),
        run_as=run_as,
    )


def _run_as(element: Element) -> RunAs | None:
    stated = custom(element, "runAs")
    if stated is None:
        return None
    stated = _stated(stated, "runAs", "{serviceAccount: NAME}")
    account, purpose, seconds = stated.get("serviceAccount"), stated.get("purpose"), stated.get("seconds", 30)
    if unknown := sorted(set(stated) - {"serviceAccount", "purpose", "seconds"}):
        raise InvalidInput(f"runAs has {unknown[0]!r}; it takes serviceAccount, purpose and seconds.")
    if not isinstance(account, str) or not account or not isinstance(purpose, str | None):
        raise InvalidInput("runAs names a service account, such as {serviceAccount: checks, purpose: quality}.")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 1 <= seconds <= MOST_QUERY_S:
        raise InvalidInput(f"seconds of runAs is a number between 1 and {MOST_QUERY_S:g}.")
    return RunAs(account, purpose, float(seconds))


def _check_every(element: Element) -> float | None:
    """Seconds of `checkEvery: 1m`; a minute at least, as each check asks the brokers."""
    stated = custom(element, "checkEvery")
    if stated is None:
        return None
    match = _DURATION.fullmatch(stated) if isinstance(stated, str) else None
    seconds = float(match[1]) * (seconds_of(match[2]) or 0) if match else 0.0
    if not LEAST_EVERY <= seconds <= MOST_EVERY:
        raise InvalidInput("checkEvery is a time from 1m to 1d, such as 1m, 5m or 1h.")
    return seconds


def _of_format(document: Element) -> Iterator[Rule]:
    formats = {str(s["format"]) for s in document.get("servers") or () if s.get("type") == "kafka" and s.get("format")}
    if len(formats) == 1:
        name = formats.pop().lower()
        yield Rule("format", RuleKind.FORMAT, None, f"values are {name}", {"format": name})


def _of_records(element: Element) -> Iterator[Rule]:
    for part, path in (("key", KEY), ("value", VALUE)):
        stated = custom(element, part)
        if stated is not None:
            yield from _of_part(_stated(stated, part), path)
    headers = custom(element, "headers")
    if headers is not None and not isinstance(headers, list):
        raise InvalidInput("The custom property headers is a list of {name, types, required}.")
    for header in headers or ():
        stated = _stated(header, "headers")
        if not isinstance(stated.get("name"), str):
            raise InvalidInput("A header of the custom property headers has no name.")
        yield from _of_part(stated, HEADERS.field(str(stated["name"])))
    types = custom(element, "recordTypes")
    if types is not None:
        stated = _stated(types, "recordTypes")
        field, values = stated.get("field"), stated.get("values")
        if not isinstance(field, str) or not isinstance(values, list):
            raise InvalidInput("The custom property recordTypes is {field: value.type, values: [...]}.")
        text = f"records are one of {len(values)} types by {field}"
        yield Rule("recordTypes", RuleKind.RECORD_TYPES, field, text, {"values": [str(each) for each in values]})
    level = custom(element, "compatibility")
    if level is not None:
        if level not in LEVELS:
            raise InvalidInput(f"compatibility must be one of {', '.join(LEVELS)}.")
        text = f"new versions of the schema are {level}"
        yield Rule("compatibility", RuleKind.COMPATIBILITY, None, text, {"level": level})
    if custom(element, "additionalFields") is False:
        names = [str(VALUE.field(_name(prop))) for prop in element.get("properties") or ()]
        yield Rule("closed", RuleKind.CLOSED, None, "values have no field beside those named", {"paths": names})


def _of_part(stated: Element, path: FieldPath) -> Iterator[Rule]:
    types = stated.get("types") or []
    if not isinstance(types, list) or not all(isinstance(each, str) and each in (*NAMES, "null") for each in types):
        raise InvalidInput(f"types of {path} is a list of {', '.join(sorted(NAMES))}.")
    if types:
        yield _type_rule(str(path), promised_types(None, " | ".join(types)), str(path))
    if stated.get("required") is True:
        yield _required(str(path))
    if stated.get("unique") is True:
        yield _unique(str(path))


def _of_property(prop: Element, path: FieldPath, depth: int) -> list[Rule]:
    if depth > DEEPEST:
        raise InvalidInput(f"{path} is nested more than {DEEPEST} deep, which no contract may be.")
    place = str(path)
    rules: list[Rule] = []
    types = promised_types(prop.get("logicalType"), prop.get("physicalType"))
    if types:
        rules.append(_type_rule(place, types, place))
    if prop.get("required") is True:
        rules.append(_required(place))
    if prop.get("unique") is True or prop.get("primaryKey") is True:
        rules.append(_unique(place))
    presence = custom(prop, "presence")
    if presence is not None:
        if isinstance(presence, bool) or not isinstance(presence, int | float) or not 0 <= presence <= 1:
            raise InvalidInput(f"presence of {place} is a share between 0 and 1, such as 0.95.")
        text = f"{place} is in at least {presence:.0%} of the records"
        rules.append(Rule(f"{place}:presence", RuleKind.PRESENCE, place, text, {"least": presence}))
    rules += _of_options(prop, place)
    rules += [quality_rule(each, place) for each in prop.get("quality") or ()]
    for child in prop.get("properties") or ():
        rules += _of_property(child, path.field(_name(child)), depth + 1)
    if isinstance(prop.get("items"), Mapping):
        rules += _of_property(prop["items"], path.elements(), depth + 1)
    values = (prop.get("map") or {}).get("value") or custom(prop, "values")
    if isinstance(values, Mapping):
        check_property(values, f"values of {place}")
        rules += _of_property(values, path.values(), depth + 1)
    return rules


def _of_options(prop: Element, place: str) -> Iterator[Rule]:
    options = prop.get("logicalTypeOptions") or {}
    numbers = of_options(options)
    if numbers is not None:
        text = f"{place} is {numbers.text}"
        yield Rule(f"{place}:range", RuleKind.RANGE, place, text, numbers.to_params())
    elif any(isinstance(options.get(name), str) for name in ("minimum", "maximum")):
        why = "scans keep no earliest and latest day of a field"
        days = {name: value for name, value in options.items() if name.lower().endswith(("minimum", "maximum"))}
        yield Rule(f"{place}:range", RuleKind.OTHER, place, f"{place} is between two days", {"stated": days}, why)
    for low, high in (("minLength", "maxLength"), ("minItems", "maxItems")):
        if options.get(low) is not None or options.get(high) is not None:
            lengths = Interval(_length(options, low, place), _length(options, high, place))
            text = (
                f"{place} has {lengths.text} characters" if low == "minLength" else f"{place} has {lengths.text} items"
            )
            yield Rule(f"{place}:length", RuleKind.LENGTH, place, text, lengths.to_params())
    if options.get("pattern"):
        why = "scans keep no values that a pattern could be compared with"
        text = f"{place} matches {options['pattern']}"
        yield Rule(f"{place}:pattern", RuleKind.PATTERN, place, text, {"pattern": str(options["pattern"])}, why)
    form = options.get("format")
    if form and prop.get("logicalType") == "string":
        yield Rule(f"{place}:form", RuleKind.FORM, place, f"{place} is written as {form}", {"form": str(form)})
    enum = [str(each.get("value")) for each in prop.get("enum") or () if isinstance(each, Mapping)]
    if enum:
        yield Rule(f"{place}:values", RuleKind.VALUES, place, f"{place} is one of {len(enum)} values", {"values": enum})


def _length(options: Element, name: str, place: str) -> float | None:
    value = options.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InvalidInput(f"{name} of {place} must be a number.")
    return value


def _type_rule(place: str, types: Sequence[str], name: str) -> Rule:
    return Rule(f"{place}:type", RuleKind.TYPE, place, f"{name} is {' or '.join(types)}", {"types": list(types)})


def _required(place: str) -> Rule:
    return Rule(f"{place}:required", RuleKind.REQUIRED, place, f"{place} is there and not null")


def _unique(place: str) -> Rule:
    return Rule(f"{place}:unique", RuleKind.UNIQUE, place, f"no two records have the same {place}")


def _name(prop: Element) -> str:
    return str(prop.get("physicalName") or prop.get("name") or "")


def _stated(value: Any, name: str, example: str = "{types: [string]}") -> Element:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"The custom property {name} consists of names with values, such as {example}.")
    return value


def _with_own_ids(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The second rule of an id gets a number behind it, one that no other id ends with."""
    own, used, counts = {rule.id for rule in rules}, set[str](), dict[str, int]()
    for rule in rules:
        id = rule.id
        while id in used or (id != rule.id and id in own):
            counts[rule.id] = counts.get(rule.id, 1) + 1
            id = f"{rule.id}#{counts[rule.id]}"
        used.add(id)
        yield replace(rule, id=id)
