"""Names of Kafka clusters: many bootstrap strings, one namespace. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from catalog.errors import InvalidInput

SCHEME = "kafka://"
_ADDRESS = re.compile(r"(?:(?P<v6>\[[0-9a-fA-F:.]+\])|(?P<host>[A-Za-z0-9._-]+)):(?P<port>\d{1,5})\Z")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def addresses(bootstrap: str | Iterable[str]) -> tuple[str, ...]:
    """`host:port` parts of a bootstrap string (`a:9092,b:9092`), hosts in lower case. Raises InvalidInput."""
    parts = bootstrap.split(",") if isinstance(bootstrap, str) else list(bootstrap)
    names = []
    for part in (p.strip() for p in parts):
        if not part:
            continue
        bare = part.split("://", 1)[-1]  # Java clients allow PLAINTEXT://host:port
        match = _ADDRESS.match(bare)
        if match is None or not 0 < int(match["port"]) < 65536:
            raise InvalidInput(
                f"Bootstrap server {part!r} is not host:port, as in localhost:9092.", details={"address": part}
            )
        names.append(bare.lower())
    if not names:
        raise InvalidInput("A cluster needs at least one bootstrap server, as in localhost:9092.")
    return tuple(dict.fromkeys(names))


def namespace_of(address: str) -> str:
    return SCHEME + address


def variants(address: str) -> tuple[str, ...]:
    """The namespaces an address goes by: itself, and for this machine's own every name of it."""
    host, _, port = address.rpartition(":")
    hosts = _LOOPBACK if host in _LOOPBACK else (host,)
    return tuple(namespace_of(f"{h}:{port}") for h in dict.fromkeys((host, *hosts)))


def canonical(namespace: str, spellings: Mapping[str, str]) -> str:
    """The canonical namespace of any spelling; one that is not known comes back unchanged.

    `spellings` maps every alias, and every canonical namespace to itself. A list of brokers is known by any of them; a
    host without a port by its only port there.
    """
    if namespace in spellings:
        return spellings[namespace]
    if not namespace.lower().startswith(SCHEME):
        return namespace
    brokers = [part.strip() for part in namespace[len(SCHEME) :].lower().rstrip("/").split(",") if part.strip()]
    for broker in brokers:
        if namespace_of(broker) in spellings:
            return spellings[namespace_of(broker)]
    for broker in brokers:
        if not re.search(r":\d+\Z", broker):
            targets = {target for alias, target in spellings.items() if alias.startswith(namespace_of(broker) + ":")}
            if len(targets) == 1:
                return targets.pop()
    return namespace
