"""Settings of TLS: what contradicts itself, and files that cannot be used, end the start with one sentence."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from api.config.address import Address, Recorded
from api.config.home import Home
from api.config.http_settings import ApiSettings
from api.config.settings import load
from api.edge.tls import server_context
from catalog.errors import SettingsError
from tests.tls_world import Authority, Issued


@pytest.fixture
def files(tmp_path: Path) -> tuple[Authority, Issued]:
    authority = Authority(tmp_path / "tls")
    return authority, authority.server()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"TLS_KEY": "k"}, "needs tls_certificate"),
        ({"TLS_CLIENT_CERTIFICATES": "required"}, "needs tls_certificate"),
        ({"TLS_CERTIFICATE": "c", "TLS_CLIENT_CERTIFICATES": "optional"}, "needs tls_client_ca"),
        ({"TLS_CERTIFICATE": "c", "TLS_CLIENT_CA": "a"}, "has no effect"),
        ({"TLS_CERTIFICATE": "c", "PUBLIC_URL": "http://weir.example.com"}, "https://"),
        ({"TLS_CERTIFICATE": "c", "TLS_MIN_VERSION": "1.1"}, "TLS_MIN_VERSION"),
    ],
)
def test_settings_that_contradict_each_other(tmp_path: Path, given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load(Home(tmp_path), {f"WEIR_API__{name}": value for name, value in given.items()})
    assert sentence in raised.value.message


def test_files_that_cannot_be_used(tmp_path: Path, files: tuple[Authority, Issued]) -> None:
    _, server = files
    other = Authority(tmp_path / "other").server()
    empty = tmp_path / "empty"
    empty.write_text("")
    good = {"tls_certificate": server.certificate, "tls_key": server.key}
    asked = {"tls_client_certificates": "optional"}
    cases = [
        ({"tls_certificate": tmp_path / "none"}, "none cannot be read"),
        ({"tls_certificate": empty, "tls_key": server.key}, "no certificate in PEM"),
        ({**good, "tls_key": tmp_path / "none"}, "none cannot be read"),
        ({**good, "tls_key": empty}, "has no key in PEM"),
        ({**good, "tls_key": other.key}, "is not the key of the certificate"),
        ({**good, **asked, "tls_client_ca": empty}, "no certificate in PEM"),
        ({**good, **asked, "tls_client_ca": tmp_path / "none"}, "none cannot be read"),
    ]
    for given, sentence in cases:
        with pytest.raises(SettingsError) as raised:
            server_context(ApiSettings.model_validate(given))
        assert sentence in raised.value.message and "WEIR_API__TLS_" in raised.value.message
    assert server_context(ApiSettings()) is None
    context = server_context(ApiSettings.model_validate({**good, "tls_min_version": "1.3"}))
    assert (
        context is not None
        and context.minimum_version == ssl.TLSVersion.TLSv1_3
        and context.verify_mode == ssl.CERT_NONE
    )


def test_the_address_is_written_down_with_the_certificate(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert Recorded.of(home) is None
    Address("0.0.0.0", 1).write(home)  # noqa: S104
    assert Recorded.of(home) == Recorded("http://127.0.0.1:1")
    Address("::1", 2, tmp_path / "c.pem").write(home)
    assert Recorded.of(home) == Recorded("https://[::1]:2", tmp_path / "c.pem")
    (tmp_path / "run" / "weir.json").write_text("[]")
    assert Recorded.of(home) is None
