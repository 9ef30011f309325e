"""The local servers: Kafka, a schema registry, Neo4j, Elasticsearch and two Spark Connects, without Docker.

Needs Python and the network once; brings Java when the machine has none. Nothing here knows the rest of Weir.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stack.errors import StackError
    from stack.home import default_home
    from stack.installed import artifacts
    from stack.instances.instance import Instance
    from stack.instances.keeping import IdlePython, KeptServer, cut_logs
    from stack.progress import PlainText, Progress, Silent
    from stack.settings import StackSettings
    from stack.spec import ENGINES, OPTIONAL, SERVERS, Addresses, ProcessSpec

_MODULES = {
    "Addresses": "stack.spec",
    "ENGINES": "stack.spec",
    "IdlePython": "stack.instances.keeping",
    "Instance": "stack.instances.instance",
    "KeptServer": "stack.instances.keeping",
    "OPTIONAL": "stack.spec",
    "PlainText": "stack.progress",
    "ProcessSpec": "stack.spec",
    "Progress": "stack.progress",
    "SERVERS": "stack.spec",
    "Silent": "stack.progress",
    "StackError": "stack.errors",
    "StackSettings": "stack.settings",
    "artifacts": "stack.installed",
    "cut_logs": "stack.instances.keeping",
    "default_home": "stack.home",
}


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is first asked for: the command line names an error of it in every process."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


__all__ = [
    "ENGINES",
    "OPTIONAL",
    "SERVERS",
    "Addresses",
    "IdlePython",
    "Instance",
    "KeptServer",
    "PlainText",
    "ProcessSpec",
    "Progress",
    "Silent",
    "StackError",
    "StackSettings",
    "artifacts",
    "cut_logs",
    "default_home",
]
