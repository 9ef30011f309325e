"""A cluster's client settings, written for librdkafka, as the Java client in Spark wants them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from catalog.errors import SettingsError

_LOGIN = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}
_SAME = (
    "security.protocol",
    "client.id",
    "request.timeout.ms",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
)


def librdkafka(settings: Mapping[str, str], bootstrap: str, seconds: float) -> dict[str, str | int | float | bool]:
    """Settings of a confluent_kafka client that gives up after `seconds` and logs nothing of its own."""
    return {
        "socket.timeout.ms": int(seconds * 1000),
        "log_level": 2,
        **settings,
        "bootstrap.servers": bootstrap,
    }


def java(settings: Mapping[str, str]) -> dict[str, str]:
    """The same settings for the Java client. Certificates are passed by content: the workers have no such files.

    Raises SettingsError for a file that cannot be read and a SASL mechanism that has no Java form here.
    """
    options = {name: str(settings[name]) for name in _SAME if name in settings}
    mechanism = str(settings.get("sasl.mechanism") or settings.get("sasl.mechanisms") or "")
    if mechanism:
        options["sasl.mechanism"] = mechanism
        if mechanism.upper() not in _LOGIN:
            mechanisms = ", ".join(_LOGIN)
            raise SettingsError(
                f"The SASL mechanism {mechanism!r} is not supported for scans; use one of {mechanisms}."
            )
        user, password = (_escaped(str(settings.get(f"sasl.{name}", ""))) for name in ("username", "password"))
        options["sasl.jaas.config"] = f'{_LOGIN[mechanism.upper()]} required username="{user}" password="{password}";'
    if "ssl.ca.location" in settings:
        options |= {
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": _read(str(settings["ssl.ca.location"])),
        }
    elif "ssl.ca.pem" in settings:
        options |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": str(settings["ssl.ca.pem"])}
    if "ssl.certificate.location" in settings and "ssl.key.location" in settings:
        options |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": _read(str(settings["ssl.certificate.location"])),
            "ssl.keystore.key": _read(str(settings["ssl.key.location"])),
        }
    if options.get("ssl.endpoint.identification.algorithm") == "none":
        options["ssl.endpoint.identification.algorithm"] = ""
    return options


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _read(path: str) -> str:
    try:
        return Path(path).expanduser().read_text()
    except OSError as error:
        raise SettingsError(f"The certificate file {path} of the Kafka settings cannot be read.") from error
