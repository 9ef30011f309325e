"""Tries what a consumer may read at the brokers, by its own configuration, as an ordinary client does."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.errors import InvalidInput, NotFound

_VARIABLE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_SECONDS = 20.0
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class ReadAttempt:
    """What came of reading a topic. outcome: read | empty | refused | noTopic | failed; text: in words; value: the first record."""

    topic: str
    outcome: str
    text: str
    value: str | None = None


def read_settings(file: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """librdkafka's settings from lines `name=value`; `${env:NAME}` is read from the environment.

    Raises NotFound for no such file, InvalidInput for a line that is none, or a variable that is not set.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise NotFound(
            f"The file {file} cannot be read; weir rights client ... --form librdkafka writes one."
        ) from None
    settings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals:
            raise InvalidInput(f"Line {number} of {file} cannot be read; write NAME=VALUE.")
        missing = [each for each in _VARIABLE.findall(value) if each not in environment]
        if missing:
            raise InvalidInput(f"{name.strip()} needs the environment variable {missing[0]}; set it.")
        settings[name.strip()] = _VARIABLE.sub(lambda match: environment[match[1]], value.strip())
    if "bootstrap.servers" not in settings:
        raise InvalidInput(f"{file} has no bootstrap.servers.")
    return settings


def try_topic(settings: Mapping[str, str], topic: str, shows: bool, within: float = _SECONDS) -> ReadAttempt:
    """Read the first record of a topic as the settings sign in, without commits. `shows`: give its value."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

    own: dict[str, object] = {**settings, "enable.auto.commit": False, "log_level": 0, "fetch.wait.max.ms": 100}
    own.setdefault("group.id", "weir-rights-try")
    try:
        consumer = Consumer(own)
    except KafkaException as error:
        return ReadAttempt(topic, "failed", f"The configuration is not taken: {error.args[0].str()}")
    refused = {KafkaError.TOPIC_AUTHORIZATION_FAILED}
    try:
        known = consumer.list_topics(topic, timeout=within).topics[topic]
        if known.error is not None:
            if known.error.code() in refused:
                return ReadAttempt(topic, "refused", "The brokers refuse it.")
            return ReadAttempt(topic, "noTopic", "The brokers do not show it: it is not there, or may not be seen.")
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in known.partitions])
        ends = sum(high - low for low, high in _offsets(consumer, topic, known.partitions, within))
        deadline = time.monotonic() + (within if ends else 2.0)
        while time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is None:
                continue
            problem = message.error()
            if problem is None:
                value = message.value()
                text = value.decode("utf-8", "replace")[:_LONGEST] if value is not None and shows else None
                return ReadAttempt(
                    topic, "read", f"It reads it: partition {message.partition()}, offset {message.offset()}.", text
                )
            if problem.code() in refused:
                return ReadAttempt(topic, "refused", "The brokers refuse it.")
        return ReadAttempt(topic, "empty", "It may read it, and no record is there yet.")
    except KafkaException as error:
        if error.args[0].code() in refused:
            return ReadAttempt(topic, "refused", "The brokers refuse it.")
        return ReadAttempt(topic, "failed", f"The brokers do not let it in: {error.args[0].str()}")
    finally:
        consumer.close()


def try_group(settings: Mapping[str, str], topic: str, within: float = _SECONDS) -> str | None:
    """Why the consumer group of the settings may not be used; None: it may, or none is set."""
    from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

    if "group.id" not in settings:
        return None
    consumer = Consumer({**settings, "enable.auto.commit": False, "log_level": 0})
    try:
        results = consumer.committed([TopicPartition(topic, 0)], timeout=within)
        errors = [each.error for each in results if each.error is not None]
    except KafkaException as error:
        errors = [error.args[0]]
    finally:
        consumer.close()
    if any(each.code() == KafkaError.GROUP_AUTHORIZATION_FAILED for each in errors):
        return (
            f"The brokers refuse the consumer group {settings['group.id']}; list it under consumerGroups in the document of kind"
            " Principal."
        )
    return None


def _offsets(consumer: Any, topic: str, partitions: Any, within: float) -> list[tuple[int, int]]:
    from confluent_kafka import TopicPartition

    return [consumer.get_watermark_offsets(TopicPartition(topic, each), timeout=within) for each in partitions]
