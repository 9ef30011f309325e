"""The folder of one instance: its data, logs, secrets, remembered ports and running processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets as random
import shutil
import stat
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError


def default_home() -> Path:
    """`WEIR_HOME`, else `.weir` beside the project, so that every working directory finds the same instance."""
    given = os.environ.get("WEIR_HOME")
    return Path(given).expanduser().absolute() if given else Path(__file__).resolve().parent.parent / ".weir"


def owners(path: str, flags: int) -> int:
    """An `opener` for a file that nobody but its owner reads."""
    return os.open(path, flags, 0o600)


def write_atomically(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace `path` by `text` in one step; a reader sees the old or the new text, never a part. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


OWN = ("data", "logs", "run", "scans", "secrets", "tokens")
"""The folders of an instance."""
OWN_FILES = ("weir.db", "weir.db-wal", "weir.db-shm", "weir.db-journal", "ports.json", "admin.token", "weir.yaml")


def make_private(root: Path) -> None:
    """Take from everybody but the owner what older versions, or a wider umask, left open below an instance's folder.

    Only what Weir writes is looked at: the folder may be one that holds other things too. What belongs to somebody else
    is left as it is; links are not followed.
    """
    for path in own_paths(root):
        _close(path)


def own_paths(root: Path) -> Iterator[Path]:
    """The instance's folder and what Weir writes below it, as far as it is there."""
    if not root.is_dir():
        return
    yield root
    yield from (root / name for name in OWN_FILES if (root / name).exists())
    for name in OWN:
        for folder, folders, files in os.walk(root / name):
            yield Path(folder)
            yield from (Path(folder) / each for each in (*folders, *files))


def _close(path: Path) -> None:
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & 0o077:
            path.chmod(stat.S_IMODE(mode) & ~0o077)


@dataclass(frozen=True)
class Home:
    """Paths below the instance's folder. Nothing is written outside of it but the shared download cache."""

    root: Path

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def state_file(self) -> Path:
        return self.run / "stack.json"

    @property
    def ports_file(self) -> Path:
        return self.root / "ports.json"

    @property
    def secured_file(self) -> Path:
        """There while the servers that run ask for passwords."""
        return self.run / "secured"

    def data(self, name: str) -> Path:
        """The data folder of one server."""
        return self.root / "data" / name

    def config(self, name: str) -> Path:
        """The folder of one server's generated configuration, made if missing."""
        path = self.run / "config" / name
        for folder in (self.run, path.parent, path):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def create(self) -> None:
        """Make the folders, readable by their owner alone. Raises StackError where that cannot be done."""
        try:
            for path in (self.root, self.run, self.logs, self.root / "data", self.root / "secrets"):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            # A name of its own: another start of the same instance may try the folder at the same time.
            with tempfile.NamedTemporaryFile(dir=self.run, prefix="probe.") as probe:
                probe.write(b"\n")
                probe.flush()
                os.fsync(probe.fileno())
        except OSError as error:
            raise StackError(
                f"The folder {self.root} cannot be written ({error.strerror or error}); free some disk space, correct its"
                " permissions, or name another folder in WEIR_HOME."
            ) from error

    def secret(self, name: str) -> str:
        """The instance's random secret of that name, made at first use. File mode 600. 192 bits, letters and digits."""
        path = self.root / "secrets" / name
        try:
            return path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{name}.{random.token_hex(4)}")
        write_atomically(draft, random.token_hex(24) + "\n", mode=0o600)
        try:
            # Unlike a rename this fails where another process was first, and then its secret counts.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return path.read_text(encoding="utf-8").strip()

    def forget_secrets(self, keep: Collection[str]) -> None:
        """Delete the secrets whose names are not in `keep`."""
        folder = self.root / "secrets"
        for path in folder.iterdir() if folder.exists() else ():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name not in keep:
                path.unlink(missing_ok=True)

    @contextmanager
    def locked(self, patience: float = 0.0) -> Iterator[None]:
        """Hold the instance while it is started, healed or stopped. Raises StackError when another process does, and still
        does after `patience` seconds."""
        until = time.monotonic() + patience
        with (self.run / "lock").open("a+") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() >= until:
                        raise StackError(
                            f"Another start or stop of the instance in {self.root} is under way;"
                            " wait for it to end, or name another folder in WEIR_HOME."
                        ) from error
                    time.sleep(0.1)
            yield
