"""`python -m tools.pins`: pins that are outdated or known to be vulnerable, as far as registries answer.

Exit code 1 where a pin is known to be vulnerable. A registry that does not answer is a sentence, never silence.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stack.installed.versions import COMPONENTS

ROOT = Path(__file__).resolve().parents[1]
MAVEN = "https://repo1.maven.org/maven2"
AUDIT = "pip-audit==2.10.1"
_SECONDS = 300
_UNSTABLE = ("alpha", "beta", "rc", "cr", "preview", "snapshot", "-m", ".m")
Run = Callable[[list[str], Path], str]
Read = Callable[[str], bytes]


@dataclass(frozen=True)
class Row:
    """state: `outdated`, `vulnerable`, or `not known` with a sentence in `note`."""

    source: str
    state: str
    name: str = ""
    pinned: str = ""
    note: str = ""


def python_outdated(run: Run) -> Iterator[Row]:
    """By pip, of the packages that are installed here."""
    for each in json.loads(run([sys.executable, "-m", "pip", "list", "--outdated", "--format=json"], ROOT)):
        yield Row("python", "outdated", each["name"], each["version"], each["latest_version"])


def python_vulnerable(run: Run) -> Iterator[Row]:
    """By pip-audit, in an environment of its own, of the lock file."""
    with tempfile.TemporaryDirectory() as folder:
        run([sys.executable, "-m", "venv", folder], ROOT)
        run([f"{folder}/bin/python", "-m", "pip", "install", "--quiet", AUDIT], ROOT)
        lock = str(ROOT / "requirements" / "base.txt")
        text = run([f"{folder}/bin/pip-audit", "--disable-pip", "--require-hashes", "-f", "json", "-r", lock], ROOT)
    for each in json.loads(text)["dependencies"]:
        for known in each.get("vulns", ()):
            fixed = ", ".join(known["fix_versions"]) or "no version yet"
            yield Row("python", "vulnerable", each["name"], each["version"], f"{known['id']}, fixed in {fixed}")
        if reason := each.get("skip_reason"):
            yield Row("python", "not known", each["name"], "", reason)


def npm_outdated(run: Run) -> Iterator[Row]:
    """By npm, of the pages."""
    for name, each in json.loads(run(["npm", "outdated", "--json"], ROOT / "ui") or "{}").items():
        if each["wanted"] != each["latest"]:
            yield Row("npm", "outdated", name, each["wanted"], each["latest"])


def npm_vulnerable(run: Run) -> Iterator[Row]:
    """By npm, of what is delivered to browsers."""
    answer = json.loads(run(["npm", "audit", "--json", "--package-lock-only", "--omit", "dev"], ROOT / "ui"))
    if "vulnerabilities" not in answer:
        raise ValueError(str(answer.get("message") or answer.get("error") or "the answer has no list"))
    for name, each in answer["vulnerabilities"].items():
        yield Row("npm", "vulnerable", name, each.get("range", ""), each.get("severity", ""))


def jars_outdated(read: Read, coordinates: Iterable[str]) -> Iterator[Row]:
    """By the metadata of Maven Central. It has no list of what is known to be vulnerable."""
    for coordinate in coordinates:
        group, name, pinned = coordinate.split(":")
        path = f"{group.replace('.', '/')}/{name}/maven-metadata.xml"
        try:
            newest = newest_stable(read(f"{MAVEN}/{path}"))
        except (OSError, ET.ParseError, LookupError) as error:
            yield Row("jars", "not known", f"{group}:{name}", pinned, f"Maven Central gave no answer: {error}.")
            continue
        if newest != pinned:
            yield Row("jars", "outdated", f"{group}:{name}", pinned, newest)


def newest_stable(metadata: bytes) -> str:
    """The last listed version that is no preview. Raises LookupError where there is none."""
    listed = [each.text or "" for each in ET.fromstring(metadata).iter("version")]
    stable = [each for each in listed if not any(word in each.lower() for word in _UNSTABLE)]
    if not stable:
        raise LookupError("no stable version is listed")
    return max(stable, key=_order)


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.replace("-", ".").split(".") if part.isdigit())


def tried(source: str, what: Callable[[], Iterator[Row]]) -> list[Row]:
    """The rows, or one that names why there are none."""
    rows: list[Row] = []
    try:
        rows.extend(what())
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        rows.append(Row(source, "not known", note=f"The registry gave no usable answer: {reason}."))
    return rows


def main() -> int:
    """Print a line for each pin that is not the newest or not safe."""
    coordinates = sorted({each for component in COMPONENTS.values() for each in component.coordinates})
    rows = [
        *tried("python outdated", lambda: python_outdated(_run)),
        *tried("python vulnerable", lambda: python_vulnerable(_run)),
        *tried("npm outdated", lambda: npm_outdated(_run)),
        *tried("npm vulnerable", lambda: npm_vulnerable(_run)),
        *tried("jars outdated", lambda: jars_outdated(_read, coordinates)),
    ]
    for row in sorted(rows, key=lambda row: (row.state != "vulnerable", row.source, row.name)):
        print("  ".join(text for text in (row.state, row.source, row.name, row.pinned, row.note) if text))
    counts = {state: sum(row.state == state for row in rows) for state in ("vulnerable", "outdated", "not known")}
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    print("Jars are compared by version alone; no list of vulnerable jars was asked.")
    return 1 if counts["vulnerable"] else 0


def _run(command: list[str], folder: Path) -> str:
    # These programs end with 1 where they found something; what they print is what counts.
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode and not done.stdout.strip():
        raise OSError((done.stderr.strip().splitlines() or [f"{command[0]} ended with {done.returncode}"])[-1])
    return done.stdout


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return bytes(answer.read())


if __name__ == "__main__":
    sys.exit(main())
