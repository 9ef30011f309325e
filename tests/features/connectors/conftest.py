from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connector_world import CLUSTER, PEOPLE, SECRET, World


@pytest.fixture
def weir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("WEIR_SECRET_DB", SECRET)
    weir = World(tmp_path)
    weir.apply(CLUSTER)
    weir.apply(PEOPLE)
    yield weir
    weir.services.close()
