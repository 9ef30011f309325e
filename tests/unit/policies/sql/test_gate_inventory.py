"""Every function of the pinned Spark and every node of the pinned sqlglot is classified; a new one fails here."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from policies.sql import inventory
from policies.sql.live import AGGREGATES

SPARK, SQLGLOT = "4.0.0", "30.30.0"


def test_the_lists_are_of_the_pinned_versions() -> None:
    pyspark = pytest.importorskip("pyspark.version")
    assert (pyspark.__version__, sqlglot.__version__) == (SPARK, SQLGLOT), (
        "classify what is new, then move the pins here"
    )


def test_every_node_is_classified() -> None:
    names: set[str] = set()
    waiting = [exp.Expr]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind.__module__.startswith("sqlglot.") and kind.__name__ not in names:
                names.add(kind.__name__)
                waiting.append(kind)
    assert names - set(inventory.nodes()) == set()
    assert set(inventory.nodes().values()) == {"allowed", "refused"}
    for dangerous in (
        "Command",
        "QueryTransform",
        "Set",
        "Insert",
        "Create",
        "Hint",
        "Parameter",
        "Placeholder",
        "Into",
        "CurrentUser",
        "SessionUser",
        "Describe",
        "Cache",
        "Use",
        "JSONExtract",
    ):
        assert inventory.nodes()[dangerous] == "refused"


def test_every_function_has_a_verdict_and_a_reason() -> None:
    for function in inventory.functions().values():
        assert function.verdict in ("allowed", "refused", "operator")
        if function.verdict == "refused":
            assert function.note in inventory.REASONS
        if function.verdict == "allowed":
            assert function.note in ("", "size", "table", "syntax")
    assert inventory.refusal("reflect") and inventory.refusal("no_such_function")
    assert inventory.refusal("upper") is None


def test_aggregates_are_functions_of_spark() -> None:
    assert set(inventory.functions()) >= AGGREGATES


def test_the_registry_of_spark_holds_nothing_else() -> None:
    """Names of expression functions in Spark's own registry class, read from its jar."""
    import pyspark

    jars = list((Path(pyspark.__file__).parent / "jars").glob("spark-catalyst_*.jar"))
    assert jars
    with zipfile.ZipFile(jars[0]) as jar:
        registry = jar.read("org/apache/spark/sql/catalyst/analysis/FunctionRegistry$.class")
    text = {t.decode("latin-1") for t in re.findall(rb"[\x00-\x7f]?([a-z][a-z0-9_]{2,40})", registry)}
    # Whatever string constant of that class is a documented function must be in the list.
    documented = text & {"reflect", "java_method", "try_reflect", "version", "input_file_name", "from_protobuf"}
    assert documented <= set(inventory.functions())
    assert len(inventory.functions()) >= 484
