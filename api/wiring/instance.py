"""The services of one running Weir, by their type: what a route, a process or a test asks for one of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from api.config.home import Home, write_private
from policies.access.identity import Identity

T = TypeVar("T")


class Instance:
    """Services by type. `closing` ends what was opened, last opened first."""

    def __init__(self, closing: list[Callable[[], None]]) -> None:
        self._services: dict[type, object] = {}
        self._makers: dict[type, Callable[[], object]] = {}
        self._lock = threading.RLock()
        self._closing = closing

    def add(self, kind: type[T], service: T) -> None:
        """Make a service known by its type or its port. Raises ValueError for a second one."""
        self.provide(kind, lambda: service)
        self._services[kind] = service

    def provide(self, kind: type[T], make: Callable[[], T]) -> None:
        """As `add`, for a service that is made when it is first asked for. `make` may ask for other services."""
        if kind in self._makers:
            raise ValueError(f"There are two services {kind.__name__}.")
        self._makers[kind] = make

    def __getitem__(self, kind: type[T]) -> T:
        """Raises LookupError, naming the type, for one that nobody provides."""
        service = self._services.get(kind)
        return service if service is not None else self._made(kind)  # type: ignore[return-value]  # kept by their type

    def _made(self, kind: type) -> object:
        with self._lock:
            if kind not in self._services:
                if kind not in self._makers:
                    raise LookupError(f"No feature provides the service {kind.__name__}.")
                self._services[kind] = self._makers[kind]()
            return self._services[kind]

    def close(self) -> None:
        """End what was opened."""
        while self._closing:
            self._closing.pop()()


def write_admin_token(instance: Instance) -> None:
    """Make the first admin's token, kept in WEIR_HOME/admin.token; does nothing once there is one."""
    token = instance[Identity].ensure_admin()
    if token is not None:
        write_private(instance[Home].admin_token, token.text + "\n")
