"""The record store: that it answers, its schema, and what Weir may do there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import text

from api.features.doctor.clocks import asked_clock
from api.features.doctor.findings import Finding, fault, ok, warning
from api.wiring.installation import Subject
from catalog.leases.holder import is_over

if TYPE_CHECKING:
    from catalog.adapters.sql.schema_state import SchemaState

_START = "Start Weir once, which brings the schema up to date."


def look_at_database(subject: Subject) -> Iterator[Finding]:
    """Nothing is made and nothing is migrated here."""
    database = subject.database
    if database.is_sqlite and subject.is_new():
        yield warning(
            "database", f"The record store {database.name} is not there yet; the first start makes it.", "Run weir up."
        )
        return
    with database.read() as session:
        what = "SELECT sqlite_version()" if database.is_sqlite else "SHOW server_version"
        version = session.execute(text(what)).scalar_one()
    yield ok("database", f"{'SQLite' if database.is_sqlite else 'PostgreSQL'} {version} answers at {database.name}.")
    schema = subject.schema()
    yield _schema(schema)
    if schema.is_newest:
        yield _duties(subject.leases())
    if database.is_sqlite:
        return
    with database.read() as session:
        allowed = session.execute(
            text("SELECT has_schema_privilege(current_user, current_schema(), 'CREATE')")
        ).scalar_one()
        if allowed:
            yield ok("database rights", "Its user may create tables, as an upgrade does.")
        else:
            yield fault(
                "database rights",
                "Its user may not create tables, so an upgrade of Weir cannot bring the schema up to date.",
                "GRANT CREATE ON SCHEMA of the record store to that user.",
            )
        clock = text("SELECT extract(epoch FROM clock_timestamp())")
        yield asked_clock("database", lambda: float(session.execute(clock).scalar_one()))


def _duties(leases: Mapping[str, str]) -> Finding:
    """Which processes do what nobody asks for: reminders, deliveries, tags, views and more."""
    by_holder: dict[str, list[str]] = {}
    for duty, holder in sorted(leases.items()):
        by_holder.setdefault(holder, []).append(duty)
    idle = by_holder.pop("", [])
    over = [duty for holder in by_holder if is_over(holder) for duty in by_holder[holder]]
    listed = "; ".join(f"{_process(holder)}: {', '.join(duties)}" for holder, duties in by_holder.items())
    if not leases or idle or over:
        which = ", ".join([*idle, *over]) or "reminders, deliveries, tags and all others"
        return warning("duties", f"No process does these duties: {which}.", "Run weir up, or weir server worker.")
    return ok("duties", f"Duties and the processes that do them: {listed}.")


def _process(holder: str) -> str:
    host, _, rest = holder.partition("/")
    return f"process {rest.split('/')[1]} of {host}" if rest.count("/") >= 2 else holder


def _schema(state: SchemaState) -> Finding:
    if state.is_newest:
        return ok("database schema", f"Its schema is revision {state.current}, the newest of this version.")
    if state.current is None:
        return warning("database schema", "It has no schema of Weir yet.", _START)
    if state.is_known:
        return warning(
            "database schema", f"Its schema is revision {state.current}; the newest is {state.newest}.", _START
        )
    return fault(
        "database schema",
        f"Its schema is revision {state.current}, which this version does not know; a newer Weir wrote it.",
        "Run the newer version of Weir, or restore a backup from before its upgrade.",
    )
