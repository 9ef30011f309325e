"""All examinations of an installation, by the name that `--only` takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from api.features.doctor.certificate_checks import look_at_certificates
from api.features.doctor.findings import Examination, Finding, fault, run
from api.features.doctor.graph_checks import look_at_neo4j
from api.features.doctor.home_checks import look_at_disk, look_at_home, look_at_secrets
from api.features.doctor.http_checks import (
    look_at_api,
    look_at_cluster_registry,
    look_at_connect,
    look_at_elasticsearch,
    look_at_issuer,
    look_at_registry,
)
from api.features.doctor.kafka_checks import look_at_cluster, look_at_kafka
from api.features.doctor.package_checks import look_at_packages
from api.features.doctor.spark_checks import LOOK_SECONDS, look_at_spark
from api.features.doctor.store_checks import look_at_database
from api.wiring.installation import Subject
from catalog.errors import WeirError

_TOPIC_SECONDS = 25.0
Look = Callable[[Subject], Iterable[Finding]]
_SINGLE: dict[str, tuple[Look, float, str]] = {
    "home": (look_at_home, 10, ""),
    "secrets": (look_at_secrets, 10, ""),
    "disk": (look_at_disk, 5, ""),
    "packages": (look_at_packages, 15, ""),
    "database": (look_at_database, 15, "WEIR_DATABASE__URL"),
    "kafka": (look_at_kafka, 15, "WEIR_KAFKA__BOOTSTRAP_SERVERS"),
    "registry": (look_at_registry, 10, "WEIR_SCHEMA_REGISTRY__URL"),
    "neo4j": (look_at_neo4j, 25, "WEIR_NEO4J__URI"),
    "elasticsearch": (look_at_elasticsearch, 15, "WEIR_ELASTICSEARCH__URL"),
    "api": (look_at_api, 10, ""),
    "certificates": (look_at_certificates, 15, ""),
}
NAMES = (*_SINGLE, "spark", "query", "views", "clusters", "sign-in")
"""What `--only` takes."""


def examine_installation(subject: Subject, only: Collection[str] = ()) -> list[Finding]:
    """All findings. `only`: names of NAMES; empty for all."""
    return run(_chosen(subject, only))


def _chosen(subject: Subject, only: Collection[str]) -> Sequence[Examination]:
    chosen = [
        Examination(name, partial(look, subject), seconds, setting)
        for name, (look, seconds, setting) in _SINGLE.items()
        if not only or name in only
    ]
    for name, remote, setting in _engines(subject):
        if not only or name in only:
            look = partial(look_at_spark, subject, name, remote)
            chosen.append(Examination(name, look, LOOK_SECONDS, setting))
    for name, declared in (("clusters", _clusters), ("sign-in", _issuers)):
        if not only or name in only:
            chosen += _found(name, partial(declared, subject))
    return chosen


def _engines(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """Each engine once: queries and views may share that of scans."""
    settings = subject.settings
    seen = set[str]()
    for name, remote in (
        ("spark", settings.spark.remote),
        ("query", settings.query.remote),
        ("views", settings.views.remote),
    ):
        url = remote.get_secret_value()
        if url and url not in seen:
            seen.add(url)
            yield name, url, f"WEIR_{name.upper()}__REMOTE"


def _found(name: str, declared: Callable[[], list[Examination]]) -> list[Examination]:
    """What is declared is in the record store: where that is away, so are the names."""
    try:
        return declared()
    except WeirError:
        return [_unknown(name)]
    except Exception:  # the store is empty or of another version, which its own line tells
        return [_unknown(name)]


def _unknown(name: str) -> Examination:
    message = "What is declared cannot be read from the record store."
    return Examination(name, lambda: [fault(name, message, "See the lines of the database.")])


def _clusters(subject: Subject) -> list[Examination]:
    examinations = []
    for record in subject.clusters():
        name = f"cluster {record.name}"
        examinations.append(Examination(name, partial(look_at_cluster, subject, record), _TOPIC_SECONDS))
        if record.settings.get("schemaRegistry"):
            look = partial(look_at_cluster_registry, subject, record)
            examinations.append(Examination(f"{name} registry", look))
        if record.settings.get("connect"):
            examinations.append(Examination(f"{name} connect", partial(look_at_connect, subject, record)))
    return examinations


def _issuers(subject: Subject) -> list[Examination]:
    oidc = subject.settings.oidc
    issuers = [("sign-in", oidc.issuer, str(oidc.ca) if oidc.ca else None)] if oidc.issuer else []
    for document in subject.documents("IdentityProvider"):
        ca = document.spec.get("ca")
        path = subject.parts.secrets.file(ca, "spec.ca", authorities=True) if ca else None
        issuers.append((f"sign-in {document.key}", str(document.spec.get("issuer", "")), path))
    return [Examination(name, partial(look_at_issuer, subject, name, issuer, ca)) for name, issuer, ca in issuers]
