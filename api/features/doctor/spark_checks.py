"""The engines: Spark Connect for scans, for queries and for views, and what their executors can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from api.features.doctor.clocks import asked_clock
from api.features.doctor.findings import Finding, fault, of_error, ok, warning
from api.wiring.installation import Subject, shown
from catalog.errors import Unavailable, WeirError

if TYPE_CHECKING:
    from scanners.adapters.spark.executors import ExecutorReport

LOOK_SECONDS = 60.0
"""What an examination of an engine may take."""
_CALL_SECONDS = 55.0


def look_at_spark(subject: Subject, name: str, remote: str) -> Iterator[Finding]:
    """One engine: version, jars, clock, executors. Raises Unavailable, SettingsError."""
    try:
        with subject.engine(remote, _CALL_SECONDS) as session:
            yield _version(name, session, shown(remote.split("/;")[0]))
            yield _jars(f"{name} jars", session)
            yield asked_clock(name, lambda: _time(session))
            yield _executors(name, subject, session)
    except WeirError:
        raise
    except Exception as error:
        unsigned = "UNAUTHENTICATED" in str(error) or "Invalid authentication token" in str(error)
        kind = f"It does not answer as Spark Connect ({type(error).__name__})."
        message = "It refuses the token of Weir." if unsigned else kind
        yield fault(name, message, "Check the address and its token, and that the server runs.")


def _version(name: str, session: Any, where: str) -> Finding:
    import pyspark

    theirs = str(session.version)
    if theirs != pyspark.__version__:
        return warning(
            name,
            f"Spark {theirs} answers at {where}; Weir's client is {pyspark.__version__}.",
            f"Run Spark {pyspark.__version__}: both ends of Spark Connect should be of one version.",
        )
    return ok(name, f"Spark {theirs} answers at {where}.")


def _jars(name: str, session: Any) -> Finding:
    """The readers of Kafka and Avro, which are found or missed when a plan is analysed; nothing is read."""
    missing = []
    kafka = (
        session.read.format("kafka").option("kafka.bootstrap.servers", "localhost:1").option("subscribe", "none").load()
    )
    avro = session.range(1).selectExpr("""from_avro(cast(null as binary), '"string"', map()) AS value""")
    for frame, jar in ((kafka, "spark-sql-kafka-0-10"), (avro, "spark-avro")):
        try:
            frame.schema  # noqa: B018
        except Exception:
            missing.append(jar)
    if missing:
        return fault(name, f"It lacks {' and '.join(missing)}.", "Start it with --packages, in the version of Spark.")
    return ok(name, "It reads Kafka and Avro.")


def _time(session: Any) -> float:
    """Planned by Spark, so no executor is needed."""
    rows = session.sql("SELECT cast(current_timestamp() AS double) AS now").toArrow().to_pylist()
    return float(rows[0]["now"])


def _executors(engine: str, subject: Subject, session: Any) -> Finding:
    name = f"{engine} executors"
    try:
        return executor_versions(name, subject.executors(session, engine))
    except Unavailable as error:
        return of_error(name, error, "See the log of Spark.")


def executor_versions(name: str, reports: list[ExecutorReport]) -> Finding:
    """How many there are, and their Python."""
    hosts = sorted({report.host for report in reports})
    pythons = sorted({report.python for report in reports})
    where = hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"
    return ok(
        name, f"{len(reports)} tasks ran on {where} with Python {', '.join(pythons)}, and imported what a scan needs."
    )
