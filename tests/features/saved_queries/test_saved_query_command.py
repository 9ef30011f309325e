"""`weir query saved` and `--param`: through the running application, and the reading of parameters alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.terminal.parameters import filled, names_in
from catalog.errors import InvalidInput
from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

PEOPLE = """
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}], seesUnscanned: true}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
"""
NO_CLUSTER = CLUSTER.replace("localhost:9092", "localhost:1")
SQL = "SELECT region FROM orders WHERE region = :region"


def test_a_query_is_kept_shared_run_and_forgotten(weir: Weir, served: ApiWorld, home: Path) -> None:  # noqa: F811
    served.apply(NO_CLUSTER + PEOPLE)
    served.scan(cluster="prod", topics=["*"])
    assert "No saved queries" in weir("query", "saved", "list").out
    saved = weir("query", "saved", "save", "By region", SQL, "--description", "Orders of one")
    assert saved.code == 0 and "weir query saved run 'By region'" in saved.out
    assert weir("query", "saved", "save", "By region", SQL).code == 1
    assert weir("query", "saved", "share", "By region", "--user", "ana").out == "By region is shared with ana.\n"
    assert weir("query", "saved", "save", "By region", "--replace", "--description", "New").code == 0
    kept = json.loads(weir("query", "saved", "show", "By region", "-o", "json").out)
    assert (kept["sql"], kept["description"], kept["shared"]["users"]) == (SQL, "New", ["ana"])
    assert SQL in weir("query", "saved", "show", kept["id"]).out
    missing = weir("query", "saved", "run", "By region")
    assert (missing.code, missing.out) == (1, "") and "--param region=..." in missing.err
    (home / "tokens").mkdir(exist_ok=True)
    (home / "tokens" / "ana").write_text(served.admin.post("/api/v1/tokens", json={"user": "ana"}).json()["token"])
    ran = weir("query", "saved", "run", "By region", "--param", "region=nowhere'", "-o", "json", "--as", "ana")
    assert "'orders' holds; is the cluster up?" in ran.err  # decided, and nothing listens there
    assert "Only" in weir("query", "saved", "delete", "By region", "--as", "ana").err
    assert weir("query", "saved", "share", "By region", "--nobody").out == "By region is shared with nobody.\n"
    near = weir("query", "saved", "run", "By regio")
    assert near.code == 2 and "did you mean By region?" in near.err
    assert weir("query", "saved", "delete", "By region").out == "By region is deleted.\n"
    assert weir("query", "saved", "show", "By region").code == 2


def test_what_is_typed_wrong_is_named(weir: Weir, tmp_path: Path) -> None:  # noqa: F811
    for line, sentence in (
        (("query", "saved", "save", "x"), "Give a statement, or --file"),
        (("query", "saved", "save", "x", "--file", str(tmp_path / "none.sql")), "cannot be read: No such file"),
        (("query", "saved", "share", "x"), "Give --everyone"),
        (("query", "saved", "share", "x", "--nobody", "--everyone"), "Give --everyone"),
        (("query", "SELECT 1", "--param", "a=1"), "it has none"),
        (("explain", "SELECT :a", "--param", "a:number=x"), "is not a number"),
    ):
        ended = weir(*line)
        assert ended.code in (1, 2) and sentence in ended.err, ended


def test_parameters_are_those_of_the_query_page() -> None:
    assert names_in("SELECT a FROM t WHERE r = :region AND n > :n OR r = :region") == ["region", "n"]
    for sql in (
        "SELECT ':a', \":b\", `:c`, 'it''s :d', 'x\\' :e' FROM t",
        "SELECT 1 -- :a\n/* :b\n :c */ FROM t",
        "SELECT a::int, a:b, f(x):c, xs[1]:d, `a`:e FROM t",
        "SELECT '12:30'",
        ": a",
        "",
    ):
        assert names_in(sql) == []
    assert (
        filled("a = :a AND b > :b AND c = :c", ["a=x", "b:number=-2.5", "c:null"])
        == "a = 'x' AND b > -2.5 AND c = NULL"
    )
    assert filled("a = :a", ["a=b=c:d"]) == "a = 'b=c:d'" and filled("a = :a", ["a="]) == "a = ''"


@given(st.text())
def test_no_text_leaves_its_literal(value: str) -> None:
    sql = filled("a = :a AND b", [f"a={value}"])
    text = re.search(r"'(?:[^'\\]|\\[\s\S])*'", sql)
    assert text is not None and sql.replace(text[0], ":a", 1) == "a = :a AND b"
    assert re.sub(r"\\([\s\S])", r"\1", text[0][1:-1]) == value


@pytest.mark.parametrize(
    "given", ["a", "a:number", "a:null=1", "a:date=1", "=1", "1a=x", "a:number=0x1", "a:number=NaN", "a:number=1;2"]
)
def test_a_value_that_is_written_wrong(given: str) -> None:
    with pytest.raises(InvalidInput, match="--param"):
        filled("SELECT :a", [given])
