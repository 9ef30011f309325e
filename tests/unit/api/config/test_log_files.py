"""A process's own log is kept by size and count, and nothing written is lost between two files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
WRITER = """
import sys, time
from pathlib import Path
from api.config.log_files import keep_small
assert keep_small(Path(sys.argv[1]), largest=2000, kept=4, every=0.01)
for n in range(200):
    print(f"line {n:04d} " + "x" * 40, file=sys.stderr, flush=True)
    time.sleep(0.002)
"""


def test_a_log_is_turned_over_by_size_and_the_newest_lines_are_all_there(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    with log.open("ab") as file:
        subprocess.run(
            [sys.executable, "-c", WRITER, str(log)], stdout=file, stderr=file, cwd=ROOT, check=True, timeout=60
        )
    files = [tmp_path / name for name in ("api.log.3", "api.log.2", "api.log.1", "api.log")]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    numbers = [int(line.split()[1]) for file in files for line in file.read_text().splitlines()]
    assert numbers == list(range(numbers[0], 200)) and numbers[0] > 0


def test_a_process_started_by_hand_keeps_its_output(tmp_path: Path) -> None:
    from api.config.log_files import keep_small

    (tmp_path / "api.log").write_text("of another process")
    assert not keep_small(tmp_path / "api.log")
    assert not keep_small(tmp_path / "absent.log")
