"""Which Java is used, and the message when none will do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from stack import Instance, StackSettings
from stack.errors import StackError
from stack.installed import java
from stack.installed.java import Java
from stack.instances.state import Entry, State
from stack.progress import Silent


def make(folder: Path, version: str, modules: str = "java.base") -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor word do echo "$word"; done\n')
    program.chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any Java, not even ours."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no-bin"))
    monkeypatch.setattr(java, "_wheel", lambda: None)


def unable(log: Path) -> None:
    raise OSError("pip ended with 1")


@pytest.mark.parametrize(("version", "major"), [("21.0.8", 21), ("17", 17), ("1.8.0_402", 8), ("25.0.3", 25)])
def test_the_release_file_says_the_version(tmp_path: Path, version: str, major: int) -> None:
    assert java.major_of(make(tmp_path / "j", version)) == major


def test_a_folder_without_java_has_no_version(tmp_path: Path) -> None:
    assert java.major_of(tmp_path) is None


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_java: None) -> None:
    one, other = make(tmp_path / "one", "21.0.1"), make(tmp_path / "other", "21.0.2")
    monkeypatch.setenv("PATH", str(one / "bin"))
    assert java.find("", tmp_path / "log", Silent()) == Java(one, 21)
    monkeypatch.setenv("JAVA_HOME", str(other))
    assert java.find("", tmp_path / "log", Silent()) == Java(other, 21)


def test_a_wrong_java_home_falls_through_to_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_java: None
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "old", "11.0.2")))
    monkeypatch.setenv("PATH", str(make(tmp_path / "good", "17.0.1") / "bin"))
    assert java.find("", tmp_path / "log", Silent()).major == 17


def test_what_needs_21_does_not_take_17(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_java: None) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "j17", "17.0.1")))
    monkeypatch.setattr(java, "_wheel", lambda: make(tmp_path / "wheel", "21.0.8"))
    assert java.find("", tmp_path / "log", Silent(), majors=(21,)).home == tmp_path / "wheel"


def test_a_named_folder_with_a_wrong_java_is_an_error(tmp_path: Path) -> None:
    old = make(tmp_path / "old", "11.0.2")
    with pytest.raises(
        StackError, match=f"{old} holds Java 11, and Weir needs Java 17 or 21; set WEIR_STACK__JAVA_HOME"
    ):
        java.find(str(old), tmp_path / "log", Silent())
    with pytest.raises(StackError, match="holds no Java"):
        java.find(str(tmp_path), tmp_path / "log", Silent())


def test_no_java_and_no_network_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_java: None) -> None:
    monkeypatch.setattr(java, "_install_wheel", unable)
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "new", "25.0.3")))
    with pytest.raises(
        StackError, match=r"Weir needs Java 21; JAVA_HOME has Java 25, .*; connect .* or install Java 21"
    ):
        java.find("", tmp_path / "log", Silent(), majors=(21,))


def test_the_wrapper_drops_the_one_option_and_nothing_else(tmp_path: Path) -> None:
    home = make(tmp_path / "no vector's", "21.0.8")
    wrapped = java.spark_java_home(Java(home, 21), tmp_path / "wrapper")
    words = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "--add-opens=x", "$HOME"]
    answer = subprocess.run([wrapped / "bin" / "java", *words], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["-Xmx1g", "a b", "", "--add-opens=x", "$HOME"]


def test_a_java_with_the_module_needs_no_wrapper(tmp_path: Path) -> None:
    home = make(tmp_path / "full", "21.0.8", "java.base jdk.incubator.vector")
    assert java.spark_java_home(Java(home, 21), tmp_path / "wrapper") == home


def test_a_server_that_is_started_again_has_the_java_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_java: None
) -> None:
    """The registry needs 21; the Java on the PATH is older, and would do for the others."""
    old, new = make(tmp_path / "old", "17.0.1"), make(tmp_path / "new", "21.0.1")
    monkeypatch.setenv("PATH", str(old / "bin"))
    monkeypatch.setattr(java, "_wheel", lambda: new)
    instance = Instance(tmp_path / "home", StackSettings())
    assert instance.running_java() == Java(old, 17)
    instance.home.create()
    State(instance.home.state_file).record(Entry("registry", 1, 0.0, 8081, "http://127.0.0.1:8081", "8", ""))
    assert instance.running_java() == Java(new, 21)
