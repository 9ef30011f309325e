"""How a route asks for the services it needs: `queries: From[SavedQueries]`."""

# Annotations stay objects here, as in guards.py.
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request

from api.wiring.instance import Instance

T = TypeVar("T")


async def instance(request: Request) -> Instance:
    """The services of this application, built once at its start."""
    built: Instance = request.app.state.instance
    return built


InstanceOf = Annotated[Instance, Depends(instance)]


def _provider(kind: type[Any]) -> Callable[[Request], Awaitable[Any]]:
    async def provide(request: Request) -> Any:
        built: Instance = request.app.state.instance
        return built[kind]

    return provide


if TYPE_CHECKING:
    From = Annotated[T, "a service of the instance"]
else:

    class From:
        """`From[Kind]`: the service of that type, given to the parameter of a route or of a dependency."""

        def __class_getitem__(cls, kind):
            return Annotated[kind, Depends(_provider(kind))]
