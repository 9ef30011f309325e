"""The client properties that a declared cluster may set, by their names in librdkafka: time limits, sizes, names.

Everything else is refused: among the others are some that hold secrets, load code, run commands, or switch off what
`security` promises. docs/reference/declared-state.md lists these.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALLOWED: dict[str, str] = {
    "client.id": "Name under which the brokers log the client.",
    "client.rack": "Rack of the client, to read from the nearest replica.",
    "broker.address.family": "any, v4 or v6.",
    "broker.address.ttl": "How long an address of a broker is kept, in ms.",
    "socket.timeout.ms": "Time limit of a request.",
    "socket.connection.setup.timeout.ms": "Time limit of a connection's start.",
    "socket.keepalive.enable": "TCP keep-alives.",
    "socket.nagle.disable": "TCP_NODELAY.",
    "socket.send.buffer.bytes": "Buffer of a socket, sending.",
    "socket.receive.buffer.bytes": "Buffer of a socket, receiving.",
    "socket.max.fails": "Failed requests after which a connection is closed.",
    "connections.max.idle.ms": "A connection is closed when nothing was sent for so long.",
    "reconnect.backoff.ms": "Shortest pause before a broker is tried again.",
    "reconnect.backoff.max.ms": "Longest such pause.",
    "retry.backoff.ms": "Shortest pause before a request is tried again.",
    "retry.backoff.max.ms": "Longest such pause.",
    "metadata.max.age.ms": "How long what is known of topics is kept.",
    "topic.metadata.refresh.interval.ms": "How often topics are asked for.",
    "topic.metadata.refresh.fast.interval.ms": "The same while a leader is missing.",
    "topic.metadata.refresh.sparse": "Ask only for the topics in use.",
    "api.version.request": "Ask the brokers which requests they know.",
    "api.version.request.timeout.ms": "Time limit of that.",
    "api.version.fallback.ms": "How long `broker.version.fallback` counts after that failed.",
    "broker.version.fallback": "Version of brokers that cannot be asked.",
    "request.timeout.ms": "Time a broker may take to answer; Spark's reader takes it too.",
    "message.max.bytes": "Largest request.",
    "receive.message.max.bytes": "Largest answer.",
    "max.in.flight.requests.per.connection": "Requests at once.",
    "fetch.min.bytes": "Least bytes a broker answers a fetch with.",
    "fetch.max.bytes": "Most bytes of a fetch.",
    "fetch.wait.max.ms": "How long a broker waits for that.",
    "fetch.message.max.bytes": "First size of a fetch of one partition.",
    "max.partition.fetch.bytes": "The same by its name in Java.",
    "fetch.error.backoff.ms": "Pause after a fetch that failed.",
    "fetch.queue.backoff.ms": "Pause while the queue of fetched records is full.",
    "queued.min.messages": "Records fetched ahead, at least.",
    "queued.max.messages.kbytes": "Records fetched ahead, at most, in kB.",
    "check.crcs": "Check the sums of fetched records.",
    "session.timeout.ms": "Time after which a reader of a group counts as gone.",
    "heartbeat.interval.ms": "How often such a reader reports.",
    "max.poll.interval.ms": "Longest pause between two reads of it.",
}

_OF_SECURITY = ("sasl", "ssl", "security", "enable.ssl", "enable.sasl", "https", "oauth")


def refusal(names: Iterable[str]) -> str | None:
    """Why one of the properties is not taken, with the nearest that is; None when all are."""
    for name in names:
        if name in ALLOWED:
            continue
        short = name[:80]
        if name.lower().removeprefix("kafka.").startswith(_OF_SECURITY):
            return f"the property {short} is not taken; write TLS and sign-in under security, secrets as {{env: NAME}}"
        nearest = difflib.get_close_matches(name, ALLOWED, 1, 0.5)
        hint = f"; the nearest that is: {nearest[0]}" if nearest else ""
        return f"the property {short} is not taken{hint} (docs/reference/declared-state.md lists them)"
    return None
