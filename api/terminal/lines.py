"""rich's console as the command line uses it. Imported when something is printed in colours or on a terminal."""

from __future__ import annotations

from rich.console import Console, ConsoleDimensions

_ENDLESS = 1_000_000
"""Cells of a line that nobody looks at on a terminal: nothing is wrapped or cut there."""


class Lines(Console):
    """A console that wraps at the width of a terminal, between words, and nowhere else."""

    @property  # type: ignore[misc]  # Console lets one set it, and nobody does
    def size(self) -> ConsoleDimensions:
        """That of the terminal; a pipe has no end of a line."""
        plain = super().size
        return plain if self.file.isatty() else ConsoleDimensions(_ENDLESS, plain.height)
