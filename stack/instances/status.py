"""What is shown of the processes of an instance."""

from __future__ import annotations

from typing import TypedDict

from stack.instances.state import Entry
from stack.processes.ports import is_open
from stack.servers.server import Server, Site


class StatusRow(TypedDict):
    """One process, as it is printed. `state`: ready, starting, dead or stopped; `memory`: bytes, with those of its children."""

    name: str
    state: str
    url: str
    version: str
    pid: int | None
    port: int | None
    memory: int
    log: str


def status_row(name: str, server: Server | None, entry: Entry | None, site: Site) -> StatusRow:
    """`server` is None for a process that is not one of the servers, `entry` for one that was not started."""
    if entry is None:
        version = server.facts.version if server else ""
        return StatusRow(name=name, state="stopped", url="", version=version, pid=None, port=None, memory=0, log="")
    state = "dead"
    if entry.identity.alive():
        answers = server.ready(site) if server else not entry.port or is_open(entry.port)
        state = "ready" if answers else "starting"
    return StatusRow(
        name=name,
        state=state,
        url=entry.url,
        version=entry.version,
        pid=entry.pid,
        port=entry.port or None,
        memory=entry.identity.memory(),
        log=entry.log,
    )
