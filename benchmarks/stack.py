"""How long a stranger waits: the demo from nothing running to its last line, and what the servers weigh.

    weir test --bench stack            warm: everything is downloaded
    weir test --bench stack --cold     with an empty download cache

Prints each figure beside its limit; a ratio above 1 is over the limit.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent

LIMITS = {"warm": 150.0, "cold": 480.0, "first topic": 75.0, "memory": 3.5}
"""Seconds, seconds, seconds, GB (of all processes together, after the demo)."""


def main() -> int:
    cold = "--cold" in sys.argv
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
        ports = {f"WEIR_STACK__{name}_PORT": "0" for name in ("KAFKA", "REGISTRY", "NEO4J", "ELASTICSEARCH", "SPARK")}
        env.update(ports, WEIR_HOME=f"{folder}/home", WEIR_API__PORT="0", PYTHONPATH=str(ROOT))
        if cold:
            env["WEIR_CACHE"] = f"{folder}/cache"
        weir = [sys.executable, "-m", "api"]
        begun = time.monotonic()
        done = subprocess.run(
            [*weir, "demo", "--detach"], env=env, capture_output=True, text=True, cwd=ROOT, check=False
        )
        took = time.monotonic() - begun
        status = subprocess.run(
            [*weir, "status", "-o", "json"], env=env, capture_output=True, text=True, cwd=ROOT, check=False
        )
        begun = time.monotonic()
        subprocess.run([*weir, "down"], env=env, capture_output=True, cwd=ROOT, check=False)
        ended = time.monotonic() - begun
    if done.returncode:
        sys.stderr.write(done.stdout[-3000:] + done.stderr[-3000:])
        return 1
    servers = json.loads(status.stdout)["servers"]
    visible = re.search(r"first one visible (\d+) s after the start", done.stdout)
    figures = [
        ("demo, cold" if cold else "demo, warm", took, LIMITS["cold" if cold else "warm"], "s"),
        ("first scanned topic visible", float(visible[1]) if visible else float("nan"), LIMITS["first topic"], "s"),
        ("memory of all processes", sum(row["memory"] or 0 for row in servers) / 1e9, LIMITS["memory"], "GB"),
    ]
    table = Table("figure", "measured", "limit", "ratio", box=None)
    for name, value, limit, unit in figures:
        table.add_row(name, f"{value:.1f} {unit}", f"{limit:g} {unit}", f"{value / limit:.2f}")
    table.add_row("stop everything", f"{ended:.1f} s", "", "")
    for row in servers:
        table.add_row(f"  memory of {row['name']}", f"{(row['memory'] or 0) / 1e6:.0f} MB", "", "")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
