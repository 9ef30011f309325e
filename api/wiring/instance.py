"""The services of one running Weir, by their type: what a route, a process or a test asks for one of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from api.config.home import Home, write_private
from policies.access.identity import Identity

T = TypeVar("T")


class Instance:
    """Services by type. `closing` ends what was opened, last opened first."""

    def __init__(self, closing: list[Callable[[], None]]) -> None:
        self._services: dict[type, object] = {}
        self._closing = closing

    def add(self, kind: type[T], service: T) -> None:
        """Make a service known by its type or its port. Raises ValueError for a second one."""
        if kind in self._services:
            raise ValueError(f"There are two services {kind.__name__}.")
        self._services[kind] = service

    def __getitem__(self, kind: type[T]) -> T:
        """Raises LookupError, naming the type, for one that nobody added."""
        try:
            service: T = self._services[kind]  # type: ignore[assignment]  # `add` kept them by their type
        except KeyError:
            raise LookupError(f"No feature provides the service {kind.__name__}.") from None
        return service

    def close(self) -> None:
        """End what was opened."""
        while self._closing:
            self._closing.pop()()


def write_admin_token(instance: Instance) -> None:
    """Make the first admin's token, kept in WEIR_HOME/admin.token; does nothing once there is one."""
    token = instance[Identity].ensure_admin()
    if token is not None:
        write_private(instance[Home].admin_token, token.text + "\n")
