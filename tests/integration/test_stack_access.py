"""The local servers are closed to strangers: the loopback address alone, and none without its password or token."""

from __future__ import annotations

from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.integration


def ports_of(stack: Any) -> dict[str, int]:
    return {
        "kafka": int(stack.kafka.rsplit(":", 1)[1]),
        "registry": int(stack.registry.split(":")[2].split("/")[0]),
        "neo4j": int(stack.neo4j.rsplit(":", 1)[1]),
        "elasticsearch": int(stack.elasticsearch.rsplit(":", 1)[1].strip("/")),
        "spark": int(stack.spark.split(":")[2].split("/")[0]),
        **({"query": int(stack.query.split(":")[2].split("/")[0])} if stack.query else {}),
    }


def test_no_server_listens_beyond_the_loopback_address(stack: Any) -> None:
    connections = psutil.net_connections("tcp")
    listening = [(c.pid, c.laddr.ip, c.laddr.port) for c in connections if c.status == psutil.CONN_LISTEN and c.laddr]
    ours = {pid for pid, _, port in listening if pid and port in ports_of(stack).values()}
    if len(ours) < 5:
        pytest.skip("the servers under test are not this machine's")
    assert [(pid, ip, port) for pid, ip, port in listening if pid in ours and ip not in ("127.0.0.1", "::1")] == []


def test_neo4j_refuses_a_wrong_password(stack: Any) -> None:
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError

    with GraphDatabase.driver(stack.neo4j, auth=(stack.neo4j_auth[0], "wrong")) as driver, pytest.raises(AuthError):
        driver.verify_connectivity()
    with GraphDatabase.driver(stack.neo4j, auth=tuple(stack.neo4j_auth)) as driver:
        assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_spark_answers_with_the_token_alone(stack: Any) -> None:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(stack.spark).create()
    try:
        assert session.range(10).count() == 10
    finally:
        session.stop()
    wrong = stack.spark.split(";token=")[0] + ";token=wrong"
    with pytest.raises(PySparkException, match="UNAUTHENTICATED"):
        SparkSession.builder.remote(wrong).create().range(1).count()
