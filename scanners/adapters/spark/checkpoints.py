"""Checkpoints of scans as files. A sketch that is not finished yet may hold names and values of the data, so that it is
encrypted where it is made, in Spark's workers; neither this process nor its files ever hold it unencrypted."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from scanners.model import OffsetRange
from scanners.ports import Checkpoint

_KEPT_SECONDS = 2 * 24 * 3600
"""How long the checkpoint of a scan is kept that nobody continues."""


class FileCheckpoints:
    """`Checkpoints` in a folder, a file a scan and topic. `secret` is this instance's; without it nobody can read them."""

    def __init__(self, folder: Path, secret: str) -> None:
        self._folder = folder
        self.key = hashlib.blake2b(secret.encode(), digest_size=32, person=b"weir-scan").digest()

    def load(self, scan: str, topic: str) -> Checkpoint | None:
        import msgpack

        try:
            content = msgpack.unpackb(self._file(scan, topic).read_bytes())
            done = tuple(OffsetRange(topic, *numbers) for numbers in content["done"])
            return Checkpoint(done, bytes(content["sketch"]))
        except (OSError, ValueError, KeyError, TypeError):
            # None, or one that was written by another version: the topic is read from the beginning.
            return None

    def save(self, scan: str, topic: str, checkpoint: Checkpoint) -> None:
        import msgpack

        file = self._file(scan, topic)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = file.with_suffix(f".{os.getpid()}")
        done = [[r.partition, r.start, r.end] for r in checkpoint.done]
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(msgpack.packb({"done": done, "sketch": checkpoint.sketch}))
        draft.replace(file)

    def drop(self, scan: str, topics: Sequence[str]) -> None:
        for topic in topics:
            self._file(scan, topic).unlink(missing_ok=True)
        self._sweep()

    def _file(self, scan: str, topic: str) -> Path:
        name = hashlib.blake2b(f"{scan}\n{topic}".encode(), digest_size=16).hexdigest()
        return self._folder / f"{name}.checkpoint"

    def _sweep(self) -> None:
        for file in self._folder.glob("*") if self._folder.is_dir() else ():
            try:
                if file.stat().st_mtime < time.time() - _KEPT_SECONDS:
                    file.unlink()
            except OSError:
                continue


def encrypt(key: bytes, body: bytes) -> bytes:
    """AES-256-GCM with a random nonce before it."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, body, None)


def decrypt(key: bytes, body: bytes) -> bytes:
    """The inverse of `encrypt`. Raises ValueError when it was made with another key or changed."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(body[:12], body[12:], None)
    except InvalidTag:
        raise ValueError("the checkpoint was made with another key") from None
