"""`python -m tools.pages`: builds the web pages where their sources changed, and nothing else."""

from __future__ import annotations

from api.cli.pages import PagesBuild

if __name__ == "__main__":
    build = PagesBuild(print)
    build.begin()
    build.wait()
