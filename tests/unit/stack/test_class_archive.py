"""An archive of a JVM's classes: made once from a list that a killed server may have left unfinished, used afterwards."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from stack import java
from stack.class_archive import ClassArchive
from stack.progress import Silent


@pytest.fixture
def archive(tmp_path: Path) -> ClassArchive:
    jar = tmp_path / "one.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    return ClassArchive(java.find("", tmp_path / "java.log", Silent()), str(jar), tmp_path / "classes")


@pytest.mark.timeout(300)
def test_the_first_start_lists_and_the_next_uses_what_was_made(archive: ClassArchive, tmp_path: Path) -> None:
    listed, log = tmp_path / "classes.list", tmp_path / "classes.log"
    first = archive.options(listed)
    assert first == [f"-XX:DumpLoadedClassList={listed}"]
    run = [archive.java.program, *first, "-cp", archive.class_path, "-version"]
    subprocess.run(run, capture_output=True, timeout=120, check=True)
    with listed.open("a") as file:
        file.write("java/lang/no_such_cla")  # as a server leaves it that was killed while it wrote
    assert archive.make(listed, log), log.read_text()
    assert not archive.make(listed, log), "it is there already"
    assert archive.options(listed) == [f"-XX:SharedArchiveFile={archive.path}"]
    # With -Xshare:on Java ends where it cannot use the archive; servers run with -Xshare:auto.
    run = [archive.java.program, "-Xshare:on", *archive.options(None), "-cp", archive.class_path, "-version"]
    assert subprocess.run(run, capture_output=True, timeout=120, check=False).returncode == 0
    assert [each.suffix for each in archive.folder.iterdir()] == [".jsa"], "nothing half made is left"


def test_other_jars_have_another_archive(archive: ClassArchive, tmp_path: Path) -> None:
    before = archive.path
    Path(archive.class_path).write_bytes(b"another one")
    assert archive.path != before
    Path(archive.class_path).unlink()
    assert archive.options(tmp_path / "classes.list") == [], "Java itself reports what it misses"


def test_a_java_that_does_not_run_makes_no_archive(archive: ClassArchive, tmp_path: Path) -> None:
    listed = tmp_path / "classes.list"
    listed.write_text("java/lang/Object\n")
    missing = ClassArchive(java.Java(tmp_path / "nowhere", 17), archive.class_path, archive.folder)
    with pytest.raises(OSError, match=r"Java ended with|nowhere"):
        missing.make(listed, tmp_path / "classes.log")
    assert not list(archive.folder.iterdir())
