"""Files of backups: written whole or not at all, opened, and taken away after a restore that failed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from catalog.backup.contents import BackupReader
from catalog.backup.frames import FrameReader
from catalog.errors import InvalidInput


@contextmanager
def new_file(file: Path) -> Iterator[BinaryIO]:
    """A file for its owner alone, which gets its name when all was written. Raises InvalidInput."""
    if file.exists():
        raise InvalidInput(f"{file} exists already; name a file that does not.")
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb", buffering=1 << 20) as output:
                yield output
                output.flush()
                os.fsync(output.fileno())
            os.link(draft, file)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError:
        raise InvalidInput(f"{file} exists already; name a file that does not.") from None
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be written ({error.strerror}); free the disk, or name a file in another folder. Nothing is left of it."
        ) from error


@contextmanager
def opened(file: Path, passphrase: str | None) -> Iterator[BackupReader]:
    """Reads a backup. Raises InvalidInput for a file that cannot be used."""
    try:
        with file.open("rb", buffering=1 << 20) as given:
            yield BackupReader(FrameReader(given, str(file), passphrase))
    except OSError as error:
        raise InvalidInput(f"{error.filename or file} cannot be used: {error.strerror}.") from error


@contextmanager
def undone_on_failure(paths: Sequence[Path]) -> Iterator[None]:
    """Removes what was made of these files, and of their folders, for a restore that failed."""
    new = [path for path in paths if not path.exists()]
    folders = [path for path in dict.fromkeys(path.parent for path in new) if not path.exists()]
    try:
        yield
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise
