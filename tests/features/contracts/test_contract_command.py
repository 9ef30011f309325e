"""`weir contract`: with a running application, and in CI with files alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from api.features.contracts.report import Finding, Report, as_text
from api.features.lineage.shown_impact import AffectedNode, Impact
from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

NO_CLUSTER = CLUSTER.replace("localhost:9092", "localhost:1")


def avro(*fields: tuple[str, Any]) -> str:
    listed = [{"name": name, "type": kind} for name, kind in fields]
    return json.dumps({"type": "record", "name": "Order", "fields": listed})


STATUS = {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID"]}
OLD = avro(("id", "string"), ("amount", "long"), ("status", STATUS))
CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
- name: orders
  properties:
  - {name: id, logicalType: string, required: true}
  - {name: amount, physicalType: int64, required: true, logicalTypeOptions: {minimum: 0}, logicalType: integer}
  - name: status
    logicalType: string
    quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: [NEW, PAID]}}]
  customProperties:
  - {property: dataset, value: prod/orders}
  - {property: compatibility, value: BACKWARD}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    (tmp_path / "old.avsc").write_text(OLD)
    return tmp_path


@pytest.fixture
def alone(weir: Weir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weir:  # noqa: F811
    """The command line on a machine that is signed in to no Weir."""
    monkeypatch.setenv("WEIR_HOME", str(tmp_path / "nobody"))
    return weir


def check(run: Weir, files: Path, schema: str, *more: str) -> Any:
    (files / "new.avsc").write_text(schema)
    return run("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / "new.avsc"), *more)


def test_a_schema_that_keeps_the_contract_passes_without_a_server(alone: Weir, files: Path) -> None:
    more = avro(("id", "string"), ("amount", "int"), ("status", STATUS), ("note", ["null", "string"]))
    done = check(alone, files, more, "-o", "json")
    assert done.code == 0, done.out + done.err
    report = json.loads(done.out)
    assert report["breaks"] == 0
    assert {f["rule"] for f in report["findings"] if f["state"] == "holds"} >= {
        "value.id:type",
        "value.amount:required",
    }
    assert report["notes"] == ["1 rule was left out: rules on what records hold are decided by scans, not by a schema."]


def test_the_schema_of_values_breaks_no_promise_of_keys_and_headers(alone: Weir, files: Path) -> None:
    more = """
  - {property: key, value: {types: [string], required: true}}
  - {property: headers, value: [{name: trace, types: [string], required: true}]}
