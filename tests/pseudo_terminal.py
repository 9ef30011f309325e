"""A command in a terminal of its own: what is typed, and what the screen receives."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests import waiting

_STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>]")
_WHERE = b"\x1b[6n"
"""A program asks where the cursor is."""


class Screen:
    """The terminal's other end."""

    def __init__(self, process: subprocess.Popen[bytes], fd: int) -> None:
        self.process, self._fd = process, fd
        self._text = b""

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def until(self, shown: str, seconds: float = 60) -> str:
        """What came up to and with a text, without styles; what came before is forgotten."""

        def there() -> bool:
            self._read()
            return shown in self._plain()

        try:
            waiting.until(there, f"{shown!r} on the screen", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows {self._plain()!r}") from None
        plain = self._plain()
        end = plain.index(shown) + len(shown)
        self._text = plain[end:].encode()
        return plain[:end]

    def shows(self, text: str) -> bool:
        """Whether it came by now."""
        self._read()
        return text in self._plain()

    def ended(self, seconds: float = 60) -> int:
        """The exit code."""

        def over() -> bool:
            self._read()
            return self.process.poll() is not None

        waiting.until(over, "the end of the command", seconds)
        return int(self.process.returncode)

    def _plain(self) -> str:
        return _STYLES.sub("", self._text.decode(errors="replace")).replace("\r\n", "\n")

    def _read(self) -> None:
        while select.select([self._fd], [], [], 0)[0]:
            try:
                more = os.read(self._fd, 65_536)
            except OSError:  # the command ended
                return
            if not more:
                return
            self._text += more
            if _WHERE in more:
                os.write(self._fd, b"\x1b[1;1R")


@contextmanager
def terminal(
    argv: Sequence[str], environment: Mapping[str, str], width: int = 80, height: int = 24
) -> Iterator[Screen]:
    """A command that believes a person looks at it; ended with the block."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    variables = {**environment, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        variables.pop(name, None)
    process = subprocess.Popen(
        list(argv), stdin=theirs, stdout=theirs, stderr=theirs, env=variables, start_new_session=True, close_fds=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Screen(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        os.close(ours)
