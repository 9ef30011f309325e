"""Bytes that brokers keep of each partition, by kafka-python: librdkafka has no request for log directories."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)  # it would write the configuration, passwords included

ReplicaSizes = Mapping[tuple[str, int], Mapping[int, int]]
"""(topic, partition) -> id of a broker -> bytes of its copy."""

_NAMES = {
    "security.protocol": "security_protocol",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
}
_FAILURES = (KafkaError, OSError, ValueError)
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def replica_sizes(
    config: Mapping[str, Any], brokers: Sequence[int], topics: Sequence[str] | None, timeout_s: float
) -> ReplicaSizes:
    """Bytes of the copies at each broker, of all topics where none are named.

    `config`: librdkafka's, as `client_config` returns it. A broker that does not answer in time or refuses (it takes DESCRIBE
    on the cluster) is left out; all are, where this client cannot sign in as the configuration asks.
    """
    settings = _settings(config, timeout_s)
    sizes: dict[tuple[str, int], dict[int, int]] = {}
    if settings is None:
        return sizes
    try:
        client = KafkaAdminClient(**settings)
    except _FAILURES:
        return sizes
    with client:
        for broker in brokers:
            try:
                answers = client.describe_log_dirs(list(topics) if topics is not None else None, [broker])
            except _FAILURES:
                continue
            for place, size in _copies(answers):
                sizes.setdefault(place, {})[broker] = size
    return sizes


def _copies(answers: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[str, int], int]]:
    """A copy that is moved between folders of one broker is there twice until it has moved: the future one is left out."""
    for answer in answers:
        for folder in answer["log_dirs"]:
            for topic in folder["topics"]:
                for partition in topic["partitions"]:
                    if not partition["is_future_key"]:
                        yield (topic["name"], partition["partition_index"]), partition["partition_size"]


def _settings(config: Mapping[str, Any], timeout_s: float) -> dict[str, object] | None:
    """The configuration as kafka-python names it; None where it asks for what that client cannot do as librdkafka does."""
    settings: dict[str, object] = {
        "bootstrap_servers": str(config["bootstrap.servers"]).split(","),
        "client_id": str(config.get("client.id", "weir")),
        "request_timeout_ms": int(timeout_s * 1000),
        "bootstrap_timeout_ms": int(timeout_s * 1000),
    }
    for name, value in config.items():
        if name in _NAMES:
            settings[_NAMES[name]] = value
        elif name == "ssl.endpoint.identification.algorithm":
            settings["ssl_check_hostname"] = value != "none"
        elif name.startswith(("ssl.", "sasl.", "enable.ssl.", "enable.sasl.")):
            return None
    protocol = settings["security_protocol"] = str(settings.get("security_protocol", "PLAINTEXT")).upper()
    if protocol.startswith("SASL_") and settings.get("sasl_mechanism", "GSSAPI") not in _MECHANISMS:
        return None
    return settings
