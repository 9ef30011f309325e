"""Every version and coordinate of the local servers, once. `docker-compose.yml` is compared with this file by a test."""

from __future__ import annotations

from dataclasses import dataclass

KAFKA = "4.1.0"
REGISTRY = "3.3.3"
NEO4J = "5.26.12"
ELASTICSEARCH = "8.19.9"
SPARK = "4.0.0"
OPENLINEAGE = "1.53.0"
DEBEZIUM = "3.2.0.Final"

JAVA = (21, 17)
"""Java versions for Kafka, Neo4j, Elasticsearch and Spark. Spark 4.0 does not start on 25, Kafka 4.1 not on 11."""
JAVA_REGISTRY = (21,)
"""The registry's classes are compiled for 21."""


@dataclass(frozen=True)
class Component:
    """A set of files from Maven Central that one purpose needs, fetched and kept together.

    `coordinates` are `group:artifact:version`. `archive` is the (classifier, type) of a packed distribution that is
    unpacked instead of resolved. `without` drops what another place on the same class path already brings:
    the name of another component, or "pyspark" for the jars of the installed PySpark.
    """

    name: str
    coordinates: tuple[str, ...]
    archive: tuple[str, str] | None = None
    without: str | None = None

    @property
    def folder(self) -> str:
        """Name of the folder that holds the fetched files; changes whenever a coordinate does."""
        from hashlib import sha256

        text = repr((self.coordinates, self.archive, self.without))
        return f"{self.name}-{sha256(text.encode()).hexdigest()[:12]}"


COMPONENTS: dict[str, Component] = {
    component.name: component
    for component in (
        Component("kafka", (f"org.apache.kafka:kafka_2.13:{KAFKA}",)),
        # Kafka's own console programs, such as a consumer, and what writes their errors.
        Component(
            "kafka-tools", (f"org.apache.kafka:kafka-tools:{KAFKA}", "org.slf4j:slf4j-simple:1.7.36"), without="kafka"
        ),
        Component("registry", (f"io.apicurio:apicurio-registry-app:{REGISTRY}",), archive=("all", "tar.gz")),
        Component("neo4j", (f"org.neo4j:neo4j:{NEO4J}",)),
        Component("elasticsearch", (f"org.elasticsearch:elasticsearch:{ELASTICSEARCH}",)),
        Component(
            "elasticsearch-netty4",
            (f"org.elasticsearch.plugin:transport-netty4:{ELASTICSEARCH}",),
            without="elasticsearch",
        ),
        Component("spark-kafka", (f"org.apache.spark:spark-sql-kafka-0-10_2.13:{SPARK}",), without="pyspark"),
        Component("spark-avro", (f"org.apache.spark:spark-avro_2.13:{SPARK}",), without="pyspark"),
        Component(
            "connect",
            (
                f"org.apache.kafka:connect-runtime:{KAFKA}",
                f"org.apache.kafka:connect-basic-auth-extension:{KAFKA}",
            ),
        ),
        Component("connect-file", (f"org.apache.kafka:connect-file:{KAFKA}",), without="connect"),
        Component("debezium-postgres", (f"io.debezium:debezium-connector-postgres:{DEBEZIUM}",), without="connect"),
        Component("openlineage-spark", (f"io.openlineage:openlineage-spark_2.13:{OPENLINEAGE}",), without="pyspark"),
    )
}
