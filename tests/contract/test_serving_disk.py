"""What serving tables in a database do: files, what is left in them, drops, disks and servers that fail."""

from __future__ import annotations

import random
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from catalog.errors import SettingsError, Unavailable
from tests.serving_tables import ALL, TABLES, keys, row, serving_table
from views.adapters import serving_sql
from views.adapters.serving_sql import SqlServingTable
from views.row_ports import ServingTable


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    with serving_table(request.param, request) as kept:
        yield kept


def test_the_files_are_the_owners_alone(tmp_path: Path) -> None:
    table = SqlServingTable(f"sqlite:///{tmp_path}/deep/views.db")
    table.prepare("v", "g")
    table.write("v", "g", [row("a")], [], {0: 1})
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "deep").iterdir()}
    assert modes == {"views.db": 0o600, "views.db-wal": 0o600, "views.db-shm": 0o600}
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    table.close()


@pytest.mark.parametrize("size", [40, 900, 9000])
def test_no_byte_of_a_dropped_generation_is_left(tmp_path: Path, size: int) -> None:
    """Many rows in random order, changed and taken away meanwhile, so that pages are split and joined."""
    planted = "Planted-Name-4711"
    table = SqlServingTable(f"sqlite:///{tmp_path}/views.db")
    for generation in ("old", "new"):
        table.prepare("v", generation)
    rng, left = random.Random(size), 6_000_000 // (size + 200)
    for n in range(0, left, 500):
        batch = [row(f"{planted}-{rng.randrange(10**6)}", name=planted + "x" * rng.randrange(size)) for _ in range(500)]
        table.write("v", "old", batch, [each.key for each in batch[:100]], {0: n})
        table.write("v", "new", [row(rng.randrange(10**6), name="clear" * rng.randrange(20))], [], {0: n})
    assert planted.encode() in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    kept = table.read("v", "new", ALL, 10_000)
    count = table.count("v", "old")
    assert table.drop("v", "old") == count > 0
    assert {each.name for each in tmp_path.iterdir() if planted.encode() in each.read_bytes()} == set()
    assert table.read("v", "new", ALL, 10_000) == kept
    table.close()


def test_a_drop_that_was_interrupted_is_ended_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    table = SqlServingTable(url)
    table.prepare("v", "g")
    table.write("v", "g", [row(n) for n in range(50)], [], {0: 1})
    monkeypatch.setattr(serving_sql, "_CHUNK", 10)
    monkeypatch.setattr(table, "_delete_some", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        table.drop("v", "g")
    table.close()
    again = SqlServingTable(url)
    assert again.generations("v") == ["g"], "somebody must know that it is to be dropped"
    assert again.read("v", "g", ALL, 5) == [] and again.count("v", "g") == 0
    again.prepare("v", "g")
    assert again.count("v", "g") == 0 and again.write("v", "g", [row("a")], [], {0: 1}) == (1, 0)
    again.close()


def test_a_reader_elsewhere_finds_nothing_after_a_drop(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    one, other = SqlServingTable(url), SqlServingTable(url)
    one.prepare("v", "g")
    one.write("v", "g", [row("a")], [], {0: 1})
    assert len(other.read("v", "g", ALL, 5)) == 1
    one.drop("v", "g")
    assert other.read("v", "g", ALL, 5) == []
    one.prepare("v", "g")
    one.write("v", "g", [row("b")], [], {0: 1})
    assert keys(other.read("v", "g", ALL, 5)) == [["b"]]
    one.close()
    other.close()


def test_a_full_disk_is_unavailable_and_nothing_is_half(tmp_path: Path) -> None:
    table = SqlServingTable(f"sqlite:///{tmp_path}/views.db")
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1)], [], {0: 1})
    event.listen(table._database.engine, "checkout", lambda raw, *_: raw.execute("PRAGMA max_page_count = 20"))
    with pytest.raises(Unavailable) as caught:
        table.write("v", "g", [row(n, text="secret" * 2000) for n in range(100)], [], {0: 2})
    assert caught.value.details == {"server": "views"} and "full" in caught.value.message
    assert "secret" not in caught.value.message and "Traceback" not in caught.value.message
    assert keys(table.read("v", "g", ALL, 5)) == [["a"]] and table.contained("v", "g").positions == {0: 1}
    table.close()


@pytest.mark.parametrize("url", ["sqlite:////proc/none/views.db", "postgresql://weir:geheim@127.0.0.1:1/views"])
def test_a_database_that_is_away_is_one_sentence(url: str) -> None:
    table = SqlServingTable(url)
    with pytest.raises(Unavailable) as caught:
        table.count("v", "g")
    assert caught.value.details == {"server": "views"} and "geheim" not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://x/y", "sqlite://", "oracle://x"])
def test_another_kind_of_url_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="WEIR_VIEWS__SERVING_URL"):
        SqlServingTable(url)
