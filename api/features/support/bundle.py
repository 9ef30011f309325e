"""The bundle: a tar.gz of small text files, each cleaned before it is written."""

from __future__ import annotations

import io
import json
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from api.features.doctor.commands import as_row
from api.features.doctor.examinations import examine_installation
from api.features.support import facts
from api.features.support.removal import Cleaner, last_lines, settings_secrets, settings_shape
from api.wiring.installation import Subject
from catalog.errors import InvalidInput, WeirError

_FACTS: dict[str, Callable[[Subject], Any]] = {
    "doctor.json": lambda subject: [as_row(finding) for finding in examine_installation(subject)],
    "versions.json": facts.versions,
    "counts.json": facts.counts,
    "migrations.json": facts.migrations,
    "processes.json": facts.processes,
    "readiness.json": facts.readiness,
    "metrics.txt": facts.metrics,
}
_VERSIONED = frozenset({"versions.json", "counts.json"})
"""Of these, names and numbers are Weir's own or packages': none of them is a key."""


def write_bundle(subject: Subject, target: Path) -> list[str]:
    """Write the file and give the names in it. Raises InvalidInput for a file that is there, or a folder that is not."""
    if not target.name.endswith(".tar.gz"):
        raise InvalidInput(f"{target} must end in .tar.gz.")
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{target} is there already; give another name.") from None
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}.") from None
    names = []
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in contents(subject):
            body = text.encode()
            entry = tarfile.TarInfo(f"weir-support/{name}")
            entry.size, entry.mode, entry.mtime = len(body), 0o600, int(time.time())
            archive.addfile(entry, io.BytesIO(body))
            names.append(name)
    return names


def contents(subject: Subject) -> Iterator[tuple[str, str]]:
    """(name, text) of each file. What cannot be read has a file with the reason."""
    known = Cleaner(settings_secrets(subject.settings) | facts.own_secrets(subject) | _environment_secrets(subject))
    yield "settings.json", _json(known.value(settings_shape(subject.settings)))
    for name, read in _FACTS.items():
        try:
            facts_read = read(subject)
        except WeirError as error:
            facts_read = {"notRead": known.text(error.message)}
        except Exception as error:  # the text of an unknown error may hold anything
            facts_read = {"notRead": type(error).__name__}
        if name not in _VERSIONED:
            facts_read = known.value(facts_read)
        yield name, facts_read if isinstance(facts_read, str) else _json(facts_read)
    for name, lines in facts.logs(subject):
        yield f"logs/{name}", last_lines(lines, known)


def _environment_secrets(subject: Subject) -> set[str]:
    """Secrets of declared documents that are variables."""
    prefix = subject.settings.secrets.env_prefix
    return {value for name, value in os.environ.items() if name.startswith(prefix) or name == "WEIR_TOKEN"}


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, default=str) + "\n"
