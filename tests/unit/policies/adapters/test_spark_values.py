"""Arrow as Spark sends it becomes JSON, whatever it holds."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from policies.adapters.spark import arrow_repair
from policies.adapters.spark import values as spark_values


def broken(kind: pa.DataType, values: list[Any], as_bytes: pa.DataType) -> pa.Table:
    """A table of texts that are not UTF-8, as Spark makes them of bytes."""
    return pa.table({"x": pa.chunked_array([pa.array(values, as_bytes).view(kind)])})


def test_texts_that_are_no_utf8_can_be_read() -> None:
    latin = "Köln".encode("latin-1")
    plain = broken(pa.string(), [latin, b"Bonn", None], pa.binary())
    mended = arrow_repair.readable(plain)
    mended.validate(full=True)
    assert spark_values.rows(mended) == [["K\ufffdln"], ["Bonn"], [None]]
    inner = pa.ListArray.from_arrays(pa.array([0, 1, 1], pa.int32()), pa.array([latin], pa.binary()).view(pa.string()))
    nested = pa.table({"n": pa.array([1, 2]), "x": inner, "s": pa.StructArray.from_arrays([inner], ["a"])})
    assert spark_values.rows(arrow_repair.readable(nested)) == [
        [1, ["K\ufffdln"], {"a": ["K\ufffdln"]}],
        [2, [], {"a": []}],
    ]


def test_what_can_be_read_stays_as_it_is() -> None:
    table = pa.table({"x": ["größe", None]})
    assert arrow_repair.readable(table) is table


def test_years_that_python_does_not_have() -> None:
    far = pa.array([3_652_059, 0, None, -800_000], pa.int32()).cast(pa.date32())
    later = pa.array([253_402_300_800_000_000, 1_500_000, None, 0], pa.timestamp("us", "UTC"))
    nested = pa.array([[253_402_300_800_000_000]] * 4, pa.list_(pa.timestamp("us")))
    assert spark_values.rows(pa.table({"d": far, "t": later, "n": nested})) == [
        ["+11968-12-31", "+10000-01-01T00:00:00Z", ["+10000-01-01T00:00:00"]],
        ["1970-01-01", "1970-01-01T00:00:01.500000Z", ["+10000-01-01T00:00:00"]],
        [None, None, ["+10000-01-01T00:00:00"]],
        ["-0221-09-04", "1970-01-01T00:00:00Z", ["+10000-01-01T00:00:00"]],
    ]


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_single_numbers_have_few_digits_and_mean_the_same(value: float) -> None:
    ((shown,),) = spark_values.rows(pa.table({"x": pa.array([value], pa.float32())}))
    assert struct.pack("f", shown) == struct.pack("f", value)


def test_a_single_number_is_written_as_it_was() -> None:
    table = pa.table({"x": pa.array([1.1, 3.4e38, float("nan"), None], pa.float32())})
    assert spark_values.rows(table) == [[1.1], [3.4e38], ["NaN"], [None]]


def test_keys_of_maps_are_their_json_texts() -> None:
    table = pa.table(
        {
            "flags": pa.array([[(True, 1), (False, 2)]], pa.map_(pa.bool_(), pa.int32())),
            "sizes": pa.array([[(1.5, 1), (float("nan"), 2)]], pa.map_(pa.float64(), pa.int32())),
        }
    )
    assert spark_values.rows(table) == [[{"true": 1, "false": 2}, {"1.5": 1, "NaN": 2}]]
