"""A process that folds lineage as the worker does, with what producers report of datasets, and nothing else of its duties."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from api.bootstrap import build
from api.config.home import Home
from api.config.settings import load
from api.wiring.duties import Duties


def main() -> None:
    home = Home(Path(os.environ["WEIR_HOME"]))
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    services = build(load(home), home)
    services[Duties].lineage_worker().run(stop)
    services.close()


if __name__ == "__main__":
    main()
