"""TLS with Weir: which authority is trusted, which certificate is shown, and failures of it in words."""

from __future__ import annotations

import os
import ssl

import httpx

from weir_client import errors


def shows_certificate(certificate: str | None) -> bool:
    """Whether a client certificate is set, so that no token is needed."""
    return bool(certificate or os.environ.get("WEIR_CLIENT_CERTIFICATE"))


def context(ca: str | None, certificate: str | None, key: str | None) -> ssl.SSLContext:
    """What is not given is WEIR_CA, WEIR_CLIENT_CERTIFICATE, WEIR_CLIENT_KEY. Raises InvalidInput naming the file."""
    ca = ca or os.environ.get("WEIR_CA") or None
    certificate = certificate or os.environ.get("WEIR_CLIENT_CERTIFICATE") or None
    key = key or os.environ.get("WEIR_CLIENT_KEY") or None
    try:
        trust = ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        raise errors.InvalidInput(f"The file of authorities {ca} cannot be used: {error}.", "invalid_input") from None
    if certificate is not None:
        try:
            trust.load_cert_chain(certificate, key, "")
        except (OSError, ValueError) as error:
            raise errors.InvalidInput(
                f"The client certificate {certificate} with the key {key or certificate} cannot be used: {error}.",
                "invalid_input",
            ) from None
    return trust


def failure(error: httpx.HTTPError, url: str, shown: bool) -> str | None:
    """The sentence for a failure of TLS; None where it is another failure. `shown`: a client certificate is set."""
    text, cause = str(error), _cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in text:
        why = getattr(cause, "verify_message", "") or "it cannot be verified"
        return (
            f"The certificate of Weir at {url} is not trusted: {why.rstrip('.')}. Give Weir(ca=...) or set WEIR_CA: the file"
            " of the authority that signed it."
        )
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER_FAILURE" in text:
        return f"What answers at {url} does not use TLS; write the address with http://."
    ended = isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError))
    if shown and url.startswith("https://") and ended:  # a server ends the handshake without a reason
        return (
            f"Weir at {url} closed the connection. Does it take the client certificate? It must be signed by an authority that"
            " this Weir takes, be for clients, and not have expired; `openssl verify` shows which."
        )
    if isinstance(cause, ssl.SSLError):
        return f"No TLS with {url}: {cause.reason or 'the handshake failed'}."
    if url.startswith("http://") and ended:
        return f"What answers at {url} closed the connection; where it serves TLS, write the address with https://."
    return None


def _cause(error: BaseException) -> ssl.SSLError | None:
    at: BaseException | None = error
    while at is not None and not isinstance(at, ssl.SSLError):
        at = at.__cause__ or at.__context__
    return at
