"""ODCS documents: the standard's examples go in and out without loss, and other documents get one sentence."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from catalog.contracts.contradictions import never_decided, require_consistent
from catalog.contracts.declared import ContractSpec
from catalog.contracts.odcs import canonical, check_document
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import RuleKind
from catalog.declared.yaml_text import compose, dump, plain
from catalog.errors import InvalidInput

FIXTURES = Path(__file__).parents[3] / "fixtures" / "odcs"
EXAMPLES = sorted(FIXTURES.glob("3.*/*.odcs.yaml"))
REFUSED = sorted(FIXTURES.glob("refused/*.odcs.yaml"))
SMALL = [path for path in EXAMPLES if path.stat().st_size < 3000]


def read(text: str) -> Any:
    """As declared state is read."""
    return plain(compose(text, "contract")[0], (), {}, "contract")


def test_there_are_examples_of_both_versions() -> None:
    assert {path.parent.name for path in EXAMPLES} == {"3.1", "3.2"}
    assert len(EXAMPLES) == 18 + 28 and len(REFUSED) == 28


@pytest.mark.sampled(15)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_example_goes_in_and_out_without_loss(path: Path) -> None:
    document = read(path.read_text())
    check_document(document)
    once = dump([canonical(document)])
    assert read(once) == document
    assert dump([canonical(read(once))]) == once
    assert dump([canonical(json.loads(json.dumps(document)))]) == once
    # PyYAML reads the example and what comes out of it, too: what one of its own readers took away, it could not give back.
    assert texts(yaml.load(once, yaml.BaseLoader)) == texts(yaml.load(path.read_text(), yaml.BaseLoader))
    assert ContractSpec.model_construct(document).model_dump() == document


def texts(value: Any) -> Any:
    """With numbers as numbers: 1.0 and 1.00 are one, and true is not a text."""
    if isinstance(value, dict):
        return {key: texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [texts(each) for each in value]
    try:
        return float(value)
    except ValueError:
        return {"null": "", "~": "", "True": "true", "False": "false"}.get(value, value)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.name)
def test_what_the_specification_shows_as_wrong_is_refused_in_a_sentence_that_names_the_place(path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_document(read(path.read_text()))
    sentence = refused.value.message
    assert sentence.endswith(".") and len(sentence) < 700, sentence
    assert "is not valid under" not in sentence and "should not be valid" not in sentence, sentence
    expected = REASONS.get(path.name.partition(".")[0])
    assert expected is None or expected in sentence, sentence


REASONS = {
    "enum-duplicate-values": "schema[0].properties[0].enum has an entry twice",
    "enum-empty": "schema[0].properties[0].enum is empty",
    "quality-multiple-operators": "schema[0].properties[0].quality[0] has mustBe, mustNotBe; it takes one of them",
    "quality-mustbebetween-wrong-size": "schema[0].quality[0].mustBeBetween must have 2 entries",
    "relationship-property-level-with-from": "schema[0].properties[0].relationships[0] has from, which it may not have",
}


@pytest.mark.sampled(15)
@pytest.mark.parametrize("path", SMALL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_key_that_odcs_does_not_know_is_kept_or_refused(path: Path) -> None:
    document = read(path.read_text())
    for place in [each for each in _places(document) if isinstance(at(document, each), dict)]:
        changed = copy.deepcopy(document)
        at(changed, place)["someKeyOfNobody"] = {"kept": True}
        try:
            check_document(changed)
        except InvalidInput as refused:
            assert "someKeyOfNobody" in refused.message, refused.message
        else:
            out = read(dump([canonical(changed)]))
            assert at(out, place)["someKeyOfNobody"] == {"kept": True}


def at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_rules_of_an_example_are_read_where_it_names_datasets(path: Path) -> None:
    document = read(path.read_text())
    for element in document.get("schema") or ():
        element.setdefault("customProperties", []).append({"property": "dataset", "value": f"prod/{element['name']}"})
    contract = read_contract(document)
    require_consistent(contract)
    for promise in contract.promises:
        ids = [rule.id for rule in promise.rules]
        assert len(ids) == len(set(ids))
    assert all("stays undecided" in sentence for sentence in never_decided(contract))


def test_the_kafka_example_is_read_as_promises_of_its_topic() -> None:
    contract = read_contract(read((FIXTURES / "3.1" / "kafka-schema.odcs.yaml").read_text()))
    (promise,) = contract.promises
    assert promise.dataset == "kafka://kafkabroker1:9092/orders"
    assert {(rule.kind, rule.path) for rule in promise.rules} >= {
        (RuleKind.TYPE, "value.qty"),
        (RuleKind.REQUIRED, "value.cust_id"),
        (RuleKind.FORMAT, None),
    }


BASE: dict[str, Any] = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "o",
    "version": "1.0.0",
    "status": "active",
}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "Nothing"}, "kind must be DataContract"),
        ({"version": None}, "version must be of type string"),
        ({"unknown": 1}, "unknown, which ODCS does not know there"),
        ({"apiVersion": "v9"}, "apiVersion must be one of"),
        (
            {"schema": [{"name": "o", "properties": [{"name": "x", "logicalType": "binary"}]}]},
            "logicalType must be one of",
        ),
    ],
)
def test_what_is_no_document_gets_a_sentence_that_names_the_place(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_document({**BASE, **change})
    assert sentence in refused.value.message


def of_property(prop: dict[str, Any], **element: Any) -> dict[str, Any]:
    dataset = {"property": "dataset", "value": "prod/orders"}
    custom = [dataset, *({"property": n, "value": v} for n, v in element.items())]
    return {**BASE, "schema": [{"name": "orders", "properties": [prop], "customProperties": custom}]}


OF_TEXT = {"name": "n", "logicalType": "object", "physicalType": "string"}
QUALITY = {"metric": "nullValues", "unit": "percent"}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            of_property({"name": "n", "logicalType": "integer", "logicalTypeOptions": {"minimum": 5, "maximum": 1}}),
            "no number",
        ),
        (
            of_property(
                {"name": "n", "quality": [{**QUALITY, "mustBeLessThan": 1}, {**QUALITY, "mustBeGreaterThan": 5}]}
            ),
            "contradict each other",
        ),
        (
            of_property({"name": "n", "required": True, "quality": [{**QUALITY, "mustBeGreaterThan": 5}]}),
            "it wants nulls",
        ),
        (of_property({**OF_TEXT, "properties": [{"name": "m", "required": True}]}), "in it"),
        (of_property({"name": "n", "logicalType": "string", "logicalTypeOptions": {"pattern": "("}}), "cannot be read"),
        (of_property({"name": "n"}, compatibility="SOMETIMES"), "compatibility must be one of"),
        (of_property({"name": "n", "customProperties": [{"property": "presence", "value": 7}]}), "between 0 and 1"),
        (of_property({"name": "n"}, recordTypes={"field": "value.type", "values": []}), "no value at all"),
        ({**BASE, "schema": [{"name": "orders"}]}, "names no dataset"),
    ],
)
def test_rules_that_cannot_hold_are_refused_in_a_sentence(document: dict[str, Any], sentence: str) -> None:
    check_document(document)
    with pytest.raises(InvalidInput) as refused:
        require_consistent(read_contract(document))
    assert sentence in refused.value.message


def of_values(**values: Any) -> dict[str, Any]:
    return of_property({"name": "n", "customProperties": [{"property": "values", "value": values}]})


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (of_property({"name": "n", "logicalTypeOptions": {"minLength": "3", "maxLength": 5}}), "minLength of value.n"),
        (of_property({"name": "n", "logicalTypeOptions": {"minItems": [3]}}), "minItems of value.n must be a number"),
        (of_property({"name": "n", "logicalTypeOptions": {"pattern": "a{99999999999999999999}"}}), "cannot be read"),
        (of_property({"name": "n", "logicalTypeOptions": {"pattern": "(" * 5000 + ")" * 5000}}), "cannot be read"),
        (of_property({"name": "n"}, key={"types": 5}), "types of key is a list of"),
        (of_property({"name": "n"}, key={"types": "string"}), "types of key is a list of"),
        (of_property({"name": "n"}, headers=[{"name": "h", "types": ["text"]}]), "types of headers.h is a list of"),
        (of_values(properties=5), "values of value.n"),
        (of_values(quality=[5]), "values of value.n"),
        (of_values(logicalType=["string"]), "values of value.n"),
        (of_values(customProperties=5), "values of value.n"),
        (of_property({"name": "n", "quality": [{**QUALITY, "mustBe": 0}] * 3000}), "100 are the most"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(document: dict[str, Any], sentence: str) -> None:
    check_document(document)
    with pytest.raises(InvalidInput) as refused:
        require_consistent(read_contract(document))
    assert sentence in refused.value.message


def _places(value: Any, at: tuple[Any, ...] = ()) -> Any:
    yield at
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield from _places(below, (*at, key))


WHOLE = {
    **of_property(
        {
            "name": "n",
            "logicalType": "object",
            "properties": [{"name": "m", "logicalTypeOptions": {"minimum": 1, "maxLength": 3, "pattern": "a"}}],
            "quality": [{"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": ["A"]}}],
            "customProperties": [
                {"property": "presence", "value": 0.5},
                {"property": "values", "value": {"physicalType": "int64", "enum": [{"value": "A"}]}},
            ],
        },
        key={"types": ["string"], "required": True},
        headers=[{"name": "h", "types": ["string"]}],
        recordTypes={"field": "value.type", "values": ["A"]},
        compatibility="FULL",
    ),
    "slaProperties": [{"property": "latency", "value": 5, "unit": "m"}],
}
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.text(max_size=5), below, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("pattern", ["[[]", "[a&&b]", "[a||b]", "[a~~b]"])
def test_a_pattern_that_python_may_read_differently_one_day_is_read(pattern: str) -> None:
    document = of_property({"name": "n", "logicalType": "string", "logicalTypeOptions": {"pattern": pattern}})
    require_consistent(read_contract(document))


@given(st.data())
def test_a_document_with_anything_anywhere_is_read_or_refused(data: Any) -> None:
    place = data.draw(st.sampled_from(list(_places(WHOLE))[1:]))
    document = copy.deepcopy(WHOLE)
    part: Any = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = data.draw(ANY)
    try:
        check_document(document)
        require_consistent(read_contract(document))
    except InvalidInput as refused:
        assert refused.message.strip()


def test_two_rules_never_have_one_id() -> None:
    quality = [{"name": name, "metric": "nullValues", "mustBe": 0} for name in ("a#2", "a", "a", "a#2")]
    ids = [rule.id for rule in read_contract(of_property({"name": "n", "quality": quality})).promises[0].rules]
    assert len(set(ids)) == len(ids) == 4
    assert {"a#2", "a"} <= set(ids)


def test_a_rule_that_no_scan_decides_is_named() -> None:
    document = of_property({"name": "n", "quality": [{"type": "sql", "query": "SELECT 1", "mustBe": 1, "id": "q"}]})
    assert never_decided(read_contract(document)) == [
        "prod/orders: the rule q stays undecided: a query decides it, and the contract names no service account to run it"
        " as: add the custom property runAs."
    ]


def test_order_does_not_matter() -> None:
    text = yaml.safe_dump({**BASE, "schema": [{"name": "o", "logicalType": "object"}]}, sort_keys=True)
    other = yaml.safe_dump({**BASE, "schema": [{"logicalType": "object", "name": "o"}]}, sort_keys=False)
    assert dump([canonical(read(text))]) == dump([canonical(read(other))])
