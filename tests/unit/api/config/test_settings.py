"""Settings: the environment wins over the file, and a name nobody knows is an error with the nearest one."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.cli.servers import settings as print_settings
from api.config.home import Home, write_private
from api.config.settings import documented, load
from catalog.errors import SettingsError


def test_environment_over_file_over_default(tmp_path: Path) -> None:
    (tmp_path / "weir.yaml").write_text("api: {port: 9000, host: 127.0.0.2}\n")
    settings = load(Home(tmp_path), {"WEIR_API__PORT": "9001"})
    assert (settings.api.port, settings.api.host) == (9001, "127.0.0.2")
    assert load(Home(tmp_path / "none"), {}).api.port == 8484


def test_the_printed_settings_are_the_defaults_once_their_marks_are_taken_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_settings()
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("# ") and all(line.startswith("# ") for line in lines)
    file = tmp_path / "weir.yaml"
    write_private(file, "\n".join([head, *lines]))
    assert load(Home(tmp_path), {}) == load(Home(tmp_path / "none"), {})
    write_private(file, "\n".join(line.removeprefix("# ") for line in lines))
    assert load(Home(tmp_path), {}) == load(Home(tmp_path / "none"), {})


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"WEIR_API__PROT": "1"}, "WEIR_API__PORT"),
        ({"WEIR_HOEM": "/tmp"}, "WEIR_HOME"),
        ({"WEIR_API__PORT": "many"}, "WEIR_API__PORT"),
        ({"WEIR_API__PORT": "70000"}, "WEIR_API__PORT"),
        ({"WEIR_CONFIG": "/nowhere/weir.yaml"}, "/nowhere/weir.yaml"),
        ({"WEIR_LOG__LEVEL": "loud"}, "WEIR_LOG__LEVEL"),
        ({"WEIR_QUERY__SECONDS": "inf"}, "WEIR_QUERY__SECONDS"),
        ({"WEIR_ELASTICSEARCH__URL": "localhost:9200"}, "WEIR_ELASTICSEARCH__URL"),
        ({"WEIR_ELASTICSEARCH__URL": "http://localhost:99999"}, "WEIR_ELASTICSEARCH__URL"),
        ({"WEIR_ELASTICSEARCH__URL": ""}, "WEIR_ELASTICSEARCH__URL"),
        ({"WEIR_NEO4J__URI": "http://localhost:7687"}, "WEIR_NEO4J__URI"),
        ({"WEIR_NEO4J__URI": "localhost"}, "WEIR_NEO4J__URI"),
    ],
)
def test_a_wrong_setting_is_named_with_its_mend(tmp_path: Path, environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(Home(tmp_path), environment)
    assert named in caught.value.message


@pytest.mark.parametrize("text", ["api: {prot: 1}", "- 1", "api: 5", "api: {port: [", "nonsense: {a: 1}"])
def test_a_wrong_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "weir.yaml").write_text(text)
    with pytest.raises(SettingsError):
        load(Home(tmp_path), {})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"api: {port: 9000}\nlog: {level: DEBUG}\napi: {host: 127.0.0.2}\n", "line 3: api is there twice"),
        (b"api:\n  port: 9000\n  port: 9001\n", "line 3: api.port is there twice"),
        (b"api: {host: \xff}\n", "UTF-8"),
    ],
)
def test_nothing_of_a_file_is_lost_in_silence(tmp_path: Path, text: bytes, named: str) -> None:
    (tmp_path / "weir.yaml").write_bytes(text)
    with pytest.raises(SettingsError) as caught:
        load(Home(tmp_path), {})
    assert named in caught.value.message


@pytest.mark.parametrize("uri", ["neo4j+s://graph.example.com", "bolt://[::1]:7687", "bolt://localhost:7687"])
def test_addresses_of_every_form_are_taken(tmp_path: Path, uri: str) -> None:
    environment = {"WEIR_NEO4J__URI": uri, "WEIR_ELASTICSEARCH__URL": "https://user:p@search.example.com/es"}
    assert load(Home(tmp_path), environment).neo4j.uri == uri


def test_a_secret_never_shows_in_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(Home(tmp_path), {"WEIR_NEO4J__PASSWORD": "hunter2", "WEIR_API__PORT": "x"})
    assert "hunter2" not in str(caught.value)


def test_other_tools_variables_are_left_alone(tmp_path: Path) -> None:
    known = {"WEIR_STACK__KAFKA_PORT": "0", "WEIR_TEST_STACK": "x", "WEIR_URL": "http://x", "PATH": "/bin"}
    assert load(Home(tmp_path), known).api.port == 8484


def test_every_setting_is_described() -> None:
    missing = [name for name, _, meaning in documented() if not meaning.endswith(".")]
    assert not missing, f"settings without a sentence: {missing}"


def test_private_files_are_private_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "tokens" / "ana"
    write_private(path, "one")
    write_private(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["ana"]


@pytest.mark.parametrize(
    ("guess", "meant"),
    [
        ("WEIR_PORT", "WEIR_API__PORT"),
        ("WEIR_API_PORT", "WEIR_API__PORT"),
        ("WEIR_KAFKA", "WEIR_KAFKA__BOOTSTRAP_SERVERS"),
        ("WEIR_BOOTSTRAP_SERVERS", "WEIR_KAFKA__BOOTSTRAP_SERVERS"),
        ("WEIR_DB_URL", "WEIR_DATABASE__URL"),
        ("WEIR_NEO4J_PASSWORD", "WEIR_NEO4J__PASSWORD"),
        ("WEIR_DATA_DIR", "WEIR_HOME"),
        ("WEIR_LOGLEVEL", "WEIR_LOG__LEVEL"),
        ("WEIR_QUERY_SECOND", "WEIR_QUERY__SECONDS"),
    ],
)
def test_a_guessed_variable_gets_the_setting_that_was_meant(guess: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=rf"The environment variable {guess} is not a setting of Weir\. Did you mean {meant}\?"
    ):
        load(Home(tmp_path), {guess: "1"})
