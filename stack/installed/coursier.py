"""Fetching from Maven Central by coursier, which PySpark carries and a short-lived JVM runs.

Nothing but Python and Java is needed: no Maven, no Ivy settings. Coursier's own environment variables hold
(`COURSIER_REPOSITORIES` for a mirror), and so do `HTTPS_PROXY` and the certificate bundle that Python is configured to use.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stack.installed.java import Java
from stack.installed.versions import Component

CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT")
TRUST_STORE_PASSWORD = "changeit"
"""Java asks for one to read a trust store; it holds public certificates only."""
CONNECTIONS = 12
"""Downloads at once. Cold fetches with 6, 16 and 32 took the same time, within what single runs can show."""


def pyspark_jars() -> Path:
    """The folder of the jars inside the installed PySpark."""
    from importlib.util import find_spec

    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("pyspark")
    return Path(next(iter(spec.submodule_search_locations))) / "jars"


def trust_options(folder: Path) -> list[str]:
    """Java options that make it trust the certificates that Python is configured to trust; empty where none are configured.

    A Java runtime brings its own list and knows nothing of a company's certificate authority.
    """
    named = [Path(os.environ[name]) for name in CERTIFICATES if os.environ.get(name)]
    bundle = next((path for path in named if path.is_file()), None)
    if bundle is None:
        return []
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

    pem = bundle.read_bytes()
    store = folder / f"trust-{hashlib.sha256(pem).hexdigest()[:12]}.p12"
    if not store.exists():
        with warnings.catch_warnings():
            # Some authorities' old certificates break a rule or two; they are trusted all the same.
            warnings.simplefilter("ignore")
            certificates = x509.load_pem_x509_certificates(pem)
        entries = [pkcs12.PKCS12Certificate(each, f"ca-{n}".encode()) for n, each in enumerate(certificates)]
        encryption = BestAvailableEncryption(TRUST_STORE_PASSWORD.encode())
        partial = store.with_suffix(f".{os.getpid()}")
        partial.write_bytes(pkcs12.serialize_java_truststore(entries, encryption))
        partial.replace(store)
    return [
        f"-Djavax.net.ssl.trustStore={store}",
        "-Djavax.net.ssl.trustStoreType=PKCS12",
        f"-Djavax.net.ssl.trustStorePassword={TRUST_STORE_PASSWORD}",
    ]


def proxy_options() -> list[str]:
    """Java options for the proxies named by HTTP_PROXY, HTTPS_PROXY and NO_PROXY (either case)."""
    options = []
    for scheme in ("http", "https"):
        name = f"{scheme}_proxy"
        parts = urlsplit(os.environ.get(name) or os.environ.get(name.upper()) or "")
        if parts.hostname:
            options += [f"-D{scheme}.proxyHost={parts.hostname}", f"-D{scheme}.proxyPort={parts.port or 80}"]
    spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    if spared and options:
        hosts = "|".join(f"*{host}" if host.startswith(".") else host for host in spared.split(",") if host)
        options.append(f"-Dhttp.nonProxyHosts={hosts}")
    return options


class Coursier:
    """A running fetcher. `fetch` may be called from several threads."""

    def __init__(self, gateway: Any, cache: Path) -> None:
        self._gateway = gateway
        self._api = gateway.jvm.coursierapi
        pool = gateway.jvm.java.util.concurrent.Executors.newFixedThreadPool(CONNECTIONS)
        self._cache = self._api.Cache.create().withLocation(gateway.jvm.java.io.File(str(cache))).withPool(pool)

    def fetch(self, component: Component) -> list[Path]:
        """Resolve the component and download its files; returns their paths in the cache.

        Raises CoursierError with the resolver's own words.
        """
        from py4j.protocol import Py4JError

        try:
            fetch = self._api.Fetch.create().withCache(self._cache)
            dependencies = self._gateway.new_array(self._api.Dependency, len(component.coordinates))
            for place, coordinate in enumerate(component.coordinates):
                group, artifact, version = coordinate.split(":")
                dependency = self._api.Dependency.of(group, artifact, version)
                if component.archive:
                    classifier, kind = component.archive
                    publication = self._api.Publication(artifact, kind, kind, classifier)
                    dependency = dependency.withPublication(publication).withTransitive(False)
                    kinds = self._gateway.new_array(self._gateway.jvm.java.lang.String, 1)
                    kinds[0] = kind
                    fetch = fetch.addArtifactTypes(kinds)
                dependencies[place] = dependency
            files = fetch.addDependencies(dependencies).fetch()
            return sorted(Path(file.getPath()) for file in files)
        except Py4JError as error:
            cause = getattr(error, "java_exception", None)
            raise CoursierError(str(cause.getMessage()) if cause is not None else str(error)) from error


class CoursierError(Exception):
    """Resolving or downloading failed; the text is the resolver's, of many lines."""


@contextmanager
def running(java: Java, folder: Path) -> Iterator[Coursier]:
    """A fetcher with its cache in `folder`/maven, ended with the block. Raises OSError when Java does not start."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = pyspark_jars()
    names = ("connect-repl/interface-*.jar", "slf4j-api-*.jar")
    class_path = os.pathsep.join(str(next(iter(jars.glob(name)))) for name in names)
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *trust_options(folder), *proxy_options()]
    port, token, process = launch_gateway(
        jarpath=str(next(iter(jars.glob("py4j-*.jar")))),
        classpath=class_path,
        javaopts=options,
        java_path=java.program,
        die_on_exit=True,
        enable_auth=True,
        return_proc=True,
        # Ctrl-C is ours to answer; the JVM ends with its standard input.
        create_new_process_group=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
    try:
        yield Coursier(gateway, folder / "maven")
    finally:
        gateway.shutdown()
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
