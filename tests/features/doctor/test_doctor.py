"""`weir doctor`: each thing has a line with what to do, nothing waits for a frozen server, no line has a secret."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st
from pytest_socket import enable_socket
from typer.testing import CliRunner

from api.cli import app
from api.config.home import Home
from api.config.settings import load
from api.features.doctor.clocks import clock, difference, http_clock
from api.features.doctor.examinations import NAMES, examine_installation
from api.features.doctor.findings import Examination, Finding, Level, ok, run
from api.features.doctor.kafka_checks import cluster_rights, own_rights
from api.features.doctor.kafka_rights import KafkaRights
from api.features.doctor.package_checks import compared, locked
from api.wiring.adapters import Adapters
from api.wiring.given import GivenAdapters
from api.wiring.installation import Subject, shown
from catalog.adapters.sql.leases import SqlLeases
from catalog.errors import Unavailable
from catalog.leases.holder import this_process
from tests.features.doctor.small_servers import answering, frozen

SECRET = "canary-5f2c"


def subject(home: Path, **environment: str) -> Subject:
    given = {"WEIR_SECRETS__FOLDER": str(home.parent / "secrets"), **environment}
    settings = load(Home(home), given)
    return Subject(Home(home), settings, Adapters(settings, Home(home), GivenAdapters()))


@pytest.fixture(autouse=True)
def loopback(no_network: None) -> None:
    enable_socket()  # servers of these tests are on the loopback address


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


# -- the run ----------------------------------------------------------------------------------------------------------


def test_a_frozen_examination_costs_its_own_time_only() -> None:
    def slow():
        yield ok("frozen part", "This was seen.")
        time.sleep(30)

    begun = time.monotonic()
    findings = run([Examination("frozen", slow, 0.3, "WEIR_X"), Examination("good", lambda: [ok("good", "Well.")])])
    assert time.monotonic() - begun < 3
    assert [(each.name, each.level) for each in findings] == [
        ("frozen part", Level.OK),
        ("frozen", Level.FAULT),
        ("good", Level.OK),
    ]
    assert findings[1].message == "It did not answer within 0.3 seconds."
    assert "WEIR_X" in findings[1].fix


def test_the_text_of_an_unknown_error_is_not_told() -> None:
    def fails():
        raise RuntimeError(SECRET)

    (finding,) = run([Examination("x", fails)])
    assert finding.level is Level.FAULT
    assert SECRET not in finding.message + finding.fix


def test_a_sentence_with_its_fix_is_parted() -> None:
    def fails():
        raise Unavailable("It is away; start it with weir up.")

    (finding,) = run([Examination("x", fails)])
    assert (finding.message, finding.fix) == ("It is away.", "Start it with weir up.")


# -- clocks -----------------------------------------------------------------------------------------------------------


@given(st.floats(-1e6, 1e6), st.floats(0, 10), st.floats(0, 1))
def test_a_difference_is_never_more_than_it_is(real: float, took: float, share: float) -> None:
    before = 1_800_000_000.0
    asked = before + took * share + real
    measured = difference(float(int(asked)), before, before + took, 1.0)
    assert abs(measured) <= abs(real) + 1.001
    assert measured == 0 or (measured > 0) is (real > 0)


def test_a_clock_that_differs_by_more_than_five_seconds_is_a_warning() -> None:
    assert clock("x", 4.9).level is Level.OK
    ahead, behind = clock("x", 61.0), clock("x", -7.0)
    assert ahead.level is behind.level is Level.WARNING
    assert "61 seconds ahead" in ahead.message
    assert "7 seconds behind" in behind.message
    assert list(http_clock("x", None, 0, 1)) == list(http_clock("x", "yesterday", 0, 1)) == []


# -- what is local ----------------------------------------------------------------------------------------------------


def test_files_that_others_can_read_are_a_fault(home: Path) -> None:
    (home / "secrets").mkdir(mode=0o700)
    key = home / "secrets" / "masks"
    key.write_text(SECRET)
    key.chmod(0o644)
    finding = by_name(examine_installation(subject(home), ("secrets",)))["secrets"]
    assert finding.level is Level.FAULT
    assert str(key) in finding.message
    assert SECRET not in finding.message
    key.chmod(0o600)
    assert by_name(examine_installation(subject(home), ("secrets",)))["secrets"].level is Level.OK


def test_a_home_of_another_user_is_a_fault(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.features.doctor.home_checks.os.geteuid", lambda: 12345678)
    finding = by_name(examine_installation(subject(home), ("home",)))["home"]
    assert finding.level is Level.FAULT
    assert "belongs to another user" in finding.message
    assert "chown" in finding.fix


def test_a_home_that_is_a_file_or_below_one_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for root in (file, file / "home"):
        finding = by_name(examine_installation(subject(root), ("home",)))["home"]
        assert finding.level is Level.FAULT
        assert "WEIR_HOME" in (finding.fix or "")
    assert by_name(examine_installation(subject(tmp_path / "new"), ("home",)))["home"].level is Level.WARNING


def test_a_home_on_a_read_only_file_system(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ReadOnly:
        f_flag = os.ST_RDONLY

    monkeypatch.setattr("api.features.doctor.home_checks.os.statvfs", lambda _: ReadOnly)
    finding = by_name(examine_installation(subject(home), ("home",)))["home"]
    assert finding.level is Level.FAULT and "read-only" in finding.message and "chmod" not in (finding.fix or "")


@pytest.mark.parametrize(("free", "level"), [(1, Level.FAULT), (1024**3, Level.WARNING), (50 * 1024**3, Level.OK)])
def test_a_disk_that_is_nearly_full(home: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: Level) -> None:
    class Usage:
        total, used, free = 100 * 1024**3, 0, 0

    Usage.free = free
    monkeypatch.setattr("api.features.doctor.home_checks.shutil.disk_usage", lambda _: Usage)
    assert by_name(examine_installation(subject(home), ("disk",)))["disk"].level is level


def test_packages_against_the_lock() -> None:
    wanted = locked()
    assert len(wanted) > 50
    assert compared(wanted).level is Level.OK
    assert compared(wanted | {"pydantic": "0.1"}).level is Level.WARNING
    missing = compared({"no-such-package": "1", "nor-this": "2"})
    assert missing.level is Level.FAULT
    assert "no-such-package, nor-this" in missing.message


def test_the_record_store_and_its_schema(home: Path) -> None:
    looked = subject(home)
    assert by_name(examine_installation(looked, ("database", "clusters", "sign-in")))["database"].level is Level.WARNING
    assert not list(home.iterdir())  # a look makes nothing
    looked.database.migrate()
    assert by_name(examine_installation(looked, ("database",)))["database schema"].level is Level.OK
    with looked.database.begin() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0021_incidents'")
    assert by_name(examine_installation(looked, ("database",)))["database schema"].level in (Level.WARNING, Level.FAULT)
    with looked.database.begin() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999_later'")
    later = by_name(examine_installation(looked, ("database",)))["database schema"]
    assert later.level is Level.FAULT
    assert "newer Weir wrote it" in later.message


def test_the_duties_and_the_processes_that_do_them(home: Path) -> None:
    def found() -> Finding:
        return by_name(examine_installation(looked, ("database",)))["duties"]

    looked = subject(home)
    looked.database.migrate()
    assert found().level is Level.WARNING
    assert "reminders, deliveries, tags and all others" in found().message
    store, me = SqlLeases(looked.database), this_process()
    tags = store.take("tags", me, None)
    assert tags is not None
    assert (found().level, found().message.count(f"process {os.getpid()} of")) == (Level.OK, 1)
    machine, _, _ = me.rpartition("/")
    store.take("events", f"{machine}/1", None)
    assert (found().level, found().message) == (Level.WARNING, "No process does these duties: events.")
    store.give_back(tags)
    assert found().message == "No process does these duties: tags, events."


# -- servers ----------------------------------------------------------------------------------------------------------

NODE = {"nodes": {"a": {"version": "8.19.9", "timestamp": 1000 * time.time()}}}
ELASTIC = {
    "/_cluster/health": {"status": "green"},
    "/_nodes": NODE,
    "/_security/user/_has_privileges": {"has_all_requested": True},
}


def test_elasticsearch_with_its_rights(home: Path) -> None:
    with answering(ELASTIC) as url:
        findings = by_name(examine_installation(subject(home, WEIR_ELASTICSEARCH__URL=url), ("elasticsearch",)))
    assert {each.level for each in findings.values()} == {Level.OK}
    assert "8.19.9" in findings["elasticsearch"].message


def test_elasticsearch_that_refuses_or_lacks_rights(home: Path) -> None:
    lacking = {"has_all_requested": False, "index": {"weir-catalog": {"create_index": False, "read": True}}}
    answers = ELASTIC | {"/_cluster/health": {"status": "red"}, "/_security/user/_has_privileges": lacking}
    with answering(answers) as url:
        findings = by_name(examine_installation(subject(home, WEIR_ELASTICSEARCH__URL=url), ("elasticsearch",)))
    assert "create_index" in findings["elasticsearch rights"].message
    assert findings["elasticsearch health"].level is Level.FAULT
    with answering(ELASTIC, status=401) as url:
        findings = by_name(examine_installation(subject(home, WEIR_ELASTICSEARCH__URL=url), ("elasticsearch",)))
    assert "refuses the sign-in" in findings["elasticsearch"].message


def test_a_registry_whose_clock_is_wrong(home: Path) -> None:
    with answering({"/subjects": ["a", "b"]}, clock=time.time() - 600) as url:
        findings = by_name(examine_installation(subject(home, WEIR_SCHEMA_REGISTRY__URL=url), ("registry",)))
    assert findings["registry"].message.endswith("with 2 subjects.")
    assert findings["registry clock"].level is Level.WARNING


def test_what_is_no_registry(home: Path) -> None:
    with answering({"/subjects": {"hello": 1}}) as url:
        findings = by_name(examine_installation(subject(home, WEIR_SCHEMA_REGISTRY__URL=url), ("registry",)))
    assert "does not answer as a schema registry" in findings["registry"].message


def test_an_issuer_that_calls_itself_otherwise(home: Path) -> None:
    where = "/.well-known/openid-configuration"
    with answering({where: {"issuer": "https://other", "jwks_uri": "http://127.0.0.1:1/keys"}}) as url:
        findings = by_name(examine_installation(subject(home, WEIR_OIDC__ISSUER=url), ("sign-in",)))
    assert "another name" in findings["sign-in"].message


def test_no_line_has_a_secret_of_an_address(home: Path) -> None:
    settings = {
        "WEIR_ELASTICSEARCH__URL": f"http://elastic:{SECRET}@127.0.0.1:1",
        "WEIR_NEO4J__URI": "bolt://127.0.0.1:1",
        "WEIR_NEO4J__PASSWORD": SECRET,
        "WEIR_SCHEMA_REGISTRY__URL": f"http://user:{SECRET}@127.0.0.1:1/?token={SECRET}",
        "WEIR_SPARK__REMOTE": f"sc://127.0.0.1:1/;token={SECRET}",
        "WEIR_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1",
        "WEIR_KAFKA__SASL_USERNAME": "weir",
        "WEIR_KAFKA__SASL_PASSWORD": SECRET,
        "WEIR_DATABASE__URL": f"postgresql+psycopg://weir:{SECRET}@127.0.0.1:1/weir",
        "WEIR_OIDC__ISSUER": f"https://u:{SECRET}@127.0.0.1:1",
    }
    findings = examine_installation(subject(home, **settings))
    assert SECRET not in json.dumps([[each.name, each.message, each.fix] for each in findings])
    faults = {each.name for each in findings if each.level is Level.FAULT}
    assert {"elasticsearch", "neo4j", "registry", "spark", "kafka", "database"} <= faults
    assert all(each.fix for each in findings if each.level is not Level.OK)


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown(f"http://u:{SECRET}@host:1/path;token={SECRET}?key={SECRET}#{SECRET}") == "http://host:1/path"


@pytest.mark.tail
def test_a_frozen_server_costs_seconds(home: Path) -> None:
    with frozen() as address:
        settings = {"WEIR_ELASTICSEARCH__URL": f"http://{address}", "WEIR_SCHEMA_REGISTRY__URL": f"http://{address}"}
        begun = time.monotonic()
        findings = by_name(examine_installation(subject(home, **settings), ("elasticsearch", "registry")))
    assert time.monotonic() - begun < 12
    assert {each.level for each in findings.values()} == {Level.FAULT}


# -- certificates -----------------------------------------------------------------------------------------------------


def certificate(folder: Path, days: float) -> Path:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "weir")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=400))
        .not_valid_after(now + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{days}.pem"
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(("days", "level"), [(-1, Level.FAULT), (10, Level.WARNING), (90, Level.OK)])
def test_the_end_of_our_own_certificate_and_of_a_servers(home: Path, tmp_path: Path, days: int, level: Level) -> None:
    file = certificate(tmp_path, days)
    findings = examine_installation(subject(home, WEIR_API__TLS_CERTIFICATE=str(file)), ("certificates",))
    assert {each.level for each in findings} == {level}
    with answering({}, certificate=file) as url:
        findings = examine_installation(subject(home, WEIR_ELASTICSEARCH__URL=url), ("certificates",))
    assert {each.level for each in findings} == {level}


# -- rights -----------------------------------------------------------------------------------------------------------

ALL = frozenset({"READ", "WRITE", "DESCRIBE", "CREATE", "ALTER"})


def test_rights_at_the_own_kafka() -> None:
    needed = ["_weir.lineage", "_weir.events"]
    assert own_rights(KafkaRights(ALL, {}, None), needed).level is Level.OK
    assert own_rights(KafkaRights(None, {}, None), needed).level is Level.OK
    assert "_weir.lineage" in own_rights(KafkaRights(ALL, {"_weir.lineage": frozenset({"READ"})}, None), needed).message
    missing = own_rights(KafkaRights(frozenset({"DESCRIBE"}), {"_weir.events": ALL}, None), needed)
    assert missing.level is Level.FAULT
    assert "_weir.lineage" in missing.message


def test_rights_at_a_declared_cluster() -> None:
    (good,) = cluster_rights("cluster prod", KafkaRights(ALL, {"orders": ALL}, None), True)
    assert good.level is Level.OK
    findings = list(cluster_rights("cluster prod", KafkaRights(frozenset(), {"orders": frozenset()}, None), True))
    assert [each.level for each in findings] == [Level.WARNING, Level.FAULT]
    (blind,) = cluster_rights("cluster prod", KafkaRights(frozenset(), {}, None), False)
    assert blind.level is Level.WARNING


# -- the command ------------------------------------------------------------------------------------------------------


def command(home: Path, *words: str):
    environment = {"WEIR_HOME": str(home), "WEIR_SECRETS__FOLDER": str(home.parent / "secrets")}
    return CliRunner().invoke(app, ["doctor", *words], env=environment)


def test_the_command_has_an_exit_code_and_json(home: Path) -> None:
    result = command(home, "--only", "disk", "--only", "database", "-o", "json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 0, "a warning leaves it at 0"
    assert answer["faults"] == 0
    assert answer["warnings"] == 1
    assert set(answer["findings"][0]) == {"name", "state", "message", "fix"}
    (home / "admin.token").write_text(SECRET)
    (home / "admin.token").chmod(0o644)
    assert command(home, "--only", "secrets").exit_code == 1


def test_what_there_is_not_to_look_at_is_named(home: Path) -> None:
    result = command(home, "--only", "sparc")
    assert result.exit_code == 2
    assert all(name in " ".join(result.output.split()) for name in NAMES)
