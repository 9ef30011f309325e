"""The distribution of Weir: one import package, which holds the rooms of the repository under `_rooms`.

The rooms (`api`, `catalog`, ...) import each other by their own names. `open_rooms` makes those names importable in this
process and in the processes that it starts; nothing else of an environment sees them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOMS = Path(__file__).resolve().parent / "_rooms"
"""As the top of the repository: the packages, the built pages, the lock file of Java."""


def open_rooms() -> None:
    """Make the rooms importable, here and in child processes; name the folder of the instance where the user does not."""
    rooms = str(ROOMS)
    if rooms not in sys.path:
        sys.path.insert(0, rooms)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != rooms]
    os.environ["PYTHONPATH"] = os.pathsep.join((rooms, *paths))
    # A folder named `api` where the user works must not be taken for ours.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    # The packages' folder may be replaced by the next version, or not be writable.
    if not os.environ.get("WEIR_HOME"):
        os.environ["WEIR_HOME"] = str(Path("~/.weir").expanduser())
