"""Sessions that `weir login` got: in the keyring of the operating system where there is one, else in a file (mode 600).

`logins.json` in WEIR_HOME lists for which Weir there is one and where; the secrets are not in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from api.config.home import Home, write_private
from catalog.errors import NotSignedIn

_SERVICE = "weir"


@dataclass(frozen=True, slots=True)
class KeptLogin:
    """Who signed in at a Weir, and where their session's secret is kept."""

    user: str
    place: Literal["keyring", "file"]


def kept_login(home: Home, url: str) -> KeptLogin | None:
    """The login at a Weir; None where nobody signed in."""
    known = _listed(home).get(url)
    return KeptLogin(known["user"], "keyring" if known["place"] == "keyring" else "file") if known else None


def keep_login(home: Home, url: str, user: str, token: str) -> KeptLogin:
    """Keep a session's secret, in place of the one before."""
    forget_login(home, url)
    login = KeptLogin(user, "keyring" if _into_keyring(url, token) else "file")
    if login.place == "file":
        write_private(_file(home, url), token + "\n")
    _list(home, {**_listed(home), url: {key: str(value) for key, value in asdict(login).items()}})
    return login


def kept_token(home: Home, url: str) -> str | None:
    """The secret of the login at a Weir; None where nobody signed in. Raises NotSignedIn when it cannot be read."""
    login = kept_login(home, url)
    if login is None:
        return None
    token = None
    if login.place == "keyring":
        import keyring
        from keyring.errors import KeyringError

        with contextlib.suppress(KeyringError):
            token = keyring.get_password(_SERVICE, url)
    else:
        with contextlib.suppress(OSError):
            token = _file(home, url).read_text().strip()
    if not token:
        raise NotSignedIn(
            f"The login of {login.user} at {url} cannot be read from its {login.place}; run weir login again."
        )
    return token


def forget_login(home: Home, url: str) -> None:
    """Forget the login at a Weir, if there is one."""
    listed = _listed(home)
    login = listed.pop(url, None)
    if login is None:
        return
    if login["place"] == "keyring":
        import keyring
        from keyring.errors import KeyringError

        with contextlib.suppress(KeyringError):
            keyring.delete_password(_SERVICE, url)
    _file(home, url).unlink(missing_ok=True)
    _list(home, listed)


def _into_keyring(url: str, token: str) -> bool:
    """False where there is no keyring, or it takes nothing now."""
    import keyring

    try:
        if keyring.get_keyring().priority <= 0:
            return False
        keyring.set_password(_SERVICE, url, token)
        return keyring.get_password(_SERVICE, url) == token
    except Exception:  # backends raise errors of their own: of D-Bus, of the operating system
        return False


def _listed(home: Home) -> dict[str, dict[str, str]]:
    try:
        listed = json.loads((home.root / "logins.json").read_text())
    except (OSError, ValueError):
        return {}
    return {
        url: each
        for url, each in (listed.items() if isinstance(listed, dict) else ())
        if isinstance(each, dict) and {"user", "place"} <= each.keys()
    }


def _list(home: Home, listed: dict[str, dict[str, str]]) -> None:
    write_private(home.root / "logins.json", json.dumps(listed, indent=1) + "\n")


def _file(home: Home, url: str) -> Path:
    return home.root / "logins" / hashlib.sha256(url.encode()).hexdigest()[:16]