"""
    (files / "orders.yaml").write_text(CONTRACT.rstrip() + more)
    done = check(alone, files, OLD, "-o", "json")
    assert done.code == 0, done.out
    report = json.loads(done.out)
    assert not [each for each in report["findings"] if each["rule"].startswith(("key", "headers"))]
    assert report["notes"] == [
        "5 rules were left out: rules on what records hold are decided by scans, not by a schema."
    ]


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (avro(("id", "string"), ("amount", "string"), ("status", STATUS)), "value.amount:type"),
        (avro(("id", ["null", "string"]), ("amount", "long"), ("status", STATUS)), "value.id:required"),
        (avro(("id", "string"), ("status", STATUS)), "value.amount:required"),
        (
            avro(("id", "string"), ("amount", "long"), ("status", {**STATUS, "symbols": ["NEW", "PAID", "LOST"]})),
            "value.status:invalidValues",
        ),
    ],
)
def test_a_schema_that_breaks_the_contract_fails_and_the_report_states_what_it_lacks(
    alone: Weir, files: Path, schema: str, rule: str
) -> None:
    done = check(alone, files, schema, "-o", "json")
    assert done.code == 3
    report = json.loads(done.out)
    assert rule in {f["rule"] for f in report["findings"] if f["state"] == "broken"}
    assert "Who is affected downstream is not in this report: " in report["notes"][-1]


def test_the_promised_compatibility_is_judged_against_the_schema_before(alone: Weir, files: Path) -> None:
    done = check(alone, files, OLD, "--old", str(files / "old.avsc"), "-o", "json")
    assert (done.code, json.loads(done.out)["breaks"]) == (0, 0)
    required = avro(("id", "string"), ("amount", "long"), ("status", STATUS), ("more", "string"))
    done = check(alone, files, required, "--old", str(files / "old.avsc"), "-o", "json")
    assert done.code == 3
    assert [f["rule"] for f in json.loads(done.out)["findings"] if f["state"] == "broken"] == ["compatibility"]


def levels(level: str) -> str:
    return CONTRACT.replace("value: BACKWARD", f"value: {level}")


def versions(files: Path, *schemas: str) -> list[str]:
    """--old for each of them."""
    given = []
    for number, text in enumerate(schemas):
        (files / f"old{number}.avsc").write_text(text)
        given += ["--old", str(files / f"old{number}.avsc")]
    return given


BASE = (("id", "string"), ("amount", "long"), ("status", STATUS))
WITH_INT = avro(("id", "string"), ("amount", "int"), ("status", STATUS))
WITH_MORE = avro(*BASE, ("more", "string"))


@pytest.mark.parametrize(
    ("level", "old", "new", "reason"),
    [
        ("BACKWARD", [WITH_INT], OLD, ""),
        ("FORWARD", [WITH_INT], OLD, "not FORWARD: amount is long in what was written, which is not read as int"),
        ("FULL", [WITH_INT], OLD, "not FULL: amount is long in what was written, which is not read as int"),
        ("FORWARD", [OLD], WITH_MORE, ""),
        ("BACKWARD", [OLD], WITH_MORE, "not BACKWARD: more is not in what was written, and has no default"),
        ("BACKWARD", [OLD, WITH_MORE], WITH_MORE, ""),
        (
            "BACKWARD_TRANSITIVE",
            [OLD, WITH_MORE],
            WITH_MORE,
            "not BACKWARD_TRANSITIVE: more is not in what was written, and has no default",
        ),
        ("NONE", [OLD], WITH_MORE, ""),
    ],
)
def test_each_level_is_judged_in_its_own_direction(
    alone: Weir, files: Path, level: str, old: list[str], new: str, reason: str
) -> None:
    (files / "orders.yaml").write_text(levels(level))
    done = check(alone, files, new, *versions(files, *old), "-o", "json")
    (finding,) = [each for each in json.loads(done.out)["findings"] if each["rule"] == "compatibility"]
    if reason:
        assert (done.code, finding["state"], finding["reason"]) == (3, "broken", f"the new schema is {reason}")
    else:
        assert (done.code, finding["state"]) == (0, "holds"), done.out


def test_how_many_versions_a_transitive_level_was_compared_with_is_stated(alone: Weir, files: Path) -> None:
    (files / "orders.yaml").write_text(levels("FULL_TRANSITIVE"))
    done = check(alone, files, OLD, *versions(files, OLD), "-o", "json")
    (finding,) = [each for each in json.loads(done.out)["findings"] if each["rule"] == "compatibility"]
    assert finding["reason"] == "the new schema is FULL_TRANSITIVE, compared with the 1 given by --old"


def test_a_schema_before_it_that_nothing_is_compared_with_is_named(alone: Weir, files: Path) -> None:
    (files / "orders.yaml").write_text(of(TEXT))
    done = check(alone, files, json.dumps(record_of("R", ("a", "string"))), "--old", str(files / "old.avsc"))
    assert "--old was not compared: the contract promises no compatibility of prod/orders." in done.out


def test_a_schema_that_has_a_field_is_not_counted_in_records(alone: Weir, files: Path) -> None:
    out = check(alone, files, OLD).out
    assert "✓ value.id is there and not null (by the schema)" in out
    text = avro(("id", "string"), ("amount", "long"), ("status", "string"))
    assert "the schema does not list the values of the field" in check(alone, files, text).out


def test_a_json_schema_is_compared_too(alone: Weir, files: Path) -> None:
    properties = {"id": {"type": "string"}, "amount": {"type": "integer"}, "status": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["id", "amount"]}
    (files / "new.json").write_text(json.dumps(schema))
    given = ("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / "new.json"), "-o", "json")
    assert alone(*given).code == 0
    (files / "new.json").write_text(json.dumps({**schema, "required": ["id"]}))
    done = alone(*given)
    assert done.code == 3
    assert [f["rule"] for f in json.loads(done.out)["findings"] if f["state"] == "broken"] == ["value.amount:required"]


def test_the_report_is_markdown_and_junit_too(alone: Weir, files: Path) -> None:
    schema = avro(("id", "string"), ("amount", "string"), ("status", STATUS))
    markdown = check(alone, files, schema, "-o", "markdown").out
    assert markdown.startswith("### new.avsc against what is promised of prod/orders\n")
    assert "| broken | value.amount is int64 | the schema has string |" in markdown
    suite = ElementTree.fromstring(check(alone, files, schema, "-o", "junit").out)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("7", "1", "1")
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "value.amount is int64: the schema has string"
    text = check(alone, files, schema).out
    assert "✗ value.amount is int64 (the schema has string)" in text


def test_a_contract_that_is_only_read_differs_from_nothing(alone: Weir, files: Path) -> None:
    done = alone("contract", "check", "-f", str(files / "orders.yaml"))
    assert (done.code, done.out.count("\n")) == (0, 1), done.out
    assert done.out.strip().endswith("orders.yaml is a contract with 8 rules")


def test_a_contract_is_compared_with_the_next_one(alone: Weir, files: Path) -> None:
    document = yaml.safe_load(CONTRACT)
    amount = document["schema"][0]["properties"][1]
    del amount["required"]
    document["schema"][0]["properties"][0]["logicalTypeOptions"] = {"maxLength": 40}
    (files / "new.yaml").write_text(yaml.safe_dump(document))
    old, new = str(files / "orders.yaml"), str(files / "new.yaml")
    done = alone("contract", "diff", old, new, "-o", "json")
    assert done.code == 3
    assert [(f["state"], f["rule"]) for f in json.loads(done.out)["findings"]] == [
        ("breaks", "value.amount:required"),
        ("compatible", "value.id:length"),
    ]
    same = alone("contract", "diff", old, old)
    assert (same.code, "Nothing differs." in same.out) == (0, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("check",), "Give the NAME of a declared contract, or --file with one."),
        (("check", "-f", "nothing.yaml"), "nothing.yaml cannot be read: No such file or directory."),
        (("check", "name", "--schema", "x"), "--schema and --old go with --file."),
        (("check", "-f", "a.yaml", "--old", "x"), "--old and --dataset go with --schema"),
        (("diff", "a.yaml", "b.yaml"), "a.yaml cannot be read"),
    ],
)
def test_bad_input_gets_one_sentence(alone: Weir, words: tuple[str, ...], sentence: str) -> None:
    done = alone("contract", *words)
    assert done.code == 1
    assert sentence in " ".join(done.err.split())


@pytest.mark.parametrize(
    "text", ["not json", '{"type": "record", "name": "A", "fields": [{"name": "x", "type": "nothing"}]}']
)
def test_a_schema_that_cannot_be_read_is_named(alone: Weir, files: Path, text: str) -> None:
    done = check(alone, files, text)
    assert done.code == 1
    assert "new.avsc" in done.err


def test_init_apply_show_check_and_the_readers_of_what_breaks(weir: Weir, served: ApiWorld, files: Path) -> None:  # noqa: F811
    served.apply(NO_CLUSTER)
    served.scan(cluster="prod", topics=["orders"])
    written = weir("contract", "init", "prod/orders")
    assert written.code == 0, written.err
    draft = yaml.safe_load(written.out)
    assert (draft["kind"], draft["metadata"]) == ("Contract", {"name": "prod.orders"})
    assert yaml.safe_load(weir("contract", "init", "prod/orders", "--odcs").out) == draft["spec"]
    (files / "draft.yaml").write_text(written.out)
    assert weir("apply", "-f", str(files / "draft.yaml")).code == 0
    assert "holds" in weir("contract", "list").out
    shown = weir("contract", "show", "prod.orders", "-o", "json")
    assert json.loads(shown.out)["document"] == draft["spec"]
    assert weir("contract", "show", "prod.orders").code == 0
    assert yaml.safe_load(weir("contract", "show", "prod.orders", "--odcs").out) == draft["spec"]
    assert weir("contract", "check", "prod.orders").code == 0
    other = weir("contract", "check", "prod.orders", "--dataset", "prod/order")
    assert other.code == 1 and "promises nothing of prod/order; it has prod/orders." in other.err
    assert weir("contract", "check", "-f", str(files / "draft.yaml")).code == 0
    broken = avro(("order_id", "long"))
    (files / "new.avsc").write_text(broken)
    done = weir("contract", "check", "-f", str(files / "draft.yaml"), "--schema", str(files / "new.avsc"), "-o", "json")
    assert done.code == 3
    report = json.loads(done.out)
    assert not any("is not in this report" in note for note in report["notes"]), report["notes"]
    nothing_new = weir("contract", "diff", "prod.orders", str(files / "draft.yaml"))
    assert "Nothing differs." in nothing_new.out
    assert weir("delete", "Contract", "prod.orders").code == 0
    assert "No contract is declared" in weir("contract", "list").out


def test_the_contract_of_the_guide_is_one_and_its_commands_run(alone: Weir, files: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "contracts.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
    (files / "orders.yaml").write_text(text)
    assert alone("contract", "check", "-f", str(files / "orders.yaml")).code == 0
    kept = avro(("order_id", "string"), ("amount", "long"), ("status", STATUS))
    (files / "old.avsc").write_text(kept)
    done = check(alone, files, kept, "--old", str(files / "old.avsc"), "-o", "markdown")
    assert done.code == 0, done.out + done.err
    assert check(alone, files, avro(("order_id", "string")), "-o", "junit").code == 3
    same = str(files / "orders.yaml")
    assert alone("contract", "diff", same, same, "-o", "junit").code == 0


def of(*properties: dict[str, Any], **custom: Any) -> str:
    customs = [{"property": name, "value": value} for name, value in {"dataset": "prod/orders", **custom}.items()]
    element = {"name": "orders", "properties": list(properties), "customProperties": customs}
    return yaml.safe_dump(
        {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "o", "version": "1", "schema": [element]}
    )


def record_of(name: str, *fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields]}


def object_of(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TEXT = {"name": "a", "logicalType": "string"}
WHOLE = {"name": "a", "logicalType": "integer", "required": True}
LISTED = {
    "name": "a",
    "logicalType": "array",
    "items": {"name": "i", "logicalType": "integer", "required": True},
}
ENUM = {"name": "a", "enum": [{"value": "A"}]}


@pytest.mark.parametrize(
    ("property", "schema", "state"),
    [
        (TEXT, record_of("R", ("a", ["int", "string"])), "broken"),
        (TEXT, record_of("R", ("a", ["bytes", "string"])), "broken"),
        (TEXT, record_of("R", ("a", ["null", "string"])), "holds"),
        ({"name": "a", "physicalType": "int64"}, record_of("R", ("a", ["int", "long"])), "holds"),
        ({"name": "a", "physicalType": "int64 | string"}, record_of("R", ("a", ["long", "string"])), "holds"),
        (
            {"name": "a", "physicalType": "uuid"},
            record_of("R", ("a", {"type": "string", "logicalType": "uuid"})),
            "holds",
        ),
        (WHOLE, [record_of("X", ("a", "int")), record_of("Y", ("b", "string"))], "broken"),
        (WHOLE, [record_of("X", ("a", "int")), record_of("Y", ("a", "int"), ("b", "string"))], "holds"),
        (ENUM, record_of("R", ("b", "int")), "broken"),
        (WHOLE, {"oneOf": [object_of(["a"], a={"type": "integer"}), object_of(["b"], b={"type": "string"})]}, "broken"),
        (LISTED, object_of(["a"], a={"type": "array", "items": {"type": ["integer", "null"]}}), "broken"),
        (LISTED, object_of(["a"], a={"type": "array", "items": {"type": "integer"}}), "holds"),
        (TEXT, object_of(["a"], a={"type": ["integer", "string"]}), "broken"),
        (WHOLE, object_of(["a"], a={}), "undecided"),
        (ENUM, object_of(["a"], a={"enum": ["A", "B"]}), "broken"),
        (WHOLE, object_of(["a"], a={"$ref": "other.json"}, b={"type": "string"}), "undecided"),
    ],
)
def test_a_schema_holds_no_promise_that_one_of_its_alternatives_breaks(
    alone: Weir, files: Path, property: dict[str, Any], schema: Any, state: str
) -> None:
    (files / "orders.yaml").write_text(of(property))
    name = "new.json" if "properties" in json.dumps(schema) else "new.avsc"
    (files / name).write_text(json.dumps(schema))
    done = alone(
        *("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / name), "-o", "json"),
        "--no-impact",
    )
    states = {each["state"] for each in json.loads(done.out)["findings"]}
    assert (state in states, done.code) == (True, 3 if state == "broken" else 0), done.out


@pytest.mark.parametrize(("closed", "state"), [(True, "holds"), (False, "undecided")])
def test_a_schema_that_lets_any_field_be_there_does_not_show_that_there_is_none(
    alone: Weir, files: Path, closed: bool, state: str
) -> None:
    (files / "orders.yaml").write_text(of(TEXT, additionalFields=False))
    (files / "new.json").write_text(
        json.dumps(object_of([], a={"type": "string"}) | {"additionalProperties": not closed})
    )
    done = alone(
        *("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / "new.json"), "-o", "json")
    )
    assert {each["rule"]: each["state"] for each in json.loads(done.out)["findings"]}["closed"] == state


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"type":"array","items":' * 2000 + '"int"' + "}" * 2000, '{"items":' * 2000 + "{}" + "}" * 2000],
)
def test_a_schema_that_is_too_deep_is_named(alone: Weir, files: Path, text: str) -> None:
    done = check(alone, files, text)
    assert done.code == 1 and "new.avsc" in done.err, done.err[-500:]


def test_what_a_break_affects_is_counted_in_words() -> None:
    row: AffectedNode = {
        "id": "dataset:pg:mart",
        "type": "dataset",
        "namespace": "pg",
        "name": "mart",
        "hops": 1,
        "raw": True,
        "owners": ["otto"],
    }
    broken = Finding("broken", "prod/orders", "amount:type", "value.amount", "amount is int64", "it is double")
    impacts: dict[str, Impact] = {
        "prod/orders:value.amount": {
            "root": "r",
            "affected": [row],
            "truncated": False,
            "summary": {"owners": ["otto"]},
        }
    }
    text = as_text(Report("orders", [broken], impacts))
    assert "\nAffected downstream: 1\n  dataset pg/mart (owners: otto)\n" in text
