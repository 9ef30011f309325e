"""The servers' programs: fetched once from Maven Central into a cache that all instances share.

Each component of versions.py becomes one folder of hard links. The folder appears by a rename when all its files are
there, so its existence is the mark that it is complete: a warm start looks at folders and resolves nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tarfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from stack.errors import StackError
from stack.installed import coursier
from stack.installed.java import Java
from stack.installed.versions import COMPONENTS, Component
from stack.progress import Progress, Silent


def cache_folder() -> Path:
    """`WEIR_CACHE`, else `weir` below XDG_CACHE_HOME, else `~/.cache/weir`."""
    given = os.environ.get("WEIR_CACHE")
    if given:
        return Path(given).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weir"


def folder(name: str) -> Path:
    """Where the component's files are, or will be."""
    return cache_folder() / "components" / COMPONENTS[name].folder


def missing(names: Iterable[str]) -> list[str]:
    """Those of the named components that are not complete in the cache."""
    return [name for name in dict.fromkeys(names) if not folder(name).is_dir()]


def jars(*names: str) -> list[Path]:
    """The jars of the named components, sorted by name. Raises StackError when one was not fetched yet."""
    absent = missing(names)
    if absent:
        raise StackError(f"The component {absent[0]} is not in the cache {cache_folder()}; run `weir up` once.")
    return sorted(jar for name in dict.fromkeys(names) for jar in folder(name).rglob("*.jar"))


def class_path(*names: str) -> str:
    """The jars as a Java class path; its order is the same on every machine."""
    return os.pathsep.join(str(jar) for jar in jars(*names))


def ensure(names: Iterable[str], java: Java, log: Path, progress: Progress | None = None) -> None:
    """Fetch what is missing of the named components, in parallel; does nothing when all are there.

    The resolver's words on a failure go to `log`. Raises StackError for no network, no disk, no such version.
    """
    progress = progress or Silent()
    wanted = list(dict.fromkeys(names))
    if not missing(wanted):
        return
    cache = cache_folder()
    try:
        (cache / "components").mkdir(parents=True, exist_ok=True)
        with _locked(cache / "lock", progress):
            absent = missing(wanted)
            if absent:
                _fetch(absent, java, cache, log, progress)
    except OSError as error:
        raise StackError(
            f"The download cache {cache} cannot be written ({error.strerror or error}); free some disk space, correct its"
            " permissions, or name another folder in WEIR_CACHE."
        ) from error


@contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.note("waiting for another download into the same cache")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(names: list[str], java: Java, cache: Path, log: Path, progress: Progress) -> None:
    done = 0
    before = _megabytes(cache / "maven")
    finished = threading.Event()

    def report() -> None:
        while not finished.wait(1):
            progress.downloading(done, len(names), max(0.0, _megabytes(cache / "maven") - before))

    reporter = threading.Thread(target=report, daemon=True)
    progress.downloading(0, len(names), 0)
    reporter.start()
    try:
        with coursier.running(java, cache) as fetcher, ThreadPoolExecutor(len(names)) as pool:
            # A component may leave out the files of another one, so resolve all before any is put together.
            needed = {name: COMPONENTS[name] for name in names}
            for component in list(needed.values()):
                if component.without in COMPONENTS:
                    needed.setdefault(component.without, COMPONENTS[component.without])
            files = {name: pool.submit(fetcher.fetch, component) for name, component in needed.items()}
            for name in names:
                component = COMPONENTS[name]
                others = files[component.without].result() if component.without in files else []
                _assemble(component, files[name].result(), others, cache / "components")
                done += 1
    except coursier.CoursierError as error:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(str(error), encoding="utf-8")
        raise StackError(
            f"The server programs could not be downloaded: {_reason(str(error))} (details in {log})."
        ) from error
    finally:
        finished.set()
        reporter.join()
    progress.downloading(len(names), len(names), _megabytes(cache / "maven") - before)


REACH = "connect to it, name your own mirror in COURSIER_REPOSITORIES, or a filled cache in WEIR_CACHE"
REASONS = (
    (r"No space left", "the disk is full; free about 1 GB, or name another folder in WEIR_CACHE"),
    (r"UnknownHost|unresolved|Name or service|nodename nor", f"the network's name service does not answer; {REACH}"),
    (r"PKIX|certificat", "a certificate was not trusted; name your company's bundle in SSL_CERT_FILE"),
    (r"Connect(ion)? ?(refused|timed out|Exception)|timed? ?out|unreachable", f"no answer from the network; {REACH}"),
    (r"not found:", f"a version is not there; if you use a mirror, it lacks files ({REACH})"),
)


def _reason(text: str) -> str:
    """The cause and the fix, from the resolver's output."""
    reasons = (reason for pattern, reason in REASONS if re.search(pattern, text, re.IGNORECASE))
    return next(reasons, f"the download failed; {REACH}")


def _artifact(path: Path) -> str:
    """The artifact's name without its version: a Maven file is called artifact-version[-classifier].jar."""
    return re.split(r"-(?=\d)", path.name, maxsplit=1)[0]


def _assemble(component: Component, files: list[Path], others: list[Path], components: Path) -> None:
    target = components / component.folder
    partial = components / f".{component.folder}.{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        if component.archive:
            for file in files:
                with tarfile.open(file) as packed:
                    packed.extractall(partial, filter="data")
        else:
            if component.without == "pyspark":
                others = list(coursier.pyspark_jars().glob("*.jar"))
            there = {_artifact(path) for path in others}
            for file in files:
                if _artifact(file) not in there:
                    _link(file, partial / file.name)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _megabytes(root: Path) -> float:
    total = 0
    for path in root.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total / 1e6
