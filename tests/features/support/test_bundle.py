"""The support bundle: it has what helps, and none of the canaries that were planted around it."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import SecretStr

from api.config.home import Home
from api.config.settings import load
from api.features.support.bundle import write_bundle
from api.features.support.removal import Cleaner, log_line, settings_secrets, settings_shape
from api.wiring.adapters import Adapters
from api.wiring.given import GivenAdapters
from api.wiring.installation import Subject
from catalog.errors import InvalidInput

CANARIES = {
    "password": "canary-pw-1",
    "token": "weir_canaryToken2",
    "url": "canary-url-3",
    "parameter": "canary-param-4",
    "admin": "canary-admin-5",
    "masks": "canary-mask-key-6",
    "environment": "canary-env-7",
    "value": "DE89-canary-8",
    "name": "Canary Niner",
    "email": "ana.canary@example.com",
    "bearer": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl",
    "declared": "canary-declared-10",
    "tag": "canary-tag-11",
}

LOG = f"""\
2026-11-28T01:00:00.000000Z [warning  ] waiting  duty=scans message='the value {CANARIES["value"]} of {CANARIES["email"]}'
2026-11-28T01:00:01.000000Z [info     ] engine_ready_again             seconds=12.5 user={CANARIES["name"].split()[0]}
{{"event": "duty_failed", "level": "error", "timestamp": "2026-11-28T01:00:02Z", "kind": "TypeError", "of": "{CANARIES["name"]}"}}
Authorization: Bearer {CANARIES["bearer"]}
Traceback (most recent call last): {CANARIES["value"]} token={CANARIES["token"]}
2026-11-28T01:00:03.000000Z [info     ] serving                        url=http://u:{CANARIES["url"]}@h/
"""


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    monkeypatch.setenv("WEIR_SECRET_KAFKA", CANARIES["environment"])
    root, secrets = tmp_path / "home", tmp_path / "secrets"
    for folder in (root, root / "secrets", root / "logs", secrets):
        folder.mkdir(mode=0o700)
    (root / "admin.token").write_text(CANARIES["admin"] + "\n")
    (root / "secrets" / "masks").write_text(CANARIES["masks"])
    (secrets / "kafka").write_text(CANARIES["declared"])
    for name in ("weir.log", "weir-worker.log", "kafka.log"):
        (root / "logs" / name).write_text(LOG)
    settings = load(
        Home(root),
        {
            "WEIR_SECRETS__FOLDER": str(secrets),
            "WEIR_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1",
            "WEIR_KAFKA__SASL_USERNAME": CANARIES["name"],
            "WEIR_KAFKA__SASL_PASSWORD": CANARIES["password"],
            "WEIR_NEO4J__URI": "bolt://127.0.0.1:1",
            "WEIR_NEO4J__PASSWORD": CANARIES["password"],
            "WEIR_ELASTICSEARCH__URL": f"http://elastic:{CANARIES['url']}@127.0.0.1:1",
            "WEIR_SCHEMA_REGISTRY__URL": f"http://127.0.0.1:1/?key={CANARIES['parameter']}",
            "WEIR_SPARK__REMOTE": f"sc://127.0.0.1:1/;token={CANARIES['token']}",
            "WEIR_NOTIFY__SENDER": CANARIES["email"],
            "WEIR_CATALOG__ALLOWED_LINK_LOCAL": CANARIES["parameter"],
        },
    )
    subject = Subject(Home(root), settings, Adapters(settings, Home(root), GivenAdapters()))
    subject.database.migrate()
    with subject.database.begin() as session:
        connection = session.connection()
        connection.exec_driver_sql(
            "INSERT INTO declared_documents (kind, key, metadata, spec) VALUES ('User', ?, ?, ?)",
            (CANARIES["email"], "{}", json.dumps({"display": CANARIES["name"], "tag": CANARIES["tag"]})),
        )
    return subject


def read(path: Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        return {each.name: archive.extractfile(each).read().decode() for each in archive.getmembers()}  # type: ignore[union-attr]


def test_the_bundle_has_what_helps_and_no_canary(subject: Subject, tmp_path: Path) -> None:
    target = tmp_path / "weir.tar.gz"
    names = write_bundle(subject, target)
    files = read(target)
    whole = "\n".join([*files, *files.values()])
    assert {name: text for name, text in CANARIES.items() if text in whole} == {}
    assert "canary" not in whole.lower()

    assert {f"weir-support/{name}" for name in names} == set(files)
    assert target.stat().st_mode & 0o077 == 0
    settings = json.loads(files["weir-support/settings.json"])
    assert settings["kafka"]["sasl_password"] == "<secret>"
    assert settings["kafka"]["sasl_username"] == "<set>"
    assert settings["elasticsearch"]["url"] == "http://127.0.0.1:1"
    assert settings["scanners"]["topics_per_job"] == 16
    assert json.loads(files["weir-support/counts.json"])["declared_documents"] == 1
    assert json.loads(files["weir-support/migrations.json"])["waiting"] == 0
    assert json.loads(files["weir-support/versions.json"])["packages"]["pydantic"]
    assert {each["name"] for each in json.loads(files["weir-support/doctor.json"])} >= {"kafka", "spark", "disk"}
    assert "notRead" in files["weir-support/metrics.txt"]
    assert "weir-support/logs/kafka.log" not in files, "servers write what they like into their logs"
    log = files["weir-support/logs/weir.log"]
    assert "warning waiting duty=scans" in log
    assert "engine_ready_again seconds=12.5" in log
    assert '"kind": "TypeError"' in log
    assert len(log.splitlines()) == len(LOG.splitlines())


def test_a_file_that_is_there_is_not_overwritten(subject: Subject, tmp_path: Path) -> None:
    target = tmp_path / "weir.tar.gz"
    target.write_text("mine")
    with pytest.raises(InvalidInput, match="is there already"):
        write_bundle(subject, target)
    assert target.read_text() == "mine"
    with pytest.raises(InvalidInput, match=r"must end in \.tar\.gz"):
        write_bundle(subject, tmp_path / "weir.zip")
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_bundle(subject, tmp_path / "nowhere" / "weir.tar.gz")


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)


@given(WORDS)
def test_no_value_of_a_field_that_is_not_ours_stays_in_a_line(value: str) -> None:
    secret = f"zq{value}qz"
    assume(not re.fullmatch("[a-z_]+", secret))  # the form of an event's name, which stays
    for line in (
        f"2026-11-28T01:00:00Z [info     ] sent receiver='{secret}' to={secret}",
        f"{secret}",
        f"2026-11-28 01:00:00,000 WARNING library {secret}",
        json.dumps({"event": "sent", "to": secret, "level": "info"}),
        json.dumps({"event": secret}),
    ):
        assert secret not in log_line(line, Cleaner())


@given(WORDS.filter(lambda text: len(text) >= 4))
def test_a_known_secret_is_removed_wherever_it_stands(secret: str) -> None:
    cleaner = Cleaner({secret})
    assert secret not in cleaner.text(f"before {secret} after").replace("<removed>", "")


@pytest.mark.parametrize(
    "text",
    [
        "http://user:canary@host/",
        "token=canary-1",
        "password: canary-1",
        "Authorization: canary-1",
        "canary@example.com",
        "x canarycanarycanarycanary9 y",
    ],
)
def test_what_looks_like_a_secret_is_removed(text: str) -> None:
    assert "canary" not in Cleaner().text(text)


def test_every_secret_of_the_settings_is_known(subject: Subject) -> None:
    secrets = settings_secrets(subject.settings)
    assert {CANARIES[name] for name in ("password", "token", "url", "parameter")} <= secrets
    shape = json.dumps(settings_shape(subject.settings))
    assert not [each for each in secrets if each in shape]
    assert isinstance(subject.settings.neo4j.password, SecretStr)
