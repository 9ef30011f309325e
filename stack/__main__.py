"""`python -m stack up|down|status|env|fetch`: the servers alone, for development and tests. Users have `weir up`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import time
from typing import Any, NoReturn

from pydantic import ValidationError

from stack import ENGINES, OPTIONAL, SERVERS, IdlePython, Instance, KeptServer, PlainText, StackError, StackSettings
from stack.settings import PREFIX


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start what is not running")
    up.add_argument("--detach", action="store_true", help="leave the servers running and return")
    up.add_argument(
        "--only", action="append", choices=(*SERVERS, *OPTIONAL), help="start this server alone (may be repeated)"
    )
    fetch = commands.add_parser("fetch", help="download what a start needs, and start nothing")
    fetch.add_argument(
        "--only", action="append", choices=(*SERVERS, *OPTIONAL), help="for this server alone (may be repeated)"
    )
    down = commands.add_parser("down", help="stop all")
    down.add_argument("--wipe", action="store_true", help="delete the data too")
    for name in ("status", "env"):
        command = commands.add_parser(name)
        command.add_argument("-o", "--output", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    os.umask(0o077)
    try:
        instance = Instance(settings=StackSettings.from_environment())
        return int(globals()[f"_{options.command}"](instance, options))
    except StackError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = PREFIX + str(first["loc"][0]).upper()
        sys.stderr.write(f"error: The environment variable {name} cannot be used: {first['msg']}.\n")
        return 2


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _up(instance: Instance, options: Any) -> int:
    # TERM and a closed terminal end the same way as Ctrl-C: everything is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    progress = PlainText()
    try:
        instance.up(detach=options.detach, only=options.only, progress=progress)
        if options.detach:
            return 0
        threading.Thread(target=_end_idle_python, args=(instance,), daemon=True).start()
        instance.wait(lambda name, tail: _died(instance, name, tail, progress))
        return 0
    except KeyboardInterrupt:
        if not options.detach:
            instance.down(progress=progress)
        return 130


def _died(instance: Instance, name: str, tail: tuple[str, ...], progress: PlainText) -> None:
    """An engine is started again here, where no Weir of this instance does it."""
    progress.note("\n".join((f"{name} ended by itself:", *tail)))
    kept = KeptServer(instance, name)
    if name in ENGINES and (entry := kept.entry()) is not None:
        kept.replace(entry.identity)


def _end_idle_python(instance: Instance) -> None:
    """As the worker of a Weir does it, for servers without one."""
    idle = IdlePython(KeptServer(instance, name) for name in ENGINES)
    while True:
        time.sleep(60)
        with contextlib.suppress(OSError, StackError):
            idle.step()


def _fetch(instance: Instance, options: Any) -> int:
    instance.fetch(only=options.only, progress=PlainText())
    return 0


def _down(instance: Instance, options: Any) -> int:
    _say(f"{instance.down(wipe=options.wipe, progress=PlainText())} processes stopped")
    return 0


def _status(instance: Instance, options: Any) -> int:
    rows = instance.status()
    if options.output == "json":
        _say(json.dumps(rows, indent=1))
    else:
        for row in rows:
            memory = f"{row['memory'] / 1e6:.0f} MB"
            _say(f"{row['name']:14} {row['state']:9} {row['pid'] or '':>8} {memory:>8} {row['url']}")
    return 0


def _env(instance: Instance, options: Any) -> int:
    if options.output == "json":
        _say(json.dumps(instance.addresses().as_dict(), indent=1))
    else:
        for name, value in instance.environment().items():
            _say(f"export {name}='{value}'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
