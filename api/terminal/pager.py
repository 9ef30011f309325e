"""Long texts on a terminal, a screen at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from api.terminal.output import console


def paged(show: Callable[[], None]) -> None:
    """What `show` prints through the console; by the pager of the environment (PAGER, else less) where it is longer than the
    terminal."""
    if not console.on_terminal:
        show()
        return
    with console.rich.capture() as captured:
        show()
    text = captured.get()
    if text.count("\n") < console.rich.height or not sys.stdin.isatty():
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    import pydoc

    os.environ.setdefault("LESS", "-FRX")  # colours, and no empty screen behind it
    pydoc.pager(text)
