"""HTTP to declared servers: each connection goes to the very address that was checked."""

from __future__ import annotations

import ssl

import httpx

from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError


class AddressRefused(httpx.ConnectError):
    """The address may not be called; `message` is a sentence for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CheckedTransport(httpx.BaseTransport):
    """Looks a host up once, checks every answer and connects to one of them, so that a name that resolves to another address
    a moment later (DNS rebinding) gains nothing. The certificate is checked for the name.

    Raises AddressRefused. `inner` replaces the network in tests.
    """

    def __init__(
        self,
        addresses: ServerAddresses,
        verify: ssl.SSLContext | str | bool = True,
        inner: httpx.BaseTransport | None = None,
    ) -> None:
        self._addresses = addresses
        self._inner = inner or httpx.HTTPTransport(verify=verify, trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = self._addresses.addresses(url.host, port)
        except SettingsError as refused:
            raise AddressRefused(refused.message) from None
        except OSError:
            raise httpx.ConnectError(f"The host {url.host} is not known.", request=request) from None
        failure: httpx.TransportError = httpx.ConnectError(f"The host {url.host} has no address.", request=request)
        for address in addresses:
            try:
                return self._inner.handle_request(_sent_to(address, request))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = error
        raise failure

    def close(self) -> None:
        self._inner.close()


def _sent_to(address: str, request: httpx.Request) -> httpx.Request:
    """The same request for one address; its Host header and the name in its TLS stay."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
