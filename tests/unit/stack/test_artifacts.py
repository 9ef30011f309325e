"""The download cache: complete or absent, never half; warm starts resolve nothing."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stack.errors import StackError
from stack.installed import artifacts, coursier
from stack.installed.java import Java
from stack.installed.versions import COMPONENTS, Component

JAVA = Java(Path("/nowhere"), 21)


class Fetcher:
    """Makes files instead of downloading them."""

    def __init__(self, folder: Path, failing: str | None = None) -> None:
        self.folder, self.failing = folder, failing
        self.asked: list[str] = []

    def fetch(self, component: Component) -> list[Path]:
        self.asked.append(component.name)
        if component.name == self.failing:
            raise coursier.CoursierError("download error: Caught java.net.UnknownHostException")
        names = {
            "elasticsearch": ["lucene-core-9.12.0.jar", "es-8.jar"],
            "elasticsearch-netty4": ["netty-4.1.jar", "es-8.jar"],
        }
        files = []
        for name in names.get(component.name, [f"{component.name}-1.0.jar"]):
            path = self.folder / component.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
            files.append(path)
        if component.archive:
            packed = self.folder / "packed.tar.gz"
            with tarfile.open(packed, "w:gz") as tar:
                info = tarfile.TarInfo("app/quarkus-run.jar")
                info.size = 4
                tar.addfile(info, io.BytesIO(b"jar!"))
            return [packed]
        return files


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEIR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def fetcher(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fetcher:
    fetcher = Fetcher(tmp_path / "maven")

    @contextmanager
    def running(java: Java, folder: Path) -> Iterator[Any]:
        yield fetcher

    monkeypatch.setattr(coursier, "running", running)
    return fetcher


def test_a_complete_component_is_never_resolved_again(fetcher: Fetcher, tmp_path: Path) -> None:
    artifacts.ensure(["kafka"], JAVA, tmp_path / "log")
    assert [jar.name for jar in artifacts.jars("kafka")] == ["kafka-1.0.jar"]
    artifacts.ensure(["kafka"], JAVA, tmp_path / "log")
    assert fetcher.asked == ["kafka"]


def test_an_interrupted_download_leaves_no_complete_folder(
    fetcher: Fetcher, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(source: Path, target: Path) -> None:
        target.write_text("half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(artifacts, "_link", cut_short)
        with pytest.raises(KeyboardInterrupt):
            artifacts.ensure(["kafka"], JAVA, tmp_path / "log")
    assert artifacts.missing(["kafka"]) == ["kafka"]
    assert list((cache / "components").iterdir()) == []
    artifacts.ensure(["kafka"], JAVA, tmp_path / "log")
    assert artifacts.jars("kafka")[0].read_text() == "kafka-1.0.jar"


def test_a_plugin_does_not_repeat_its_servers_jars(fetcher: Fetcher, tmp_path: Path) -> None:
    artifacts.ensure(["elasticsearch-netty4"], JAVA, tmp_path / "log")
    assert [jar.name for jar in artifacts.jars("elasticsearch-netty4")] == ["netty-4.1.jar"]


def test_an_archive_is_unpacked(fetcher: Fetcher, tmp_path: Path) -> None:
    artifacts.ensure(["registry"], JAVA, tmp_path / "log")
    assert (artifacts.folder("registry") / "app" / "quarkus-run.jar").read_bytes() == b"jar!"


def test_no_network_is_one_sentence_with_the_mend(fetcher: Fetcher, tmp_path: Path) -> None:
    fetcher.failing = "neo4j"
    log = tmp_path / "logs" / "download.log"
    with pytest.raises(StackError, match=r"name service does not answer.*COURSIER_REPOSITORIES") as failure:
        artifacts.ensure(["kafka", "neo4j"], JAVA, log)
    assert "Exception" not in failure.value.message
    assert "UnknownHostException" in log.read_text()
    assert artifacts.missing(["neo4j"]) == ["neo4j"]


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WEIR_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StackError, match="WEIR_CACHE"):
        artifacts.ensure(["kafka"], JAVA, tmp_path / "log")


def test_jars_that_were_not_fetched_are_named(cache: Path) -> None:
    with pytest.raises(StackError, match=r"spark-kafka is not in the cache .*; run `weir up` once"):
        artifacts.jars("spark-kafka")


def test_the_folder_changes_with_any_coordinate() -> None:
    one = Component("a", ("g:a:1",))
    others = [
        Component("a", ("g:a:2",)),
        Component("a", ("g:a:1",), without="pyspark"),
        Component("a", ("g:a:1", "g:b:1")),
    ]
    assert len({component.folder for component in (one, *others)}) == 4
    assert one.folder == Component("a", ("g:a:1",)).folder


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WEIR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert artifacts.cache_folder() == tmp_path / "weir"
    monkeypatch.setenv("WEIR_CACHE", str(tmp_path / "own"))
    assert artifacts.cache_folder() == tmp_path / "own"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("java.net.UnknownHostException: repo", "name service"),
        ("PKIX path building failed", "SSL_CERT_FILE"),
        ("java.io.IOException: No space left on device", "disk is full"),
        ("java.net.ConnectException: Connection refused", "no answer from the network"),
        ("not found: https://x", "version is not there"),
        ("something else", "download failed"),
    ],
)
def test_the_resolvers_words_become_a_reason(words: str, message: str) -> None:
    assert message in artifacts._reason(words)


def test_every_component_has_exact_versions() -> None:
    for component in COMPONENTS.values():
        for coordinate in component.coordinates:
            group, artifact, version = coordinate.split(":")
            assert group and artifact and version[0].isdigit()
            assert not set(version) & set("[]()+,*")
