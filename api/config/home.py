"""Where an instance keeps its things: `WEIR_HOME`, by default `.weir` beside the program."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import SettingsError

PROGRAM = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Home:
    """The folders and files of one instance. Nothing is created until it is written to."""

    root: Path

    @staticmethod
    def of_environment() -> Home:
        folder = os.environ.get("WEIR_HOME")
        return Home(Path(folder).expanduser().resolve() if folder else PROGRAM / ".weir")

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self.root / 'weir.db'}"

    @property
    def admin_token(self) -> Path:
        return self.root / "admin.token"

    @property
    def tokens(self) -> Path:
        return self.root / "tokens"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def token_of(self, user: str) -> Path:
        return self.tokens / user

    def secret(self, name: str) -> str:
        """A random key of this instance, made on first use and kept in a file only its owner can read."""
        path = self.root / "secrets" / name
        try:
            if not path.exists():
                write_private(path, secrets.token_hex(32))
            return path.read_text().strip()
        except OSError as error:
            raise SettingsError(
                f"Weir cannot keep its secrets in {path.parent}: {error.strerror}. Set WEIR_HOME to a folder you can write."
            ) from error


def write_private(path: Path, text: str) -> None:
    """Write a file whole, readable by its owner only (mode 600, folder 700).

    Never overwrites half: the text goes to a new file which then takes the name.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
