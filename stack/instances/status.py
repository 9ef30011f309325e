"""What is shown of the processes of an instance."""

from __future__ import annotations

from typing import Any

from stack.instances.state import Entry
from stack.processes.ports import is_open
from stack.servers.server import Server, Site


def status_row(name: str, server: Server | None, entry: Entry | None, site: Site) -> dict[str, Any]:
    """{name, state, url, version, pid, port, memory, log} of one process, see `Instance.status`. `server` is None for a process
    that is not one of the servers, `entry` for one that was not started."""
    row: dict[str, Any] = {"name": name, "state": "stopped", "url": "", "version": "", "pid": None}
    row |= {"port": None, "memory": 0, "log": ""}
    if entry is None:
        return row | {"version": server.facts.version if server else ""}
    state = "dead"
    if entry.identity.alive():
        answers = server.ready(site) if server else not entry.port or is_open(entry.port)
        state = "ready" if answers else "starting"
    return row | {
        "state": state,
        "url": entry.url,
        "version": entry.version,
        "pid": entry.pid,
        "port": entry.port or None,
        "memory": entry.identity.memory(),
        "log": entry.log,
    }
