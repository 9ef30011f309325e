"""`weir cluster pack` where it refuses. tests/integration/test_spark_cluster.py packs, and runs what it packed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.api.cli.test_cli import Weir, home, served, weir  # noqa: F401


@pytest.mark.parametrize(
    ("name", "sentence"), [("there.tar.gz", "is there already"), ("none/x.tar.gz", "No such file or directory")]
)
def test_a_file_that_cannot_be_written_is_one_sentence(
    weir: Weir,  # noqa: F811
    tmp_path: Path,
    name: str,
    sentence: str,
) -> None:
    (tmp_path / "there.tar.gz").write_text("mine")
    ended = weir("cluster", "pack", str(tmp_path / name))
    assert ended.code in (1, 2) and sentence in ended.err and ended.out == ""
    assert ended.err.count("\n") == 1
    assert (tmp_path / "there.tar.gz").read_text() == "mine"
