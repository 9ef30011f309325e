"""An archive of a JVM's classes: made once from a list that a killed server may have left unfinished, used afterwards."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from stack.installed import java
from stack.installed.class_archive import ClassArchive
from stack.progress import Silent


@pytest.fixture
def archive(tmp_path: Path) -> ClassArchive:
    jar = tmp_path / "one.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
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


def test_a_java_that_cannot_write_one_is_not_asked_again(archive: ClassArchive, tmp_path: Path) -> None:
    listed, log = tmp_path / "classes.list", tmp_path / "classes.log"
    listed.write_text("java/lang/Object\n")
    broken = tmp_path / "java" / "bin" / "java"
    broken.parent.mkdir(parents=True)
    broken.write_text("#!/bin/sh\necho it broke\nexit 6\n")
    broken.chmod(0o755)
    with_it = ClassArchive(java.Java(tmp_path / "java", 17), archive.class_path, archive.folder)
    with pytest.raises(OSError, match=r"classes\.log"):
        with_it.make(listed, log)
    assert log.read_text() == "it broke\n"
    assert not with_it.make(listed, log)
    assert with_it.options(None) == []
    assert [each.suffix for each in archive.folder.iterdir()] == [".failed"]


def test_lines_that_java_cannot_read_are_left_out(archive: ClassArchive, tmp_path: Path) -> None:
    listed, log = tmp_path / "classes.list", tmp_path / "classes.log"
    fussy = tmp_path / "java" / "bin" / "java"
    fussy.parent.mkdir(parents=True)
    fussy.write_text("#!/bin/sh\ngrep -q @lambda classes.list && exit 6\ncp classes.list made.jsa\n")
    fussy.chmod(0o755)
    listed.write_text("java/lang/Object\n@lambda-proxy java/lang/Object run\nunfinis")
    with_it = ClassArchive(java.Java(tmp_path / "java", 17), archive.class_path, archive.folder)
    assert with_it.make(listed, log)
    assert with_it.path.read_text() == "java/lang/Object\n"
