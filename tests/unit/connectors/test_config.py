"""From a declared connector to the worker's configuration and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalog.errors import InvalidInput
from connectors.check import plugin_named
from connectors.config import HIDDEN, as_found, differences, wanted
from connectors.declared import ConnectorSpec, is_secret_name
from connectors.model import Live, Plugin

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
    shown = as_found({"plugin": "a.B", "config": config}, changes)["config"]
    assert set(shown) == set(other)
    for key, value in result.config.items():
        if key != "connector.class":
            assert (shown[key] == HIDDEN) is (key not in asked.config) or shown[key] == value
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
                                 "oauth.client.secret", "connection.PASSWORD", "producer.override.sasl.jaas.config"])  # fmt: skip
def test_names_of_secrets(key: str) -> None:
    assert is_secret_name(key)
    with pytest.raises(ValidationError) as refused:
        spec({key: "secret-4711"})
    assert "4711" not in refused.value.errors(include_input=False, include_url=False)[0]["msg"]
    assert spec({key: "${env:X}"}) and spec({key: {"file": "x"}}) and spec({key: ""})


@pytest.mark.parametrize("key", ["key.converter", "tasks.max", "database.user", "topic.prefix", "errors.tolerance", "key.fields",
                                 "message.key.columns", "transforms.token_like.type", "aws.access.key.id", "keyspace"])  # fmt: skip
def test_names_of_no_secrets(key: str) -> None:
    assert not is_secret_name(key)


def test_plugins_by_their_whole_or_last_name() -> None:
    there = [Plugin("a.FileSourceConnector", "source"), Plugin("b.Jdbc", "sink"), Plugin("c.Jdbc", "sink")]
    assert plugin_named("a.FileSourceConnector", there, "W").name == "a.FileSourceConnector"
    assert plugin_named("FileSource", there, "W") == plugin_named("FileSourceConnector", there, "W") == there[0]
    with pytest.raises(InvalidInput, match=r"several plugins Jdbc: b\.Jdbc, c\.Jdbc; write the whole name"):
        plugin_named("Jdbc", there, "W")
    with pytest.raises(InvalidInput, match="it has none; install one"):
        plugin_named("Jdbc", [], "W")
