"""Secrets leave events before anything is stored; data that is only named like one stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.ingest.redact import REDACTED, _value, is_secret_name, redact
from lineage.ingest.service import Ingest
from lineage.ingest.sql_dialect import dialect_of
from lineage.sql.redacted_text import without_values
from tests.lineage_samples import columns, dataset, real_rows, run
from tests.twins.lineage import MemoryEventLog

SECRET = "hunter2xyz"


@pytest.mark.parametrize(
    "text",
    [
        f"database.password={SECRET}",
        f"jdbc:postgresql://h:5432/db?user=u&password={SECRET}&ssl=true",
        f"jdbc:sqlserver://h;user=sa;password={{{SECRET};}};x=1",
        f"jdbc:oracle:thin:scott/{SECRET}@h:1521",
        f"postgres://u:{SECRET}@h/db",
        f"redis://:{SECRET}@h",
        f"amqps://u:{SECRET}%40@h/v",
        f'PlainLoginModule required username="u" password="{SECRET}";',
        f"CREATE USER x IDENTIFIED BY '{SECRET}'",
        f"Authorization: Bearer {SECRET}",
        f"password: {SECRET}",
        f'{{"password":"{SECRET}"}}',
        f'{{\\"token\\": \\"{SECRET}\\"}}',
        f"spark-submit --token {SECRET} job.py",
        f"mysql --password='{SECRET}' x",
        f"CREDENTIALS = (AWS_SECRET_KEY='{SECRET}')",
        f"fs.azure.account.key.acc.dfs.core.windows.net={SECRET}",
        f"DefaultEndpointsProtocol=https;AccountName=n;AccountKey={SECRET}==;",
        f"https://h/x?X-Amz-Signature={SECRET}&sig={SECRET}",
        f"basic.auth.user.info=u:{SECRET}",
        f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----",
        f"export GITHUB_TOKEN={SECRET}",
    ],
)
@pytest.mark.parametrize("where", ["value", "list", "custom facet"])
def test_secrets_in_texts(text: str, where: str) -> None:
    holder: Any = {"value": {"x": text}, "list": {"configs": [text]}, "custom facet": {"a": {"b": [{"c": text}]}}}[
        where
    ]
    assert SECRET not in json.dumps(redact({"run": {"facets": {"my_config": holder}}}))


@pytest.mark.parametrize(
    "facet",
    [
        {"password": SECRET},
        {"apiKey": SECRET},
        {"AWS_SECRET_ACCESS_KEY": SECRET},
        {"credentials": {"user": "u", "values": [SECRET]}},
        {"environmentVariables": [{"name": "DB_PASSWORD", "value": SECRET}]},
        {"properties": [{"key": "ssl.keystore.password", "value": SECRET}]},
        {"sasl.jaas.config": SECRET},
        {"secret": 12345678},
        {"connectionString": SECRET},
    ],
)
def test_secrets_under_their_names(facet: dict[str, Any]) -> None:
    clean = json.dumps(redact({"run": {"facets": {"x": facet}}}))
    assert SECRET not in clean and "12345678" not in clean and REDACTED in clean


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/OpenLineage/OpenLineage/tree/1.46.0/client/python",
        "kafka://localhost:9092",
        "SELECT password, token FROM users WHERE users.password = other.password",
        "s3://bucket/key=1/part",
        "a passing remark: nothing here",
        "value.keyword",
        "postgres://host:5432/db",
        "org.apache.spark.sql.catalyst.TableIdentifier",
    ],
)
def test_ordinary_texts_stay(text: str) -> None:
    raw = {"job": {"facets": {"sql": {"query": text}}}, "x": text if not text.startswith("SELECT") else ""}
    assert redact(raw) == raw


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT * FROM dblink('host=h password={SECRET}', 'SELECT 1')",
        f"UPDATE mysql.user SET authentication_string = PASSWORD('{SECRET}')",
        f"CREATE STAGE s ENCRYPTION = (MASTER_KEY='{SECRET}')",
    ],
)
def test_secrets_in_statements(sql: str) -> None:
    clean = redact({"job": {"facets": {"sql": {"query": sql}}}})["job"]["facets"]["sql"]["query"]
    assert SECRET not in clean and clean == without_values(sql.replace(SECRET, "[redacted]"))
    assert redact({"query": clean}) == {"query": clean}


def test_columns_named_like_secrets_stay() -> None:
    event = run(0, ["users"], [dataset("out", columnLineage=columns({"password": [("users", "password")]}))])
    event["inputs"][0]["facets"]["schema"] = {"fields": [{"name": "api_token", "type": "string"}]}
    assert redact(event) == event


def test_a_namespace_with_credentials_loses_them() -> None:
    clean = redact(run(0, [dataset("t", namespace=f"postgres://u:{SECRET}@h:5432")]))
    assert clean["inputs"][0]["namespace"] == f"postgres://u:{REDACTED}@h:5432"


def test_the_real_event_with_a_database_password(shared_data: Path) -> None:
    row = next(row for row in real_rows(shared_data) if row["id"] == "debezium-01")
    log = MemoryEventLog()
    Ingest(log).post(row["event"])
    stored = json.loads(log.records[0].value or b"")
    configs = stored["run"]["facets"]["debezium_config"]["configs"]
    assert f"database.password={REDACTED}" in configs
    assert "database.password=postgres" not in (log.records[0].value or b"").decode()
    assert "database.hostname=postgres" in configs  # nothing else was touched
    untouched = [
        config for config in row["event"]["run"]["facets"]["debezium_config"]["configs"] if "password" not in config
    ]
    assert [config for config in configs if "password" not in config] == untouched


def test_no_other_real_event_is_changed(shared_data: Path) -> None:
    changed = [row["id"] for row in real_rows(shared_data) if redact(row["event"]) != no_values(row["event"])]
    assert changed == ["debezium-01"]


SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.30.0/integration/spark"


@pytest.mark.parametrize(
    "beside",
    [
        {"run": {"facets": {"processing_engine": {"name": "spark", "version": "3.5.1"}}}},
        {"job": {"facets": {"jobType": {"integration": "SPARK", "processingType": "BATCH"}}}},
        {"producer": SPARK},
        {
            "inputs": [{"namespace": "mysql://db:3306", "name": "a"}],
            "outputs": [{"namespace": "kafka://k", "name": "b"}],
        },
    ],
)
def test_a_value_in_double_quotes_is_one_to_the_engine_that_the_event_shows(beside: dict[str, Any]) -> None:
    query = 'INSERT INTO s SELECT id FROM t WHERE mail = "anna@example.de"'
    facets = {"sql": {"query": query}, **beside.get("job", {}).get("facets", {})}
    stored = redact({**beside, "job": {"namespace": "n", "name": "j", "facets": facets}})
    assert stored["job"]["facets"]["sql"]["query"] == "INSERT INTO s SELECT id FROM t WHERE mail = '?'"


def test_a_name_in_double_quotes_stays_where_it_is_one() -> None:
    facets = {"sql": {"query": 'SELECT "Order Id" FROM t WHERE mail = 5'}}
    event = {"job": {"facets": facets}, "inputs": [{"namespace": "postgres://db:5432", "name": "t"}], "producer": "dbt"}
    assert redact(event) == event


def no_values(raw: Any) -> Any:
    """The event without the values in its statements."""
    statement = (raw.get("job") or {}).get("facets", {}).get("sql") if isinstance(raw, dict) else None
    if not isinstance(statement, dict) or not isinstance(statement.get("query"), str):
        return raw
    event = json.loads(json.dumps(raw))
    event["job"]["facets"]["sql"]["query"] = without_values(statement["query"], dialect_of(raw))
    return event


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_redaction_never_fails_and_settles(raw: Any) -> None:
    once = redact(raw)
    assert redact(once) == once


@pytest.mark.parametrize("name", ["max.poll.interval", "keyspace", "partition.key", "passenger", "author", "bypass"])
def test_names_that_hold_no_secret(name: str) -> None:
    assert not is_secret_name(name)


_PIECES = [
    "id",
    "user.email",
    "password",
    "kafka://h:9092",
    "postgres://u:p4ssw0rd@h/db",
    "://:x@h",
    "jdbc:oracle:thin:scott/tiger@h",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "ghp_0123456789abcdefghij0123",
    "glpat-0123456789abcdefgh",
    "-----BEGIN RSA PRIVATE KEY-----\nx",
    "xoxb-0123456789ab",
    "dapi0123456789abcdef0123456789abcdef",
    "query",
    "sql",
    "SELECT 'secret' FROM t",
    'é\n"',
    "",
]
_TEXTS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3).map("".join)
_FACETS = st.recursive(
    _TEXTS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(["columnLineage", "schema", "lineage"]), _FACETS)
def test_a_facet_that_is_passed_as_a_whole_holds_nothing_that_a_walk_would_hide(name: str, facet: Any) -> None:
    assert redact({"facets": {name: facet}}) == {"facets": {name: _value(facet, structural=True)}}
