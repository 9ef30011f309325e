"""The folders that hold the state of views: ROOT/VIEW/GENERATION, on a disk or in another file system by its URL."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from catalog.errors import Unavailable


def delete_checkpoint(checkpoint: str) -> None:
    """Delete a checkpoint, and the folder of its view where nothing else is in it. Raises Unavailable."""
    path = local_path(checkpoint)
    if path is None:
        _delete_remote(checkpoint)
        return
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        raise Unavailable(f"The state in {path} cannot be deleted.", details={"server": "disk"})
    _delete_empty(path.parent)


def delete_empty_folders(root: str) -> int:
    """Delete the empty folders of views that are gone; how many. A root in another file system is left as it is, since most of
    these have no folders without files."""
    path = local_path(root)
    if path is None or not path.is_dir():
        return 0
    return sum(_delete_empty(each) for each in path.iterdir() if each.is_dir() and not each.is_symlink())


def local_path(place: str) -> Path | None:
    """The folder of this machine that a checkpoint is; None where it is on another store, as with s3a://."""
    parts = urlsplit(place)
    return Path(parts.path) if parts.scheme in ("", "file") else None


def _delete_empty(folder: Path) -> bool:
    with contextlib.suppress(OSError):  # it holds something, or is gone
        folder.rmdir()
        return True
    return False


def _delete_remote(checkpoint: str) -> None:
    from pyarrow.fs import FileSelector, FileSystem

    try:
        system, path = FileSystem.from_uri(checkpoint)
        system.delete_dir(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unavailable(f"The state in {checkpoint} cannot be deleted.", details={"server": "disk"}) from error
    around: Any = path.rstrip("/").rpartition("/")[0]
    with contextlib.suppress(OSError):
        if around and not system.get_file_info(FileSelector(around)):
            system.delete_dir(around)
