"""Why a connector or a task failed, in one sentence: no stack trace, no value of a record, no secret.

Java's messages repeat what they could not convert or write. So a message is shown only of the exceptions listed here,
which are about a connection, a configuration or a file; and of what it quotes, of paths and of addresses with more than
a host, only what the document has in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_HEAD = re.compile(r"^(?:Caused by: )?((?:[a-z_][\w$]*\.)+[A-Z][\w$]*)(?:: (.*))?$")
_SENTENCES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), sentence)
    for pattern, sentence in (
        (
            r"password authentication failed|invalid authorization|access denied for user|authentication failed",
            "The other side refused the user name or password; correct them and restart the connector.",
        ),
        (
            r"wal_level",
            "The PostgreSQL server writes no logical changes; set wal_level = logical there and start it again.",
        ),
        (
            r"replication slot .* is active",
            "Another reader uses the replication slot; give the connector its own slot.name.",
        ),
        (
            r"must be superuser or replication role|permission denied|must have (?:the )?replication",
            "The database user lacks a right that the connector needs, such as REPLICATION or SELECT; grant it and restart.",
        ),
        (r"database .* does not exist", "The database does not exist; correct its name in the configuration."),
        (
            r"UnknownTopicOrPartition|does not host this topic-partition",
            "A topic does not exist and the cluster creates none by itself; create it, or set topic.creation.default.* in"
            " the configuration of a source.",
        ),
        (
            r"TopicAuthorization|GroupAuthorization|ClusterAuthorization|SaslAuthentication",
            "The Kafka cluster does not let the worker read or write a topic; check its access rules.",
        ),
        (
            r"InvalidReplicationFactor",
            "A topic cannot be created with so many replicas; set a smaller replication factor.",
        ),
        (r"RecordTooLarge|MESSAGE_TOO_LARGE", "A record is larger than its topic takes (max.message.bytes)."),
        (r"OutOfMemoryError|Java heap space", "The worker has too little memory for the connector."),
        (r"No space left on device", "A disk of the worker is full; make room and restart the connector."),
    )
)
_SHOWN = frozenset(
    {
        "java.net.ConnectException",
        "java.net.UnknownHostException",
        "java.net.NoRouteToHostException",
        "java.net.SocketTimeoutException",
        "java.net.BindException",
        "java.net.SocketException",
        "java.nio.channels.UnresolvedAddressException",
        "java.nio.file.NoSuchFileException",
        "java.nio.file.AccessDeniedException",
        "java.nio.file.NotDirectoryException",
        "java.io.FileNotFoundException",
        "javax.net.ssl.SSLHandshakeException",
        "sun.security.provider.certpath.SunCertPathBuilderException",
        "org.apache.kafka.common.config.ConfigException",
    }
)
"""Exceptions whose messages are about a connection, a file or a configuration, and hold nothing of a record."""
_SHOWN_WHERE: dict[str, re.Pattern[str]] = {
    "org.apache.kafka.connect.errors.ConnectException": re.compile(r"Couldn't find or create file '[^']*' for \w+\Z"),
    "org.postgresql.util.PSQLException": re.compile(
        r"Connection to \S+ refused|The connection attempt failed\.?\Z|FATAL: "
        r"|ERROR: (?:relation|publication) \"[^\"]*\" (?:does not|already) exists?\Z"
    ),
}
"""Of others the messages that are so."""
_QUOTED = re.compile(r"(?<!\w)'([^']*)'|\"([^\"]*)\"|`([^`]*)`")
_CUT = re.compile(r"\s*(?:Detail:|\[Source:|\(byte\[\]\)|\bat \[).*", re.DOTALL)
_INVALID = re.compile(r"(?<=Invalid value )(.*)(?= for configuration )", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][\w+.:-]*://\S+|(?:jdbc|mongodb|amqp|redis):\S+|[\w.-]+\s*=\s*[^\s;,&]+")
_PATH = re.compile(r"(?<!\S)(?:file:)?[/~\\]\S+|(?<!\S)[A-Za-z]:\\\S+")
_MAIL_OR_NUMBER = re.compile(r"[^\s@]+@[^\s@]+|(?<![\d.:])\d{5,}")
_MOST = 300


def sentence(trace: str, known: Collection[str] = ()) -> str:
    """From Java's stack trace. `known`: values of the declared configuration that are in plain text, and topics."""
    chain = _chain(trace)
    if not chain:
        return "It failed; the worker's log has the reason."
    for pattern, plain in _SENTENCES:
        if any(pattern.search(f"{name} {message}") for name, message in chain):
            return plain
    if any("Tolerance exceeded" in text for _, text in chain):
        return (
            f"A record could not be converted or transformed ({_short(chain[-1][0])}); correct the converter or the transform,"
            " or, for a sink, declare deadLetters to continue without such records."
        )
    shown = [(name, message) for name, message in chain if message and _may_show(name, message)]
    if not shown:
        return f"It failed with {_short(chain[-1][0])}; the worker's log has the message, which may hold values of records."
    name, message = shown[0]
    return f"It failed with {_short(name)}: {_clean(message, known)}."


def _may_show(name: str, message: str) -> bool:
    begins = _SHOWN_WHERE.get(name)
    return name in _SHOWN or (begins is not None and begins.match(message) is not None)


def _short(name: str) -> str:
    """A class without its package."""
    return name.rpartition(".")[2].rpartition("$")[2]


def _chain(trace: str) -> list[tuple[str, str]]:
    """(class, message) of each exception, the outermost first; a message is its first line."""
    chain = []
    for line in trace.splitlines():
        match = _HEAD.match(line.strip())
        if match and not line.lstrip().startswith("at "):
            chain.append((match[1], match[2] or ""))
    return chain


def _clean(message: str, known: Collection[str]) -> str:
    def kept(match: re.Match[str]) -> str:
        inner = match[1] or match[2] or match[3] or ""
        return match[0] if inner in known else "…"

    def whole(match: re.Match[str]) -> str:
        end = len(match[0].rstrip(".,;)"))
        return match[0] if match[0][:end] in known else f"…{match[0][end:]}"

    text = _INVALID.sub(whole, _CUT.sub("", message))
    text = _QUOTED.sub(kept, text)
    text = _PATH.sub(whole, _ADDRESS.sub(whole, text))
    return _MAIL_OR_NUMBER.sub("…", " ".join(text.split()))[:_MOST].rstrip(". ")
