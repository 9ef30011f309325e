"""An archive of Spark's classes as the JVM has read and checked them: with it a server starts in half of the processor time.

1. a server that starts without an archive writes down which classes it loads
2. `make` writes the archive from that list, once for each Java and class path, into the cache all instances share
3. servers that start later map it into their memory; where it does not fit, Java writes so into its log and goes without
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stack.installed.java import Java

_LONGEST_SECONDS = 600


@dataclass(frozen=True)
class ClassArchive:
    """The archive for one Java and one class path. `folder` is where archives are kept."""

    java: Java
    class_path: str
    folder: Path

    @property
    def path(self) -> Path:
        """Where it is or will be; another Java or other jars have another one."""
        parts = [self.java.program, _release(self.java)]
        for jar in self.class_path.split(os.pathsep):
            file = Path(jar).stat()
            parts.append(f"{jar} {file.st_size} {file.st_mtime_ns}")
        return self.folder / f"{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:24]}.jsa"

    def options(self, listed: Path | None) -> list[str]:
        """Words for the Java of a server: use the archive, else write what is loaded to `listed`."""
        try:
            path = self.path
        except OSError:
            return []
        if path.exists():
            return [f"-XX:SharedArchiveFile={path}"]
        return [] if listed is None else [f"-XX:DumpLoadedClassList={listed}"]

    def make(self, listed: Path, log: Path) -> bool:
        """Write the archive from a list of classes; True when it was written now. Takes up to a minute of one processor,
        at the lowest priority. What Java writes goes to `log`. Raises OSError; what failed once is not tried again."""
        path = self.path
        failed = path.with_suffix(".failed")
        if path.exists() or failed.exists() or not listed.exists():
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        text = listed.read_text(encoding="utf-8", errors="replace")
        lines = text[: text.rfind("\n") + 1].splitlines(keepends=True)  # the server may be writing the last line still
        # Some Javas end over the lines of lambdas.
        for chosen in (lines, [line for line in lines if not line.startswith("@")]):
            if self._dump(chosen, path, log):
                return True
        failed.touch()
        raise OSError(f"Java did not write an archive of classes; see {log}")

    def _dump(self, lines: list[str], path: Path, log: Path) -> bool:
        with tempfile.TemporaryDirectory(prefix="making-", dir=self.folder) as name:
            folder = Path(name)
            (folder / "classes.list").write_text("".join(lines), encoding="utf-8")
            (folder / "java.args").write_text(f'-cp\n"{self.class_path}"\n', encoding="utf-8")
            words = [self.java.program, "-Xshare:dump", "-XX:+UseSerialGC", "-Xmx512m", "-Xlog:cds=error"]
            words += [
                f"-XX:SharedClassListFile={folder / 'classes.list'}",
                f"-XX:SharedArchiveFile={folder / 'made.jsa'}",
            ]
            words += [f"@{folder / 'java.args'}"]
            nice = shutil.which("nice")
            try:
                with log.open("w", encoding="utf-8") as out:
                    ended = subprocess.run(
                        [nice, "-n", "19", *words] if nice else words,
                        cwd=folder,
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=subprocess.STDOUT,
                        timeout=_LONGEST_SECONDS,
                        check=False,
                    )
            except subprocess.TimeoutExpired:
                return False
            if ended.returncode != 0 or not (folder / "made.jsa").exists():
                return False
            (folder / "made.jsa").replace(path)
            return True


def _release(java: Java) -> str:
    try:
        return (java.home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return str(java.major)
