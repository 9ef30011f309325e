"""A backup's file: what was written comes back, and a change of any byte is refused in one sentence."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.backup.contents import BackupReader, BackupWriter, Head, Manifest, sum_of
from catalog.backup.frames import FrameReader, FrameWriter
from catalog.errors import InvalidInput

HEAD = Head("0.1.0", "0023", "2026-06-01T12:00:00Z", "sqlite", ("search index",))
CELLS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
TABLES = st.dictionaries(
    st.text(min_size=1, max_size=20),
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n))),
    max_size=4,
)
WORDS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def whole(tables: dict[str, list[list[Any]]], passphrase: str | None = None) -> tuple[bytes, Manifest]:
    file = io.BytesIO()
    backup = BackupWriter(FrameWriter(file, passphrase), HEAD)
    for name, rows in tables.items():
        backup.part(name, [f"c{n}" for n in range(len(rows[0]) if rows else 1)], rows, last=len(rows))
    manifest = backup.finish()
    return file.getvalue(), manifest


def read(data: bytes, passphrase: str | None = None) -> tuple[dict[str, list[list[Any]]], Manifest]:
    backup = BackupReader(FrameReader(io.BytesIO(data), "weir.backup", passphrase))
    tables = {part.name: list(part.rows) for part in backup.parts()}
    assert backup.manifest is not None
    return tables, backup.manifest


@settings(max_examples=60, deadline=None)
@given(TABLES, WORDS)
def test_what_was_written_comes_back(tables: dict[str, list[list[Any]]], passphrase: str | None) -> None:
    data, manifest = whole(tables, passphrase)
    assert read(data, passphrase) == (tables, manifest)
    assert manifest.parts == tuple(sum_of(name, rows) for name, rows in tables.items())


PLAIN = whole({"table a": [[n, "text \n with [ and {", None] for n in range(300)], "table b": []})[0]
SEALED = whole({"table a": [[n, "some text", None] for n in range(300)]}, "correct horse")[0]


@pytest.mark.parametrize(("data", "passphrase"), [(PLAIN, None), (SEALED, "correct horse")], ids=["plain", "encrypted"])
def test_a_changed_byte_anywhere_is_noticed(data: bytes, passphrase: str | None) -> None:
    step = 1 if passphrase is None else 47  # a passphrase takes a tenth of a second
    for place in range(0, len(data), step):
        changed = data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :]
        with pytest.raises(InvalidInput) as refused:
            read(changed, passphrase)
        assert_one_sentence(refused.value.message)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_bytes_that_are_cut_added_or_moved_are_noticed(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(PLAIN) - 1))
    end = data.draw(st.integers(start, len(PLAIN)))
    put = data.draw(st.binary(max_size=20))
    changed = PLAIN[:start] + put + PLAIN[end:]
    if changed == PLAIN:
        return
    with pytest.raises(InvalidInput) as refused:
        read(changed)
    assert_one_sentence(refused.value.message)


def test_a_file_that_ends_early_is_named_so() -> None:
    for length in (len(PLAIN) - 1, len(PLAIN) // 2, 30):
        with pytest.raises(InvalidInput, match=r"weir\.backup ends early: it was not written or copied whole"):
            read(PLAIN[:length])


def test_another_file_is_no_backup() -> None:
    for other in (b"", b"SQLite format 3\0", b"WEIR BACKUP 2\n{}\n"):
        with pytest.raises(InvalidInput, match="is not a backup of Weir"):
            read(other)


def test_a_wrong_passphrase_and_a_missing_one_are_told_apart() -> None:
    with pytest.raises(InvalidInput, match=r"The passphrase is not the one of weir\.backup"):
        read(SEALED, "another horse")
    with pytest.raises(InvalidInput, match="is encrypted; name a file with its passphrase in --passphrase-file"):
        read(SEALED)


def test_nothing_of_an_encrypted_file_can_be_read() -> None:
    assert b"some text" not in SEALED
    assert b"correct horse" not in SEALED
    assert whole({}, "correct horse")[0] != whole({}, "correct horse")[0]


def test_frames_of_two_files_do_not_mix() -> None:
    one, other = whole({"table a": [[1]]}, "x")[0], whole({"table a": [[1]]}, "x")[0]
    start = one.index(b"\n", 20) + 1
    with pytest.raises(InvalidInput, match="was changed after it was written"):
        read(one[:start] + other[start:], "x")


def assert_one_sentence(message: str) -> None:
    assert message.endswith(".")
    assert "\n" not in message
    assert message.startswith(("weir.backup ", "The passphrase is not the one of weir.backup"))
