"""The graph of lineage in Neo4j."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from api.features.doctor.clocks import asked_clock
from api.features.doctor.findings import Finding, fault, ok
from api.wiring.installation import Subject, shown
from lineage.settings import Neo4jSettings


def look_at_neo4j(subject: Subject) -> Iterator[Finding]:
    """Version, whether it can be written, and its clock."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    name, where = Neo4jSettings().database, shown(subject.settings.neo4j.uri)
    try:
        with closing(subject.graph()) as driver, driver.session(database=name) as session:
            component = session.run(
                "CALL dbms.components() YIELD name, versions, edition RETURN versions[0] AS v, edition"
            ).single()
            version = component["v"] if component else "unknown"
            if str(version).split(".")[0] == "4":
                yield fault("neo4j", f"Neo4j {version} answers at {where}; Weir needs 5.", "Use Neo4j 5.")
            else:
                yield ok("neo4j", f"Neo4j {version} answers at {where}.")
            row = session.run(
                "SHOW DATABASES YIELD name, access, currentStatus WHERE name = $name RETURN access, currentStatus AS status",
                name=name,
            ).single()
            if row is not None and (row["status"] != "online" or row["access"] != "read-write"):
                yield fault(
                    "neo4j rights",
                    f"Its database {name} is {row['status']} and {row['access']}.",
                    "Make it writable.",
                )
            else:
                yield ok("neo4j rights", f"Its database {name} is online and can be written.")

            def theirs() -> float:
                record = session.run("RETURN datetime.realtime().epochMillis AS now").single()
                return float(record["now"]) / 1000 if record else 0.0

            yield asked_clock("neo4j", theirs)
    except AuthError:
        yield fault(
            "neo4j",
            f"Neo4j at {where} refuses the sign-in of Weir.",
            "Check WEIR_NEO4J__USER and WEIR_NEO4J__PASSWORD.",
        )
    except (DriverError, Neo4jError, OSError, ValueError) as error:
        yield fault(
            "neo4j",
            f"Neo4j does not answer at {where} ({type(error).__name__}).",
            "Check WEIR_NEO4J__URI, and that it runs.",
        )
