"""A worker in memory: the file plugins of Kafka, without files. The twin of `rest` in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalog.errors import Conflict, InvalidInput, NotFound, Unavailable
from connectors.model import CheckedField, Configuration, Kind, Live, Plugin, Task

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
_STATES = {"running": "RUNNING", "paused": "PAUSED", "stopped": "STOPPED"}


class MemoryConnect:
    """See `connectors.ports.ConnectWorker`. `away` makes it answer nothing; `passwords` are keys of type PASSWORD;
    `validated` are the configurations that it was asked about."""

    def __init__(self, url: str = "http://connect:8083") -> None:
        self.url, self.away = url, False
        self.passwords: set[str] = set()
        self.connectors: dict[str, Live] = {}
        self.used: dict[str, list[str]] = {}
        self.validated: list[Configuration] = []
        self._plugins = (Plugin(SINK, "sink", "4.1.0"), Plugin(SOURCE, "source", "4.1.0"))

    def plugins(self) -> Sequence[Plugin]:
        self._present()
        return self._plugins

    def validate(self, name: str, config: Configuration) -> Sequence[CheckedField]:
        self._present()
        self.validated.append(config)
        kind = self._kind(config)
        fields = [
            CheckedField("connector.class", "STRING"),
            CheckedField("tasks.max", "INT", _number(config, "tasks.max")),
        ]
        fields.append(CheckedField("file", "STRING"))
        fields += [CheckedField(key, "PASSWORD") for key in sorted(self.passwords)]
        if kind == "source":
            missing = ('Missing required configuration "topic" which has no default value.',)
            fields.append(CheckedField("topic", "STRING", () if config.get("topic") else missing))
        else:
            missing = ("Must configure one of topics or topics.regex",)
            fields.append(CheckedField("topics", "LIST", () if config.get("topics") else missing))
        return fields

    def all(self) -> Mapping[str, Live]:
        self._present()
        return dict(sorted(self.connectors.items()))

    def get(self, name: str) -> Live | None:
        self._present()
        return self.connectors.get(name)

    def topics(self, name: str) -> Sequence[str]:
        self._present()
        return sorted(self.used.get(name, []))

    def create(self, name: str, config: Configuration, state: str) -> None:
        self._valid(config)
        if name in self.connectors:
            raise Conflict(
                f"Kafka Connect at {self.url} has a connector of that name already.", details={"server": self.url}
            )
        self.connectors[name] = _running_as(name, self._kind(config), config, _STATES[state])

    def configure(self, name: str, config: Configuration) -> None:
        self._valid(config)
        old = self.connectors.get(name)
        self.connectors[name] = _running_as(
            name, self._kind(config), config, old.state if old is not None else "RUNNING"
        )

    def set_state(self, name: str, state: str) -> None:
        live = self._named(name)
        self.connectors[name] = _running_as(name, live.kind, live.config, _STATES[state])

    def restart(self, name: str) -> None:
        live = self._named(name)
        self.connectors[name] = _running_as(
            name, live.kind, live.config, "RUNNING" if live.state == "FAILED" else live.state
        )

    def delete(self, name: str) -> bool:
        self._present()
        return self.connectors.pop(name, None) is not None

    def fail(self, name: str, trace: str) -> None:
        """Its task ends with this stack trace."""
        self.connectors[name] = replace(self._named(name), tasks=(Task(0, "FAILED", "connect:8083", trace),))

    def _present(self) -> None:
        if self.away:
            raise Unavailable(
                f"Kafka Connect at {self.url} does not answer; check connect.url of the cluster.",
                details={"server": self.url},
            )

    def _named(self, name: str) -> Live:
        self._present()
        if name not in self.connectors:
            raise NotFound(f"Kafka Connect at {self.url} has no connector {name!r}.", details={"connector": name})
        return self.connectors[name]

    def _kind(self, config: Configuration) -> Kind:
        for plugin in self._plugins:
            if plugin.name == config["connector.class"]:
                return plugin.kind
        raise Conflict(f"The twin has no plugin {config['connector.class']}.")

    def _valid(self, config: Configuration) -> None:
        if any(field.errors for field in self.validate("", config)):
            raise InvalidInput(f"Kafka Connect at {self.url} refuses the configuration.")


def _number(config: Configuration, key: str) -> tuple[str, ...]:
    value = config.get(key, "1")
    return () if value.isdigit() else (f"Invalid value {value} for configuration {key}: Not a number of type INT",)


def _running_as(name: str, kind: Kind, config: Configuration, state: str) -> Live:
    tasks = () if state == "STOPPED" else (Task(0, state, "connect:8083"),)
    return Live(name=name, kind=kind, state=state, config=dict(config), tasks=tasks, worker="connect:8083")
