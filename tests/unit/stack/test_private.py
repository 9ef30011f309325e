"""Nobody but the owner reads what an instance keeps, also after an upgrade."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.adapters.sql.database import Database
from stack.home import Home, make_private
from stack.processes.ports import PortBook
from stack.processes.process import spawn, stop


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_what_is_written_is_the_owners(tmp_path: Path, open_umask: None) -> None:
    home = Home(tmp_path / "weir")
    home.create()
    book = PortBook.load(home.ports_file, lambda port: True)
    book.save()
    (home.config("kafka") / "x").parent.mkdir(exist_ok=True)
    Database(f"sqlite:///{home.root / 'weir.db'}").migrate()
    with Database(f"sqlite:///{home.root / 'weir.db'}").begin():
        pass
    wrong = {str(p): oct(mode(p)) for p in (home.root, *home.root.rglob("*")) if mode(p) & 0o077}
    assert wrong == {} and mode(home.root / "weir.db") == 0o600 and mode(home.ports_file) == 0o600


def test_a_server_writes_for_its_owner_alone(tmp_path: Path, open_umask: None) -> None:
    home = Home(tmp_path / "weir")
    home.create()
    code = "import os, pathlib; os.mkdir('d'); pathlib.Path('d/f').write_text('x'); pathlib.Path('done').touch()"
    log = home.logs / "x.log"
    identity = spawn([sys.executable, "-c", code], dict(os.environ), log, home.root, "x")
    while identity.alive():
        pass
    stop([identity], 5)
    assert (home.root / "done").exists(), log.read_text()
    assert (mode(home.root / "d"), mode(home.root / "d" / "f"), mode(log)) == (0o700, 0o600, 0o600)


def test_what_an_older_version_left_open_is_closed(tmp_path: Path, open_umask: None) -> None:
    root, outside = tmp_path / "weir", tmp_path / "outside"
    outside.write_text("not ours")
    (root / "data" / "kafka" / "orders-0").mkdir(parents=True)
    (root / "run").mkdir()
    (root / "notes").mkdir()
    for name in ("weir.db", "weir.db-wal", "ports.json", "run/stack.json", "data/kafka/orders-0/0.log", "notes/mine"):
        (root / name).write_text("x")
    program = root / "run" / "program"
    program.write_text("")
    program.chmod(0o755)
    (root / "data" / "link").symlink_to(outside)
    make_private(root)
    for name in ("weir.db", "weir.db-wal", "ports.json", "run/stack.json", "data/kafka/orders-0/0.log"):
        assert mode(root / name) == 0o600, name
    for name in ("", "data", "data/kafka", "data/kafka/orders-0", "run"):
        assert mode(root / name) == 0o700, name
    assert mode(program) == 0o700
    assert mode(outside) == 0o666 and mode(root / "notes" / "mine") == 0o666, "only what Weir writes is touched"
    make_private(tmp_path / "nowhere")
