"""A decoder that brings its code: it works where nothing of ours is, on this Python or another, and knows all formats."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api.joins.query_tables import Decoder
from catalog.datatypes import parse_ddl
from policies.plan.model import PartRead
from scanners.adapters.spark.carried_code import carried, modules_with_code

WORKER = """
import sys, pickle
assert not any(each in sys.modules for each in ("catalog", "scanners"))
magic = sys.argv[2]
if magic:
    import importlib.util
    importlib.util.MAGIC_NUMBER = magic.encode()
function = pickle.load(open(sys.argv[1], "rb"))
print(function(b"\\x00\\x00\\x00\\x00\\x07\\x00\\x0a\\x03abc\\x28\\x05"), function(None), function(b"\\xff"))
print(sorted(each for each in sys.modules if each.startswith("scanners.decode"))[:2])
"""
PROTO = 'syntax = "proto3"; message Person { string id = 1; int64 amount = 5; }'


def _decoder() -> Any:
    kind = parse_ddl("id STRING, amount BIGINT")
    registered = {"7": {"type": "PROTOBUF", "schema": PROTO}}
    schemas = {"format": {"name": "protobuf", "options": {}}, "registered": registered}
    return Decoder(carried).function("value", PartRead("decoded protobuf", kind, schemas))


@pytest.mark.parametrize("magic", ["", "next"], ids=["same Python", "other Python"])
def test_it_works_where_nothing_of_ours_is(tmp_path: Path, magic: str) -> None:
    from pyspark import cloudpickle

    pickled = tmp_path / "function"
    pickled.write_bytes(cloudpickle.dumps(_decoder()))
    assert pickled.stat().st_size < 400_000
    done = subprocess.run(
        [sys.executable, "-I", "-c", WORKER, str(pickled), magic],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        '{"id":"abc","amount":5} None None',
        "['scanners.decode', 'scanners.decode.alternatives']",
    ]


def test_it_brings_what_is_imported_late_too() -> None:
    code = modules_with_code("scanners.decode.records")
    assert {"scanners", "scanners.schemas", "scanners.schemas.protobuf", "catalog.datatypes"} <= set(code)
    assert code["scanners"][0] and not code["catalog.datatypes"][0]
    assert not {each for each in code if each.split(".")[0] not in ("catalog", "scanners")}
