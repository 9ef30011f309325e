"""The archive of Python packages for the executors of a Spark cluster, for `weir cluster pack`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scanners.adapters.spark.executor_archive import Packed


def pack(file: Path, fast: bool) -> Packed:
    """Write it. `fast`: with the packages that only make a scan faster. Raises InvalidInput."""
    from scanners.adapters.spark import executor_archive

    return executor_archive.pack(file, fast)
