"""Facts for the bundle: versions, counts, processes, migrations, metrics. Each is read for itself and may fail for itself."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections import deque
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import func, inspect, select, table

from api import VERSION
from api.config.address import Recorded
from api.config.tls_client import ClientTls
from api.features.doctor.http_calls import HttpServer
from api.wiring.installation import Subject
from catalog.errors import Unavailable

LINES = 2000
"""The last lines of each log."""
OWN_LOGS = ("weir.log", "weir-worker.log", "weir-views.log")
"""Logs of Weir's own processes; those of servers may quote records."""


def versions(_: Subject) -> dict[str, object]:
    """Weir, Python, the system, and every installed package."""
    packages = sorted({(each.metadata["Name"] or "", each.version) for each in distributions()})
    system = {"system": platform.system(), "release": platform.release(), "machine": platform.machine()}
    return {"weir": VERSION, "python": sys.version.split()[0], **system, "packages": dict(packages)}


def counts(subject: Subject) -> dict[str, int]:
    """Rows of each table of the record store."""
    database = subject.database
    if subject.is_new():
        return {}
    with database.read() as session:
        names = inspect(session.connection()).get_table_names()
        return {
            name: session.execute(select(func.count()).select_from(table(name))).scalar_one() for name in sorted(names)
        }


def migrations(subject: Subject) -> dict[str, object]:
    """The schema of the record store against the newest."""
    database = subject.database
    kind = "sqlite" if database.is_sqlite else "postgresql"
    if subject.is_new():
        return {"database": kind, "current": None}
    state = subject.schema()
    return {
        "database": kind,
        "current": state.current,
        "newest": state.newest,
        "known": state.is_known,
        "waiting": state.waiting,
    }


def processes(subject: Subject) -> list[dict[str, object]]:
    """The processes that `weir up` started, and this machine."""
    rows: list[dict[str, object]] = []
    for name, pid in _pids(subject):
        try:
            process = psutil.Process(pid)
            with process.oneshot():
                rows.append(
                    {
                        "name": name,
                        "state": process.status(),
                        "threads": process.num_threads(),
                        "files": process.num_fds(),
                        "memoryBytes": process.memory_info().rss,
                        "processorSeconds": round(sum(process.cpu_times()[:2]), 1),
                        "ageSeconds": round(time.time() - process.create_time()),
                        "threadSeconds": sorted(
                            (round(t.user_time + t.system_time, 1) for t in process.threads()), reverse=True
                        )[:20],
                    }
                )
        except psutil.Error as error:
            rows.append({"name": name, "state": type(error).__name__})
    memory = psutil.virtual_memory()
    machine: dict[str, object] = {
        "name": "machine",
        "processors": psutil.cpu_count(),
        "memoryBytes": memory.total,
        "freeBytes": memory.available,
    }
    return [machine, *rows]


def metrics(subject: Subject) -> str:
    """What `/metrics` of the running Weir answers. Raises Unavailable."""
    return _running(subject).ask("/metrics").answer.text


def readiness(subject: Subject) -> Any:
    """What `/readyz` of the running Weir answers. Raises Unavailable."""
    return _running(subject).ask("/readyz").answer.json()


def logs(subject: Subject) -> Iterator[tuple[str, list[str]]]:
    """(name of a log of Weir's own, its last lines)."""
    for name in OWN_LOGS:
        path = subject.home.logs / name
        if path.is_file():
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield name, list(deque(lines, LINES))


def own_secrets(subject: Subject) -> set[str]:
    """Texts of the files in which Weir keeps its secrets, so that they are recognised in every text."""
    root = subject.home.root
    folders = (root / "secrets", root / "tokens", subject.settings.secrets.folder.expanduser())
    files = [subject.home.admin_token, *(path for folder in folders if folder.is_dir() for path in folder.rglob("*"))]
    return {text for path in files if (text := _small_text(path))}


def _small_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() if path.is_file() and path.stat().st_size < 20_000 else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _pids(subject: Subject) -> Iterator[tuple[str, int]]:
    try:
        state = json.loads((subject.home.root / "run" / "stack.json").read_text())
        yield from ((str(entry["name"]), int(entry["pid"])) for entry in state["servers"])
    except (OSError, ValueError, KeyError, TypeError):
        return


def _running(subject: Subject) -> HttpServer:
    recorded = Recorded.of(subject.home)
    if recorded is None:
        raise Unavailable("No Weir runs in this WEIR_HOME.")
    tls = ClientTls.of_environment().context(own=recorded.certificate) if recorded.url.startswith("https") else True
    return HttpServer(recorded.url, verify=tls)
