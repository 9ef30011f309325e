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
        try:
            return self.kept_secret(name) or self.keep_secret(name, secrets.token_hex(32))
        except OSError as error:
            raise self._not_kept(error) from error

    @property
    def secrets(self) -> Path:
        return self.root / "secrets"

    def kept_secret(self, name: str) -> str | None:
        """The key of a name, None where there is none yet. Raises SettingsError for a file that cannot be read."""
        try:
            return (self.secrets / name).read_text().strip() or None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"The key {self.secrets / name} cannot be read ({_reason(error)}); give it to the user that runs Weir."
            ) from error

    def keep_secret(self, name: str, text: str) -> str:
        """Keep a key where there is none, and return the one that is kept: another process may have been first.

        Raises OSError.
        """
        path = self.secrets / name
        draft = path.with_name(f".{name}.{os.getpid()}.{secrets.token_hex(4)}")
        write_private(draft, text)
        try:
            os.link(draft, path)  # unlike a rename it fails where there is one
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return path.read_text().strip()

    def _not_kept(self, error: OSError) -> SettingsError:
        return SettingsError(
            f"Weir cannot keep its secrets in {self.secrets}: {error.strerror}. Set WEIR_HOME to a folder you can write."
        )


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not text"


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
