"""Reads the statement files in tests/fixtures/gate."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "fixtures" / "gate"


def statements(name: str) -> list[str]:
    """The statements of a file: each ends with `;` at the end of a line; lines of `--` between them are notes."""
    texts: list[str] = []
    lines: list[str] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not lines and (line.startswith("--") or not line.strip()):
            continue
        lines.append(line)
        if line.rstrip().endswith(";"):
            texts.append("\n".join(lines).rstrip()[:-1])
            lines = []
    assert not lines, f"{name} ends within a statement"
    return texts
