"""What the rest of the room asks of a worker of Kafka Connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from connectors.model import CheckedField, Configuration, Live, Plugin


class ConnectWorker(Protocol):
    """One worker, or a cluster of workers behind one address. Every method raises Unavailable naming the address."""

    def plugins(self) -> Sequence[Plugin]:
        """The connector classes it has, by name."""

    def validate(self, name: str, config: Configuration) -> Sequence[CheckedField]:
        """What the plugin `connector.class` makes of a configuration: every key it knows. Nothing is created. May take
        seconds: plugins try their connections."""

    def all(self) -> Mapping[str, Live]:
        """Every connector by its name."""

    def get(self, name: str) -> Live | None:
        """One connector, None where there is none."""

    def topics(self, name: str) -> Sequence[str]:
        """Topics that it has used; none where the worker does not track them."""

    def create(self, name: str, config: Configuration, state: str) -> None:
        """Make it. `state`: running, paused or stopped. Raises InvalidInput (the worker refuses the configuration),
        Conflict (there is one of that name)."""

    def configure(self, name: str, config: Configuration) -> None:
        """Replace its configuration; its tasks start again. Raises InvalidInput."""

    def set_state(self, name: str, state: str) -> None:
        """`running`, `paused` or `stopped`, in a moment. Raises NotFound."""

    def restart(self, name: str) -> None:
        """Start it and all its tasks again. Raises NotFound."""

    def delete(self, name: str) -> bool:
        """Take it away; False where there was none."""
