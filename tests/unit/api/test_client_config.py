"""Configurations of clients: what connects, in the words of each client, and no secret."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from api.features.rights import client_config
from catalog.records import ClusterRecord

SCRAM = {
    "tls": {"ca": "ca.pem"},
    "sasl": {"mechanism": "SCRAM-SHA-512", "username": "weir", "password": {"env": "WEIR_SECRET_KAFKA"}},
}


def connection(
    security: dict[str, Any] | None, principal: str = "User:shop", groups: tuple[str, ...] = ("shop-*",)
) -> client_config.Connection:
    settings = {"security": security} if security else {}
    record = ClusterRecord("prod", "kafka://k:9092", ("k:9092", "l:9092"), settings=settings)
    return client_config.connection(record, principal, "orders.masked-1", groups)


def test_a_password_and_files_come_from_the_environment() -> None:
    given = connection(SCRAM)
    assert given.settings == {
        "bootstrap.servers": "k:9092,l:9092",
        "group.id": "shop-1",
        "auto.offset.reset": "earliest",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "shop",
        "sasl.password": "${env:KAFKA_PASSWORD}",
        "ssl.ca.location": "${env:KAFKA_CA}",
    }
    texts = [client_config.python(given), client_config.spark(given), client_config.quix(given)]
    for text in texts:
        ast.parse(text)
        assert "orders.masked-1" in text and 'os.environ["KAFKA_PASSWORD"]' in text
    java = client_config.java(given)
    assert 'ScramLoginModule required username="shop" password="${env:KAFKA_PASSWORD}";' in java
    assert "EnvVarConfigProvider" in java and "ssl.truststore.type=PEM" in java
    for text in [*texts, java, client_config.properties(given)]:
        assert "WEIR_SECRET" not in text and "weir" not in text  # nothing of Weir's own user


def test_the_console_consumer_reads_its_properties_from_a_file() -> None:
    text = client_config.console(connection(SCRAM))
    assert text.startswith("cat > client.properties <<'END'\n# topic: orders.masked-1\n")
    assert "EnvVarConfigProvider" in text
    assert text.splitlines()[-1] == (
        "kafka-console-consumer.sh --bootstrap-server k:9092,l:9092 --topic orders.masked-1 --group shop-1"
        " --from-beginning --consumer.config client.properties"
    )
    odd = connection(None, groups=("it's; odd",))
    assert "--group 'it'\"'\"'s; odd'" in client_config.console(odd)


def test_a_password_with_quotes_and_backslashes_is_quoted_for_java(monkeypatch: pytest.MonkeyPatch) -> None:
    password = 'it"s \\ secret; yes'
    monkeypatch.setenv("KAFKA_PASSWORD", password)
    monkeypatch.setenv("KAFKA_CA", "/ca.pem")

    class Spark:
        readStream = property(lambda self: self)  # noqa: N815  # Spark's own name

        def format(self, kind: str) -> Spark:
            return self

        def options(self, **options: str) -> Spark:
            self.given = options
            return self

        def load(self) -> None: ...

    spark = Spark()
    exec(client_config.spark(connection(SCRAM)), {"spark": spark})  # noqa: S102  # as who pastes it does
    quoted = re.search(r'password="((?:[^"\\]|\\.)*)";$', spark.given["kafka.sasl.jaas.config"])
    assert quoted is not None and re.sub(r"\\(.)", r"\1", quoted[1]) == password
    # Kafka puts a variable of the environment into the properties as it is: who has such a password has to know.
    assert "backslash" in client_config.java(connection(SCRAM)).split("config.providers")[0]
    assert "backslash" not in client_config.java(connection(None))


def test_a_user_with_a_backslash_or_an_umlaut_is_that_user_in_a_file_of_properties() -> None:
    name = 'CORP\\jürgen "x"'
    text = client_config.java(connection(SCRAM, f"User:{name}"))
    assert text.isascii()  # Kafka reads such a file as Latin-1
    line = next(each for each in text.splitlines() if each.startswith("sasl.jaas.config="))
    # As java.util.Properties reads a value, and JAAS what is in quotation marks then.
    value = re.sub(r"\\(u....|.)", lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else m[1], line.partition("=")[2])
    quoted = re.search(r'username="((?:[^"\\]|\\.)*)"', value)
    assert quoted is not None and re.sub(r"\\(.)", r"\1", quoted[1]) == name


def test_an_open_cluster_needs_no_environment() -> None:
    given = connection(None)
    assert "environ" not in client_config.python(given) and "config.providers" not in client_config.java(given)
    ast.parse(client_config.quix(given))


def test_a_certificate_is_signed_in_with_where_the_principal_is_a_subject() -> None:
    given = connection({"tls": {"certificate": "c.pem", "key": "k.pem"}}, "User:CN=shop,O=Example")
    assert (given.protocol, given.mechanism) == ("SSL", None)
    assert given.settings["ssl.certificate.location"] == "${env:KAFKA_CERTIFICATE}"


@pytest.mark.parametrize(
    ("groups", "group"),
    [(("billing",), "billing"), (("shop-*",), "shop-1"), (("team.*",), "team.shop"), ((), "GROUP-OF-YOURS")],
)
def test_the_group_is_one_that_the_documents_list(groups: tuple[str, ...], group: str) -> None:
    assert connection(None, groups=groups).group == group


def test_each_query_of_spark_has_a_group_of_its_own_where_it_may() -> None:
    # Two queries of one group read a part each; Spark ends a generated name by one that nobody else has.
    assert '"groupIdPrefix": "shop-1"' in client_config.spark(connection(None))
    assert "kafka.group.id" not in client_config.spark(connection(None))
    assert '"kafka.group.id": "billing"' in client_config.spark(connection(None, groups=("billing", "shop-*")))
    assert '"kafka.group.id": "GROUP-OF-YOURS"' in client_config.spark(connection(None, groups=()))
