"""docs/how-to/backup.md: its commands run as they are written, and print what the page describes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from api.config.home import Home
from catalog.record_keys import KEYS
from tests.api_world import world

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "backup.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)


def run(script: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A script of the page in a folder, with `weir` as the command line of this checkout."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("WEIR_")}
    environment |= {"WEIR_HOME": str(folder / "weir"), "PYTHONPATH": str(ROOT), "COLUMNS": "200", **more}
    return subprocess.run(
        ["bash", "-euc", f'weir() {{ "{sys.executable}" -m api "$@"; }}\n{script}'],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_commands_of_the_page(tmp_path: Path) -> None:
    with world(tmp_path / "weir"):
        Home(tmp_path / "weir").secret("masks")
    (tmp_path / "passphrase").write_text("correct horse battery staple\n")
    done = run(BLOCKS[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "weir.backup is whole: " in done.stdout
    assert "every count and sum is that of the backup" in done.stdout
    assert "The audit holds: " in done.stdout
    assert "is not encrypted" not in done.stderr
    assert (tmp_path / "restored" / "admin.token").read_text() == (tmp_path / "weir" / "admin.token").read_text()
    assert run("weir server keys --accept masks", tmp_path).returncode == 0
    further = run(BLOCKS[1], tmp_path)
    assert further.returncode == 0, further.stderr
    assert all(name in further.stdout for name in KEYS)


def test_what_create_prints_for_programs_and_for_people(tmp_path: Path) -> None:
    with world(tmp_path / "weir"):
        Home(tmp_path / "weir").secret("masks")
    done = run("weir backup create plain.backup -o json", tmp_path)
    body = json.loads(done.stdout)
    assert body.keys() == {"file", "bytes", "encrypted", "program", "schema", "createdAt", "store", "leftOut", "parts"}
    assert body["encrypted"] is False
    assert "is not encrypted and holds the keys" in done.stderr
    for rebuilt in ("weir server rebuild search", "weir server rebuild lineage"):
        assert any(rebuilt in each for each in body["leftOut"])


def test_bad_input_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    with world(tmp_path / "weir"):
        Home(tmp_path / "weir").secret("masks")
    created = run("weir backup create sealed.backup", tmp_path, WEIR_BACKUP_PASSPHRASE="correct horse")
    assert created.returncode == 0, created.stderr
    whole = (tmp_path / "sealed.backup").read_bytes()
    (tmp_path / "half.backup").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty").touch()
    for script, passphrase, sentence in (
        ("weir backup verify sealed.backup", "", "WEIR_BACKUP_PASSPHRASE is empty"),
        ("weir backup verify sealed.backup --passphrase-file empty", "x", "empty is empty"),
        ("weir backup verify sealed.backup --passphrase-file none", "x", "The passphrase in none cannot be read"),
        ("weir backup verify sealed.backup", "another", "The passphrase is not the one of sealed.backup"),
        ("weir backup verify half.backup", "correct horse", "half.backup ends early"),
        ("weir backup restore sealed.backup", "correct horse", "has rows already"),
    ):
        done = run(script, tmp_path, WEIR_BACKUP_PASSPHRASE=passphrase)
        assert done.returncode == 1, script
        assert sentence in done.stderr.replace("\n", " "), done.stderr
        assert "Traceback" not in done.stderr
