"""TLS as a client of Weir: which servers are trusted, and the certificate that is shown to them."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ClientTls:
    """ca           file of the authorities that sign the server's certificate; None = those of the machine
    certificate  file of one's own certificate, with its key unless `key` has it
    """

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    @staticmethod
    def of_environment() -> ClientTls:
        """WEIR_CA, WEIR_CLIENT_CERTIFICATE, WEIR_CLIENT_KEY."""
        return ClientTls(*map(_file, ("WEIR_CA", "WEIR_CLIENT_CERTIFICATE", "WEIR_CLIENT_KEY")))

    def context(self, own: Path | None = None) -> ssl.SSLContext:
        """`own`: the file of the certificate that the Weir of this very WEIR_HOME serves. It is trusted where no authority
        is named: whatever host it is for, its key is this machine's. Raises InvalidInput naming the variable."""
        try:
            context = (
                _pinned(own) if own is not None and self.ca is None else ssl.create_default_context(cafile=self.ca)
            )
        except (OSError, ValueError) as error:
            raise _unusable("WEIR_CA", self.ca or own, error) from None
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key, "")
            except (OSError, ValueError) as error:
                raise _unusable("WEIR_CLIENT_CERTIFICATE", self.certificate, error) from None
        return context


def _pinned(own: Path) -> ssl.SSLContext:
    """Trusts the first certificate of a file and nothing that it, or one after it, has signed for others."""
    text = own.read_text()
    end = "-----END CERTIFICATE-----"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(cadata=text[text.find("-----BEGIN CERTIFICATE-----") : text.find(end) + len(end)])
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    return context


def _file(variable: str) -> Path | None:
    path = os.environ.get(variable, "").strip()
    return Path(path).expanduser() if path else None


def _unusable(variable: str, path: Path | None, error: Exception) -> InvalidInput:
    if isinstance(error, FileNotFoundError | PermissionError):
        return InvalidInput(f"{variable}={path} cannot be read, or the file of its key: {error.strerror}.")
    if variable == "WEIR_CA":
        return InvalidInput(f"{variable}={path} has no certificate in PEM (-----BEGIN CERTIFICATE-----).")
    return InvalidInput(
        f"{variable}={path} and WEIR_CLIENT_KEY are not a certificate and its key in PEM, the key without a password."
    )
