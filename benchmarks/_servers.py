"""The servers a benchmark runs on: an instance of its own, or the ones named by WEIR_TEST_STACK."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stack import Instance, StackSettings

NAMED = "WEIR_TEST_STACK"
"""Names a JSON file of addresses, as `python -m stack env -o json` writes it."""


@contextmanager
def servers(only: Sequence[str], **options: Any) -> Iterator[Any]:
    """Addresses (see `stack.spec.Addresses`) of these servers; what was started here is stopped at the end.

    `options`: of `stack.settings.StackSettings`, for servers that are started here.
    """
    named = os.environ.get(NAMED)
    if named:
        yield SimpleNamespace(**json.loads(Path(named).read_text()))
        return
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        free = StackSettings(
            kafka_port=0,
            registry_port=0,
            neo4j_port=0,
            elasticsearch_port=0,
            spark_port=0,
            query_port=0,
            **options,
        )
        instance = Instance(Path(folder) / "home", free)
        try:
            yield instance.up(detach=True, only=only)
        finally:
            instance.down()
