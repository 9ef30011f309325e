"""The local servers: Kafka, a schema registry, Neo4j, Elasticsearch and two Spark Connects, without Docker.

Needs Python and the network once; brings Java when the machine has none. Nothing here knows the rest of Weir.
"""

from __future__ import annotations

from stack.errors import StackError
from stack.home import default_home
from stack.installed import artifacts
from stack.instances.instance import Instance
from stack.instances.keeping import IdlePython, KeptServer, cut_logs
from stack.progress import PlainText, Progress, Silent
from stack.settings import StackSettings
from stack.spec import ENGINES, OPTIONAL, SERVERS, Addresses, ProcessSpec

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
