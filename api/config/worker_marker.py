"""Whether the worker of an instance lives, by the number that it writes once it works."""

from __future__ import annotations

import psutil

from api.config.home import Home


def worker_lives(home: Home) -> bool | None:
    """None where no worker of this WEIR_HOME ever worked, or the last one ended in order."""
    try:
        process = psutil.Process(int((home.root / "run" / "worker.pid").read_text()))
        # A dead child that nobody collected keeps its number.
        return process.status() != psutil.STATUS_ZOMBIE
    except (OSError, ValueError):
        return None
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False
