"""What Spark's executors can do for a scan: whether any takes a task, and which packages their Python lacks."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.errors import Unavailable
from scanners.adapters.spark.executor_archive import refused_python
from scanners.adapters.spark.worker_packages import worker_packages

EXECUTOR_SECONDS = 50.0
"""How long a job may be without any task that runs."""
_MOST_TASKS = 16
_DETAILS = {"server": "spark"}
_MODULE = re.compile(r"No module named ['\"]([A-Za-z0-9_.]+)['\"]")


class NoExecutors(Unavailable):
    """Spark answers, and nothing runs what it is asked to run."""


class PackagesMissing(Unavailable):
    """`details["packages"]`: names of the packages that Spark's Python workers lack."""


@dataclass(frozen=True, slots=True)
class ExecutorReport:
    """One executor's Python, as a task of its own saw it.

    missing  names of packages that are not there; broken: modules that are there and cannot be imported
    """

    host: str
    python: str
    missing: tuple[str, ...]
    broken: tuple[str, ...]


class TaskWatch:
    """Whether tasks of a job run: a progress handler of a session, for the jobs of the thread that made it.

    `began`: a task of the job has run, or runs.
    """

    def __init__(self, seconds: float = EXECUTOR_SECONDS) -> None:
        self._thread, self._seconds = threading.get_ident(), seconds
        self._active = time.monotonic()
        self._waiting = False
        self._completed = 0
        self.began = False

    def __call__(self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if threading.get_ident() != self._thread:
            return
        stages = list(stages or ())
        completed = sum(stage.num_completed_tasks for stage in stages)
        waiting = not done and inflight_tasks == 0 and any(s.num_completed_tasks < s.num_tasks for s in stages)
        if not waiting or completed != self._completed:
            self._active = time.monotonic()
        self._waiting, self._completed = waiting, completed
        self.began = self.began or inflight_tasks > 0 or completed > 0

    def excuse(self) -> None:
        """Begin to wait again: others have the cores."""
        self._active = time.monotonic()

    def starved(self) -> bool:
        """Tasks have waited for so long, and none of the job's runs."""
        return self._waiting and time.monotonic() - self._active > self._seconds


def parallelism(session: Any) -> int:
    """Cores that Spark counts, at least 2 on a cluster; 0 where it does not show them."""
    splits = re.search(r"splits=Some\((\d+)\)|splits=(\d+)", str(session.range(0, 2)._explain_string()))
    return int(splits[1] or splits[2]) if splits else 0


def may_be_busy(session: Any) -> bool:
    """Whether Spark is known to have executors, so that tasks which do not start wait for a free core.

    A cluster counts 2 cores where it has none, so 2 and fewer prove nothing.
    """
    try:
        return _is_local(str(session.conf.get("spark.master", ""))) or parallelism(session) > 2
    except Exception:
        return False


def no_executors(seconds: float) -> NoExecutors:
    """The error of a job that nobody took."""
    return NoExecutors(
        f"No executors of Spark took the task within {seconds:.0f} seconds: the master has no workers, or other jobs hold all"
        " of their cores; start workers, or give Weir's Spark Connect server cores of its own.",
        details=_DETAILS,
    )


def examine(session: Any, seconds: float = EXECUTOR_SECONDS, imports: bool = True) -> list[ExecutorReport]:
    """Run a small Python task on the executors, at most one for each core. The session may be one without our code.

    `imports`: also import what a scan imports, which takes some seconds of processor time; else only look for it.
    Raises NoExecutors, PackagesMissing, Unavailable.
    """
    from pyspark.sql.connect.functions import udf
    from pyspark.sql.types import StringType

    packages = worker_packages()
    tasks = min(_MOST_TASKS, max(1, parallelism(session))) if imports else 1
    look = udf(_look(packages.direct if imports else (), packages.modules), StringType(), useArrow=False)
    frame = session.range(0, tasks, 1, tasks).select(look("id").alias("report"))
    return _collected(session, frame, seconds)


def _report(text: str) -> ExecutorReport:
    """What `_look` gives."""
    report = json.loads(text)
    return ExecutorReport(report["host"], report["python"], tuple(report["missing"]), tuple(report["broken"]))


def require_packages(reports: Sequence[ExecutorReport]) -> None:
    """Raises PackagesMissing naming every package that any executor lacks."""
    missing = sorted({name for report in reports for name in (*report.missing, *report.broken)})
    if missing:
        raise packages_missing(missing)


def packages_missing(names: Sequence[str]) -> PackagesMissing:
    """The error that names them all."""
    are = "package" if len(names) == 1 else f"{len(names)} packages"
    return PackagesMissing(
        f"Spark's Python workers lack the {are} {', '.join(names)}; give them the archive of `weir cluster pack`, or install"
        " requirements/core.txt into the Python of every executor.",
        details={**_DETAILS, "packages": list(names)},
    )


def python_problem(error: BaseException) -> Unavailable | None:
    """What an error of Spark means for the Python of its executors; None for other errors. Only names are taken from it."""
    text = str(error)
    if (refused := refused_python(text)) is not None:
        return Unavailable(refused, details=_DETAILS)
    if "PYTHON_VERSION_MISMATCH" in text or "has different version" in text:
        return Unavailable(
            "Spark's executors run another minor version of Python than Weir; set spark.pyspark.python to the same one.",
            details=_DETAILS,
        )
    if 'Cannot run program "' in text:
        return Unavailable(
            "Spark's executors have no Python where the server looks for it; see spark.pyspark.python, and where an archive is"
            " used, spark.archives and spark.sql.execution.pyspark.python.",
            details=_DETAILS,
        )
    modules = {name.split(".")[0] for name in _MODULE.findall(text)}
    if not modules and ("PyArrow >=" in text or "Pandas >=" in text):
        modules = {"pyarrow" if "PyArrow >=" in text else "pandas"}
    known = worker_packages().modules if modules else {}
    return packages_missing(sorted(known.get(name, name) for name in modules)) if modules else None


def _collected(session: Any, frame: Any, seconds: float) -> list[ExecutorReport]:
    """The rows of the task, asked on a thread that is left behind where Spark does not answer."""
    rows: list[ExecutorReport] = []
    failures: list[BaseException] = []
    watches: list[TaskWatch] = []
    ended = threading.Event()
    tag = f"weir-look-{time.monotonic_ns()}"

    def run() -> None:
        session.addTag(tag)  # tags are of a thread
        watch = TaskWatch()
        watches.append(watch)
        session.registerProgressHandler(watch)
        try:
            rows.extend(_report(row["report"]) for row in frame.toArrow().to_pylist())
        except Exception as error:  # passed on below, where it is put into words
            failures.append(error)
        finally:
            session.removeProgressHandler(watch)
            session.removeTag(tag)
            ended.set()

    threading.Thread(target=run, name=tag, daemon=True).start()
    if not ended.wait(seconds):
        threading.Thread(target=_interrupt, args=(session, tag), daemon=True).start()
        if any(watch.began for watch in watches):
            raise Unavailable(
                f"A small task on Spark's executors did not end within {seconds:.0f} seconds; see their load and their logs.",
                details=_DETAILS,
            )
        raise no_executors(seconds)
    if failures:
        raise python_problem(failures[0]) or Unavailable(
            f"Spark did not run a small task ({type(failures[0]).__name__}); see the log of its server.",
            details=_DETAILS,
        )
    return rows


def _interrupt(session: Any, tag: str) -> None:
    try:
        session.interruptTag(tag)
    except Exception:
        return  # the server is gone, and the job with it


def _look(direct: Sequence[str], modules: Mapping[str, str]) -> Any:
    """The task. It travels whole, as the executor may lack what this module imports: standard library only."""

    def look(_: int) -> str:
        import importlib
        import importlib.util
        import json
        import platform
        import socket

        missing = {package for module, package in modules.items() if importlib.util.find_spec(module) is None}
        broken = set()
        for module in direct:
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                top = (error.name or module).split(".")[0]
                missing.add(modules.get(top, top))
            except Exception:
                broken.add(modules.get(module, module))
        report = {"host": socket.gethostname(), "python": platform.python_version()}
        return json.dumps(report | {"missing": sorted(missing), "broken": sorted(broken - missing)})

    return look


def _is_local(master: str) -> bool:
    return master.startswith("local") and not master.startswith("local-cluster")
