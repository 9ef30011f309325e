"""Failures of TLS with a Weir, in words."""

from __future__ import annotations

import ssl

from api.terminal.client import BrokenOff, CallFailed


def tls_failure(error: CallFailed, url: str, shown: bool) -> str | None:
    """What to do about a failure of TLS; None where it is another failure. `shown`: a client certificate was set."""
    text, cause = str(error), _cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in text:
        why = getattr(cause, "verify_message", "") or "it cannot be verified"
        return (
            f"The certificate of Weir at {url} is not trusted: {why.rstrip('.')}. Set WEIR_CA to the file of the authority"
            " that signed it."
        )
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER_FAILURE" in text:
        return f"What answers at {url} does not use TLS; write WEIR_URL with http://."
    ended = isinstance(error, BrokenOff)
    if shown and url.startswith("https://") and ended:  # a server ends the handshake without a reason
        return (
            f"Weir at {url} closed the connection. Does it take WEIR_CLIENT_CERTIFICATE? It must be signed by an authority of"
            " WEIR_API__TLS_CLIENT_CA, be for clients, and not have expired; `openssl verify` shows which."
        )
    if isinstance(cause, ssl.SSLError):
        return f"No TLS with {url}: {cause.reason or 'the handshake failed'}."
    if url.startswith("http://") and ended:
        return f"What answers at {url} closed the connection; where it serves TLS, write WEIR_URL with https://."
    return None


def _cause(error: BaseException) -> ssl.SSLError | None:
    at: BaseException | None = error
    while at is not None and not isinstance(at, ssl.SSLError):
        at = at.__cause__ or at.__context__
    return at
