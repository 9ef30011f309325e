"""The console script `weir`, and `python -m weir`."""

from __future__ import annotations

from weir import open_rooms


def main() -> None:
    """Run the command line of `api.cli`; ends the process with its exit code."""
    open_rooms()
    from api.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
