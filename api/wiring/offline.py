"""What the command line does without a running Weir."""

from __future__ import annotations

from pathlib import Path

from catalog.errors import InvalidInput
from policies.audit.file_check import FileVerification, verify


def check_audit_file(file: Path, key: Path | None) -> FileVerification:
    """Check an exported audit with the signature in FILE.sig beside it, else in its last line.

    `key`: a file with the public key that must have signed it. Raises InvalidInput for a file that cannot be read.
    """
    from policies.adapters.signing import verified

    beside = file.with_name(f"{file.name}.sig")
    reading = file
    try:
        reading = key or file
        keys = [key.read_text().strip()] if key is not None else []
        reading = beside
        detached = beside.read_bytes() if beside.exists() else None
        reading = file
        with file.open("rb") as lines:
            return verify(lines, verified, keys, detached)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InvalidInput(f"{reading} cannot be read: {why}.") from None
