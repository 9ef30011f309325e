"""From a declared connector to the worker's configuration and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalog.errors import InvalidInput
from connectors.check import check_errors, plugin_named
from connectors.config import HIDDEN, as_found, differences, wanted
from connectors.declared import ConnectorSpec
from connectors.model import CheckedField, Live, Plugin
from connectors.secret_texts import holds_password, is_secret_name

VALUES = st.one_of(st.text(max_size=20), st.integers(), st.booleans())
NAMES = st.from_regex(r"[a-z]{1,6}(\.[a-z]{1,6}){0,2}", fullmatch=True).filter(lambda name: not is_secret_name(name))
CONFIGS = st.dictionaries(NAMES.filter(lambda n: n not in ("name", "connector.class")), VALUES, max_size=6)


def spec(config: dict[str, Any], **more: Any) -> ConnectorSpec:
    return ConnectorSpec.model_validate({"cluster": "prod", "plugin": "a.B", "config": config, **more})


def read(reference: Any, field: str) -> str:
    return f"secret of {reference}"


def live(config: dict[str, str], state: str = "RUNNING") -> Live:
    return Live("x", "source", state, config)


@given(CONFIGS)
def test_what_was_applied_differs_in_nothing(config: dict[str, Any]) -> None:
    try:
        declared = spec(config)
    except ValidationError:  # a text that holds a password in an address
        return
    asked = wanted(declared, "a.B", read)
    assert differences(asked, "running", live(dict(asked.config))) == []
    assert all(isinstance(value, str) for value in asked.config.values())


@given(CONFIGS, CONFIGS)
def test_what_was_found_is_shown_where_it_was_declared(config: dict[str, Any], other: dict[str, Any]) -> None:
    try:
        asked, result = wanted(spec(config), "a.B", read), wanted(spec(other), "a.B", read)
    except ValidationError:
        return
    changes = differences(asked, None, live(dict(result.config)))
    shown: Any = as_found({"plugin": "a.B", "config": config}, changes)["config"]
    assert set(shown) == set(other)
    for key, value in result.config.items():
        if key != "connector.class":
            open_ = asked.config.get(key) and "${" not in asked.config[key] and not holds_password(value)
            same = asked.config.get(key) == value
            assert shown[key] == (config[key] if same else value if open_ else HIDDEN)
    assert bool(changes) is (asked.config != result.config)


def test_secrets_and_references_are_never_shown() -> None:
    declared = spec({"a": {"env": "WEIR_SECRET_A"}, "b.password": "${file:/run/x:y}", "c": "open"})
    asked = wanted(declared, "a.B", read)
    assert asked.config["a"] == "secret of {'env': 'WEIR_SECRET_A'}" and asked.secret == {"a"}
    changes = differences(
        asked, None, live({"connector.class": "a.B", "a": "s1", "b.password": "s2", "c": "s3", "d": "s4"})
    )
    assert {each.field: (each.declared, each.actual) for each in changes} == {
        "config.a": (HIDDEN, HIDDEN), "config.b.password": ("${file:/run/x:y}", HIDDEN),
        "config.c": ("open", "s3"), "config.d": (None, HIDDEN),
    }  # fmt: skip
    assert "secret of" not in repr(asked) and "s3" not in repr(live({"c": "s3"}))


@pytest.mark.parametrize("key", ["database.password", "ssl.keystore.password", "aws.secret.access.key", "api_key", "token",
                                 "sasl.jaas.config", "gcp.credentials.json", "snowflake.private.key", "basic.auth.user.info",
                                 "oauth.client.secret", "connection.PASSWORD", "consumer.sasl.jaas.config", "connectionPassword",
                                 "authToken", "pass", "db.pass", "sasl_jaas", "producer.override.ssl.keystore.key",
                                 "value.converter.ssl.keystore.key", "AccountKey", "SharedAccessKey", "sslpassword",
                                 "apiKey", "APIKey", "awsSecretAccessKey", "azure.storage.account.key"])  # fmt: skip
def test_names_of_secrets(key: str) -> None:
    assert is_secret_name(key)
    with pytest.raises(ValidationError) as refused:
        spec({key: "secret-4711"})
    assert "4711" not in refused.value.errors(include_input=False, include_url=False)[0]["msg"]
    for half in ("hunter2${x:y}", "${x:y}hunter2", "${x:y} ${x:z}", 4711):
        with pytest.raises(ValidationError):
            spec({key: half})
    assert spec({key: "${env:X}"}) and spec({key: {"file": "x"}}) and spec({key: ""})


@pytest.mark.parametrize("key", ["key.converter", "tasks.max", "database.user", "topic.prefix", "errors.tolerance", "key.fields",
                                 "message.key.columns", "transforms.token_like.type", "aws.access.key.id", "keyspace",
                                 "compass", "value.converter.schema.registry.url", "primaryKeyFields"])  # fmt: skip
def test_names_of_no_secrets(key: str) -> None:
    assert not is_secret_name(key)


@pytest.mark.parametrize(
    "value",
    [
        "postgres://u:se/cret@db", "redis://:hunter2@db", "jdbc:x://db/x?user=u&password=hunter2", "sslpassword=hunter2",
        "DefaultEndpointsProtocol=https;AccountKey=aGFsbG8=;", "Endpoint=sb://x/;SharedAccessKey=abc", "user=u Password = x",
        'x required username="u" password="hunter2";', '{"private_key": "abc"}', "password=${x:y}hunter2",
        "http://h/?sig=abc", "a=b&token=${x:y}&secret=z",
    ],
)  # fmt: skip
def test_values_with_a_password_in_them(value: str) -> None:
    with pytest.raises(ValidationError) as refused:
        spec({"url": value})
    assert "hunter2" not in refused.value.errors(include_input=False, include_url=False)[0]["msg"]


@pytest.mark.parametrize(
    "value",
    [
        "jdbc:postgresql://db:5432/shop", "http://a:1,http://b:2", "public.password_changes", "${file:/run/secret:password}",
        "jdbc:x://db/x?user=u&password=${file:/run/db:password}", "SELECT token, name FROM t", "2020-01-01T10:00:00",
    ],
)  # fmt: skip
def test_values_without_a_password(value: str) -> None:
    assert spec({"url": value}).config["url"] == value


@pytest.mark.parametrize("key", ["producer.override.bootstrap.servers", "consumer.override.security.protocol",
                                 "admin.override.sasl.mechanism", "producer.override.sasl.jaas.config"])  # fmt: skip
def test_no_connector_uses_another_kafka(key: str) -> None:
    for value in ("x", {"env": "WEIR_SECRET_X"}, "${x:y}"):
        with pytest.raises(ValidationError, match="another Kafka than that of its cluster"):
            spec({key: value})
    assert spec({"producer.override.compression.type": "zstd"})


def test_a_password_that_was_written_at_the_worker_is_not_shown() -> None:
    asked = wanted(spec({"url": "jdbc:x://db", "store.key": "", "other": "a", "open": "b"}), "a.B", read)
    there = {
        "connector.class": "a.B",
        "url": "jdbc:x://db?password=hunter2",
        "store.key": "hunter2",
        "other": "hunter2",
    }
    changes = differences(asked, None, live({**there, "open": "c"}), {"other"})
    assert {each.field: each.actual for each in changes} == {
        "config.url": HIDDEN, "config.store.key": HIDDEN, "config.other": HIDDEN, "config.open": "c",
    }  # fmt: skip


def test_no_text_of_a_plugin_is_shown_where_the_worker_resolves_a_reference() -> None:
    fields = [CheckedField("tasks.max", "INT", ("Invalid value WORKERSECRET for configuration tasks.max",)),
              CheckedField("url", "STRING", ("cannot connect with WORKERSECRET",)),
              CheckedField("topic", "STRING", ('Missing required configuration "topic" which has no default value.',))]  # fmt: skip
    asked = wanted(spec({"tasks.max": "${file:/run/db:password}", "url": "x"}), "a.B", read)
    with pytest.raises(
        InvalidInput, match=r"config\.url: the plugin refuses the value;.*config\.topic is missing"
    ) as refused:
        check_errors(asked, fields)
    assert "WORKERSECRET" not in refused.value.message + str(refused.value.details)


def test_plugins_by_their_whole_or_last_name() -> None:
    there = [Plugin("a.FileSourceConnector", "source"), Plugin("b.Jdbc", "sink"), Plugin("c.Jdbc", "sink")]
    assert plugin_named("a.FileSourceConnector", there, "W").name == "a.FileSourceConnector"
    assert plugin_named("FileSource", there, "W") == plugin_named("FileSourceConnector", there, "W") == there[0]
    with pytest.raises(InvalidInput, match=r"several plugins Jdbc: b\.Jdbc, c\.Jdbc; write the whole name"):
        plugin_named("Jdbc", there, "W")
    with pytest.raises(InvalidInput, match="it has none; install one"):
        plugin_named("Jdbc", [], "W")


SALTED = "column.mask.hash.v2.SHA-256.with.salt."


def test_a_salt_is_put_into_the_name_of_a_setting_and_shown_nowhere() -> None:
    declared = spec({f"{SALTED}${{WEIR_SECRET_SALT}}": r"public\.a\.email"})
    asked = wanted(declared, "a.B", lambda reference, _: "s-4711" if reference == {"env": "WEIR_SECRET_SALT"} else None)
    assert asked.config[f"{SALTED}s-4711"] == r"public\.a\.email"
    assert differences(asked, None, live(dict(asked.config))) == []
    changes = differences(asked, None, live({"connector.class": "a.B", f"{SALTED}other-0815": "b"}))
    assert {each.field for each in changes} == {f"config.{SALTED}(not shown)"}
    assert "4711" not in repr(changes) and "0815" not in repr(changes)


def test_a_salt_in_plain_text_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationError) as refused:
        spec({f"{SALTED}s-4711": "a"})
    assert "WEIR_SECRET_NAME" in str(refused.value.errors()[0]["msg"])
    assert "4711" not in str(refused.value.errors()[0]["msg"])
