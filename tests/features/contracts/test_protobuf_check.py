"""`weir contract check` of a Protobuf file: what it promises by type and presence, and the promised compatibility."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.features.contracts.test_contract_command import alone as alone
from tests.features.contracts.test_contract_command import files as files
from tests.unit.api.cli.test_cli import Weir, home, served, weir  # noqa: F401

OLD = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Order {
  string id = 1;
  int64 amount = 2;
  Status status = 3;
  Address address = 4;
  repeated string tags = 5;
  map<string, int32> counts = 6;
  google.protobuf.Timestamp at = 7;
  enum Status { NEW = 0; PAID = 1; }
}
message Address { string street = 1; }
"""


def check(run: Weir, files: Path, schema: str, *more: str) -> dict[str, Any]:
    (files / "new.proto").write_text(schema)
    (files / "old.proto").write_text(OLD)
    done = run(
        *("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / "new.proto")),
        *("--no-impact", "-o", "json", *more),
    )
    assert done.code in (0, 3), done.out + done.err
    report: dict[str, Any] = json.loads(done.out)
    assert done.code == (3 if report["breaks"] else 0)
    return {each["rule"]: each["state"] for each in report["findings"]}


def test_a_schema_that_keeps_the_contract_passes(alone: Weir, files: Path) -> None:
    more = OLD.replace("map<string", "string note = 9;\n  map<string")
    states = check(alone, files, more, "--old", str(files / "old.proto"))
    assert set(states.values()) == {"holds"}, states
    assert states["compatibility"] == "holds"


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("int64 amount", "string amount", "value.amount:type"),
        ("int64 amount", "optional int64 amount", "value.amount:required"),
        ("string id = 1;", "", "value.id:required"),
        ("PAID = 1;", "PAID = 1; LOST = 2;", "value.status:invalidValues"),
        ("int64 amount = 2", "string amount = 2", "compatibility"),
    ],
)
def test_a_schema_that_breaks_a_promise_fails(alone: Weir, files: Path, old: str, new: str, rule: str) -> None:
    states = check(alone, files, OLD.replace(old, new), "--old", str(files / "old.proto"))
    assert states[rule] == "broken", states


@pytest.mark.parametrize(
    "text",
    ["message Order { string id = ", 'syntax = "proto3";', 'import "other.proto";\nmessage A { other.B b = 1; }', ""],
)
def test_a_file_that_cannot_be_read_is_named(alone: Weir, files: Path, text: str) -> None:
    (files / "bad.proto").write_text(text)
    done = alone("contract", "check", "-f", str(files / "orders.yaml"), "--schema", str(files / "bad.proto"))
    assert done.code == 1
    assert "bad.proto is not a Protobuf schema that can be read alone" in done.out + done.err
    assert "Traceback" not in done.out + done.err
