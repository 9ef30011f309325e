"""The list of functions is the one of the running Spark."""

from __future__ import annotations

from typing import Any

import pytest

from policies.sql import inventory
from policies.sql.live import AGGREGATES

pytestmark = pytest.mark.integration


def test_every_function_of_the_server_is_classified(stack: Any) -> None:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(stack.engine).create()
    try:
        names = {row[0] for row in session.sql("SHOW FUNCTIONS").collect()}
        # Aggregates cannot be told from their names; Spark tells them by refusing them in WHERE.
        assert names - set(inventory.functions()) == set()
        assert names >= AGGREGATES
    finally:
        session.stop()
