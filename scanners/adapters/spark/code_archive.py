"""Our code on its way to Spark's Python workers."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import tempfile
import threading
import zipfile
from functools import lru_cache
from pathlib import Path

_WHEN = (2026, 1, 1, 0, 0, 0)
_UNCHECKED = (1).to_bytes(4, "little")
"""Flags of PEP 552: found by a hash of the source, which is not to be checked."""


def code_archive() -> Path:
    """A zip of the packages `catalog` and `scanners`, as the workers import them; its name contains a hash of its content.

    It is there while this process is, and made again when somebody cleaned it away.
    """
    name, body = _code()
    target = Path(_folder().name) / name
    if not target.exists():
        target.parent.mkdir(mode=0o700, exist_ok=True)
        fresh = target.with_suffix(f".{threading.get_ident()}")
        fresh.write_bytes(body)
        fresh.replace(target)
    return target


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="weir-")


@lru_cache(maxsize=1)
def _code() -> tuple[str, bytes]:
    root = Path(__file__).resolve().parents[3]
    body, digest = io.BytesIO(), hashlib.sha256()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in ("catalog", "scanners"):
            for path in sorted((root / package).rglob("*.py")):
                name, source = str(path.relative_to(root)), path.read_bytes()
                digest.update(f"{name} {len(source)}\n".encode() + source)
                archive.writestr(zipfile.ZipInfo(name, _WHEN), source)
                if bytecode := _bytecode(path, source):
                    archive.writestr(zipfile.ZipInfo(f"{name}c", _WHEN), bytecode)
    return f"weir_scanners_{digest.hexdigest()[:12]}.zip", body.getvalue()


def _bytecode(path: Path, source: bytes) -> bytes | None:
    """The bytecode that Python wrote when this process imported a module; from a zip every worker would compile it again.

    Another version of Python passes it over and takes the source beside it.
    """
    try:
        bytecode = Path(importlib.util.cache_from_source(str(path))).read_bytes()
        facts = path.stat()
    except (OSError, NotImplementedError):
        return None
    fresh = int(facts.st_mtime).to_bytes(4, "little") + len(source).to_bytes(4, "little")
    if bytecode[:4] != importlib.util.MAGIC_NUMBER or bytecode[4:16] != bytes(4) + fresh:
        return None
    return bytecode[:4] + _UNCHECKED + importlib.util.source_hash(source) + bytecode[16:]
