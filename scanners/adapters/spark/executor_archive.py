"""The archive from which Spark's executors take the Python packages of a scan, a query and a view.

    bin/python    starts the executor's own Python with the packages on its path; Spark runs it as the Python of its workers
    lib           the packages, as they are installed where the archive is made

Nothing in it names a folder, so it runs wherever it is unpacked. The interpreter is not in it: executors have one of the same
minor version, libc and processor, and `bin/python` refuses another. Our own code is not in it either: each session sends its own.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from catalog.errors import InvalidInput, Unavailable
from scanners.adapters.spark.worker_packages import worker_packages

NAME = "environment"
"""What the archive is unpacked as."""
PYTHON = f"./{NAME}/bin/python"
"""Its Python, seen from the folder of a session that the archive was sent to."""
_MARK = "weir-archive"
_LEFT_OUT = (".pyi", ".pxd", ".h", ".hpp", ".a", ".c", ".cpp", ".pyx")
"""Files that only compilers and editors read."""
_REFUSED = re.compile(rf"{_MARK}: needs (\S+), has (\S+)")
_LAUNCHER = """\
#!/bin/sh
# Starts the Python of this machine with the packages beside this file.
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 90
needs='{needs}'
has=none
for python in ${{WEIR_EXECUTOR_PYTHON:-python{version} /usr/bin/python{version} /usr/local/bin/python{version} python3}}; do
  kind=$("$python" -I -S -c 'import importlib.machinery as m; print(m.EXTENSION_SUFFIXES[0])' 2>/dev/null) || continue
  if [ "$kind" = "$needs" ]; then
    PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}$here/lib"
    PYTHONNOUSERSITE=1
    export PYTHONPATH PYTHONNOUSERSITE
    exec "$python" "$@"
  fi
  has=$kind
done
echo "{mark}: needs $needs, has $has" >&2
exit 91
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """`python`: what executors must have, as `cpython-311-x86_64-linux-gnu`; `size`: bytes of the file."""

    file: Path
    python: str
    packages: tuple[str, ...]
    size: int


def pack(file: Path, fast: bool = False) -> Packed:
    """Write the archive, and import from it what a scan imports. `fast`: with the packages of the extra `fast`.

    Raises InvalidInput where the file is there, cannot be written, or a package cannot be imported from it.
    """
    packages = _packages(fast)
    if file.exists():
        raise InvalidInput(f"{file} is there already; name another file.")
    part = file.with_name(f".{file.name}.part")
    try:
        with tarfile.open(part, "w:gz", compresslevel=4) as archive:
            write(archive, packages)
        _imported(part)
        part.replace(file)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror or type(error).__name__}.") from error
    finally:
        part.unlink(missing_ok=True)
    named = tuple(f"{each.metadata['Name']} {each.version}" for each in packages)
    return Packed(file, _kind(EXTENSION_SUFFIXES[0]), named, file.stat().st_size)


def send(session: Any, file: Path) -> None:
    """Give a session the archive, and its Python to the workers of the session. Raises Unavailable."""
    if not file.is_file():
        raise Unavailable(
            f"The archive of Python packages {file} is not there; write it by `weir cluster pack`.",
            details={"server": "spark"},
        )
    session.addArtifacts(f"{file}#{NAME}", archive=True)
    session.conf.set("spark.sql.execution.pyspark.python", PYTHON)


def refused_python(text: str) -> str | None:
    """The sentence for an error of Spark in which an executor's Python was refused by the archive; None for other errors."""
    refused = _REFUSED.search(text)
    if refused is None:
        return None
    needs, has = _kind(refused[1]), _kind(refused[2])
    if has == "none":
        return (
            f"Spark's executors have no Python for the archive, which needs {needs}; install that one, or name it in"
            " spark.executorEnv.WEIR_EXECUTOR_PYTHON."
        )
    if has.split("-")[:2] == needs.split("-")[:2]:
        return (
            f"The archive of Python packages is for another platform ({needs}) than Spark's executors ({has}); run"
            " `weir cluster pack` on a machine like them."
        )
    return (
        f"Spark's executors run another minor version of Python ({has}) than the archive of packages ({needs}); install that"
        " one beside it, or name it in spark.executorEnv.WEIR_EXECUTOR_PYTHON."
    )


def _kind(suffix: str) -> str:
    return suffix.removeprefix(".").removesuffix(".so")


def _packages(fast: bool) -> list[Distribution]:
    return [distribution(name) for name in worker_packages(fast).packages]


def write(archive: tarfile.TarFile, packages: Iterable[Distribution]) -> None:
    """Put `bin/python` and the packages into it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    launcher = _LAUNCHER.format(needs=EXTENSION_SUFFIXES[0], version=version, mark=_MARK).encode()
    entry = tarfile.TarInfo("bin/python")
    entry.mode, entry.size = 0o755, len(launcher)
    archive.addfile(entry, io.BytesIO(launcher))
    for package in packages:
        for name, path in _files(package):
            archive.add(path, f"lib/{name}", recursive=False, filter=_plain)


def _files(package: Distribution) -> Iterator[tuple[str, Path]]:
    for each in package.files or ():
        path = Path(str(each.locate()))
        if ".." not in each.parts and each.suffix not in _LEFT_OUT and path.is_file():
            yield str(each), path


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """No names of people; the time of a file stays, by which Python knows that its bytecode is current."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _imported(part: Path) -> None:
    """Raises InvalidInput naming what cannot be imported from the archive alone."""
    program = (
        "import importlib, json, sys\n"
        "failed = []\n"
        "for name in json.loads(sys.argv[1]):\n"
        "    try: importlib.import_module(name)\n"
        "    except Exception: failed.append(name)\n"
        "print(json.dumps(failed))"
    )
    with tempfile.TemporaryDirectory(prefix="weir-pack-") as folder:
        with tarfile.open(part) as archive:
            archive.extractall(folder, filter="fully_trusted")  # noqa: S202  written by this process
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "WEIR_EXECUTOR_PYTHON": _base_python()}
        words = [f"{folder}/bin/python", "-S", "-c", program, json.dumps(worker_packages().direct)]
        done = subprocess.run(
            words, env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
    failed = json.loads(done.stdout) if done.returncode == 0 else ["bin/python"]
    if failed:
        raise InvalidInput(
            f"{', '.join(failed)} cannot be imported from the archive; install Weir's packages again by pip."
        )


def _base_python() -> str:
    """The interpreter below this environment, which has none of its packages."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix) / "bin" / f"python{version}"
    return str(base if base.exists() else sys.executable)
