"""Servers that are asked by HTTP: schema registries, Kafka Connect, Elasticsearch, OpenID Connect issuers, Weir's own API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from api.config.address import Recorded
from api.config.tls_client import ClientTls
from api.features.doctor.clocks import asked_clock, http_clock
from api.features.doctor.findings import Finding, fault, ok, warning
from api.features.doctor.http_calls import HttpServer, TimedAnswer
from api.wiring.installation import Subject, shown
from catalog.declared.secrets import credentials
from catalog.errors import WeirError
from catalog.records import ClusterRecord

_INDEX_RIGHTS = ["create_index", "manage", "read", "write"]


def look_at_registry(subject: Subject) -> Iterator[Finding]:
    """The registry of the settings."""
    registry = subject.settings.schema_registry
    if not registry.url:
        yield ok("registry", "No schema registry is set; declared clusters name their own.")
        return
    password = registry.password.get_secret_value() if registry.password else ""
    auth = (registry.username, password) if registry.username else None
    yield from _registry("registry", registry.url, HttpServer(registry.url, auth))


def look_at_cluster_registry(subject: Subject, record: ClusterRecord) -> Iterator[Finding]:
    """The registry of a declared cluster."""
    declared = record.settings.get("schemaRegistry") or {}
    yield from _registry(
        f"cluster {record.name} registry", str(declared.get("url")), _declared(subject, declared, "schemaRegistry")
    )


def look_at_connect(subject: Subject, record: ClusterRecord) -> Iterator[Finding]:
    """The Kafka Connect of a declared cluster."""
    name, declared = f"cluster {record.name} connect", record.settings["connect"]
    server = _declared(subject, declared, "connect")
    asked = server.ask("/")
    if problem := _refused(name, asked, "Check its user and password in the declared cluster."):
        yield problem
        return
    version = _json(asked).get("version", "of an unknown version")
    yield ok(name, f"Kafka Connect {version} answers at {shown(str(declared['url']))}.")
    yield from http_clock(name, asked.date, asked.before, asked.after)


def look_at_elasticsearch(subject: Subject) -> Iterator[Finding]:
    """The search index: version, health, room, and what Weir may do with it."""
    name, settings = "elasticsearch", subject.settings.elasticsearch
    key = {"Authorization": f"ApiKey {settings.api_key.get_secret_value()}"} if settings.api_key else None
    password = settings.password.get_secret_value() if settings.password else ""
    auth = (settings.username, password) if settings.username and key is None else None
    server = HttpServer(settings.url, auth, settings.ca, headers=key)
    asked = server.ask("/_cluster/health?timeout=2s")
    if problem := _refused(name, asked, "Check WEIR_ELASTICSEARCH__USERNAME and PASSWORD, or API_KEY."):
        yield problem
        return
    versions = {str(node.get("version")) for node in _nodes(server.ask("/_nodes?filter_path=nodes.*.version"))}
    words = f"Elasticsearch {', '.join(sorted(versions)) or 'of an unknown version'} answers at {shown(settings.url)}"
    if all(version.startswith("8.") for version in versions):
        yield ok(name, f"{words}.")
    else:
        yield warning(name, f"{words}; Weir is tested with 8.", "Use Elasticsearch 8.")
    health = _json(asked).get("status")
    if health == "red":
        fix = "See GET _cluster/allocation/explain."
        yield fault(f"{name} health", "Its health is red: parts of an index are not there.", fix)
    else:
        yield ok(f"{name} health", f"Its health is {health}.")
    alias = subject.settings.catalog.search_index
    yield _index_rights(f"{name} rights", server, alias)
    if _is_blocked(_json(server.ask(f"/{alias}/_settings/index.blocks.*?ignore_unavailable=true"))):
        yield fault(f"{name} disk", "It has made the index read-only, as its disk is nearly full.", "Free its disk.")
    yield from _elastic_clock(name, server)


def _index_rights(name: str, server: HttpServer, alias: str) -> Finding:
    body = {"index": [{"names": [alias, f"{alias}-*"], "privileges": _INDEX_RIGHTS}], "cluster": ["monitor"]}
    asked = server.ask("/_security/user/_has_privileges", "POST", body)
    if asked.answer.status_code != 200:
        return ok(name, "It asks for no rights: its security is off.")
    answer = _json(asked)
    if answer.get("has_all_requested"):
        return ok(name, f"Its user may make and write the indexes {alias}-*.")
    rights = [*_parts(answer, "index").values(), _part(answer, "cluster")]
    lacking = {right for each in rights for right, may in each.items() if not may}
    return fault(
        name, f"Its user lacks the rights {', '.join(sorted(lacking))}.", f"Grant them on {alias} and {alias}-*."
    )


def _elastic_clock(name: str, server: HttpServer) -> Iterator[Finding]:
    def theirs() -> float:
        (node,) = _nodes(server.ask("/_nodes/_local/stats/jvm?filter_path=nodes.*.timestamp"))
        return float(str(node["timestamp"])) / 1000

    try:
        yield asked_clock(name, theirs)
    except (KeyError, TypeError, ValueError):
        yield ok(f"{name} clock", "It does not show its time to this user.")


def look_at_issuer(subject: Subject, name: str, issuer: str, ca: str | None) -> Iterator[Finding]:
    """An OpenID Connect issuer: what it publishes of itself, and its keys."""
    servers = subject.parts.servers
    asked = HttpServer(issuer, ca=ca, servers=servers).ask("/.well-known/openid-configuration")
    document = _json(asked)
    fix = "Compare the issuer with what the provider's own page shows."
    if asked.answer.status_code != 200 or "jwks_uri" not in document:
        yield fault(name, f"{shown(issuer)} does not publish an OpenID Connect configuration.", fix)
    elif document.get("issuer") != issuer:
        yield fault(name, f"{shown(issuer)} calls itself by another name, so its tokens are refused.", fix)
    elif HttpServer(str(document["jwks_uri"]), ca=ca, servers=servers).ask("").answer.status_code != 200:
        yield fault(name, f"{shown(issuer)} does not give its keys.", "See the provider's own state.")
    else:
        yield ok(name, f"{shown(issuer)} answers with its configuration and its keys.")
    yield from http_clock(name, asked.date, asked.before, asked.after)


def look_at_api(subject: Subject) -> Iterator[Finding]:
    """The running Weir of this WEIR_HOME: whether it answers, and what it reports of itself."""
    recorded = Recorded.of(subject.home)
    if recorded is None:
        yield warning("api", "No Weir runs in this WEIR_HOME.", "Run weir up.")
        return
    tls = ClientTls.of_environment().context(own=recorded.certificate) if recorded.url.startswith("https") else True
    server = HttpServer(recorded.url, verify=tls)
    try:
        asked = server.ask("/readyz")
    except WeirError:
        yield warning("api", f"Weir ran at {recorded.url} and does not answer now.", "Run weir up.")
        return
    status = _json(asked).get("status", "unknown")
    down = sorted(name for name, each in _parts(_json(asked), "servers").items() if not each.get("up"))
    message = f"Weir answers at {recorded.url} and is {status}" + (f": {', '.join(down)} away." if down else ".")
    if status == "ready":
        yield ok("api", message)
    else:
        yield (fault if status == "unready" else warning)("api", message, "See the lines of those servers.")
    yield from http_clock("api", asked.date, asked.before, asked.after)


def _registry(name: str, url: str, server: HttpServer) -> Iterator[Finding]:
    asked = server.ask("/subjects")
    if problem := _refused(name, asked, "Check its user and password."):
        yield problem
        return
    if not isinstance(_value(asked), list):
        yield fault(name, f"{shown(url)} does not answer as a schema registry.", "Check its address, with its path.")
        return
    yield ok(name, f"A schema registry answers at {shown(url)} with {len(asked.answer.json())} subjects.")
    yield from http_clock(name, asked.date, asked.before, asked.after)


def _declared(subject: Subject, declared: Mapping[str, Any], what: str) -> HttpServer:
    """A server of a document; secrets and files are read from where they are declared. Raises SettingsError."""
    secrets = subject.parts.secrets
    ca = secrets.file(declared["ca"], f"{what}.ca", authorities=True) if declared.get("ca") else None
    return HttpServer(str(declared["url"]), credentials(secrets, declared, what), ca, subject.parts.servers)


def _refused(name: str, asked: TimedAnswer, fix: str) -> Finding | None:
    status = asked.answer.status_code
    if status in (401, 403):
        return fault(name, f"It refuses the sign-in of Weir (status {status}).", fix)
    return fault(name, f"It answers with status {status}.", fix) if status >= 400 else None


def _value(asked: TimedAnswer) -> Any:
    try:
        return asked.answer.json()
    except ValueError:
        return None


def _json(asked: TimedAnswer) -> Mapping[str, object]:
    return _object(_value(asked))


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _part(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    return _object(document.get(key))


def _parts(document: Mapping[str, object], key: str) -> Mapping[str, Mapping[str, object]]:
    return {name: each for name, each in _part(document, key).items() if isinstance(each, dict)}


def _nodes(asked: TimedAnswer) -> list[Mapping[str, object]]:
    return [*_parts(_json(asked), "nodes").values()]


def _is_blocked(settings: Mapping[str, object]) -> bool:
    return any("read_only_allow_delete" in str(each) and "true" in str(each) for each in settings.values())
