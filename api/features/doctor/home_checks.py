"""The folders of the installation: whose they are, who can read them, and how much room is left."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from api.features.doctor.findings import Finding, fault, ok, warning
from api.wiring.installation import Subject, local_folder

_GIB = 1024**3
_ELSEWHERE = "Name a folder that can be written in WEIR_HOME."
_FULL_BYTES, _LOW_BYTES = _GIB // 4, 2 * _GIB


def look_at_home(subject: Subject) -> Iterator[Finding]:
    """WEIR_HOME: that it can be written, and that it is this user's."""
    root = subject.home.root
    if not root.exists():
        yield _to_be_made(root)
        return
    if not root.is_dir():
        yield fault("home", f"{root} is a file; Weir needs a folder.", _ELSEWHERE)
        return
    others = sum(1 for path in subject.paths() if _owner(path) not in (os.geteuid(), None))
    if _owner(root) != os.geteuid():
        yield fault(
            "home",
            f"The folder {root} belongs to another user (number {_owner(root)}); this process runs as number {os.geteuid()}.",
            f"Run Weir as that user, or give it the folder: chown -R {os.geteuid()} {root}.",
        )
    elif others:
        yield fault("home", f"{others} files below {root} belong to other users.", f"chown -R {os.geteuid()} {root}")
    elif os.statvfs(root).f_flag & os.ST_RDONLY:
        yield fault("home", f"The file system of {root} is read-only.", f"Mount it for writing. {_ELSEWHERE}")
    elif not os.access(root, os.W_OK | os.X_OK):
        yield fault("home", f"The folder {root} cannot be written.", f"chmod u+rwx {root}")
    else:
        yield ok("home", f"The folder {root} is this user's and can be written.")


def _to_be_made(root: Path) -> Finding:
    """A WEIR_HOME that is not there: whether the first start can make it."""
    parent = next(path for path in root.parents if path.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return warning("home", f"The folder {root} is not there yet; the first start makes it.", "Run weir up.")
    return fault("home", f"The folder {root} is not there, and cannot be made in {parent}.", _ELSEWHERE)


def look_at_secrets(subject: Subject) -> Iterator[Finding]:
    """Modes of files that hold secrets."""
    settings = subject.settings
    keys = (settings.api.tls_key, settings.kafka.tls_key)
    folder = settings.secrets.folder.expanduser()
    declared = list(folder.rglob("*")) if folder.is_dir() else []
    paths = [*subject.paths(), *declared, *(key for key in keys if key is not None)]
    config = os.environ.get("WEIR_CONFIG")
    opened = list(_open_to_others([*paths, *([Path(config)] if config else [])]))
    if opened:
        named = ", ".join(str(path) for path in opened[:3]) + (
            f" and {len(opened) - 3} more" if len(opened) > 3 else ""
        )
        yield fault("secrets", f"Other users of this machine can read {named}.", "chmod go-rwx each of them.")
    else:
        yield ok("secrets", "Files with secrets can be read by their owner alone.")


def look_at_disk(subject: Subject) -> Iterator[Finding]:
    """Free room of WEIR_HOME, and of the checkpoints of views where they are elsewhere."""
    yield _room("disk", subject.home.root)
    checkpoints = subject.settings.views.checkpoints
    if not checkpoints:
        return
    folder = local_folder(checkpoints)
    if folder is None:
        yield ok("disk checkpoints", "Checkpoints of views are on a store that is not a folder of this machine.")
    else:
        yield _room("disk checkpoints", folder)


def _room(name: str, folder: Path) -> Finding:
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    usage = shutil.disk_usage(there)
    message = f"{usage.free / _GIB:.1f} of {usage.total / _GIB:.0f} GiB are free for {folder}."
    if usage.free < _FULL_BYTES:
        return fault(name, message, "Free some of the disk, or name a folder on another one.")
    if usage.free < _LOW_BYTES:
        return warning(name, message, "Free some of the disk before it is full.")
    return ok(name, message)


def _open_to_others(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            mode = path.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) and mode & 0o077:
            yield path


def _owner(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except OSError:
        return None
