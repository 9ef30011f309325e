"""`certificates` of a service account: what is taken, and the sentence for what is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from policies.declared.service_specs import CertificateSpec, ServiceAccountSpec
from tests.api_world import world

HEX = "0f" * 32


@pytest.mark.parametrize(
    "text", [HEX, HEX.upper(), ":".join(["0F"] * 32), f"SHA256:{HEX}"], ids=["small", "large", "colons", "prefix"]
)
def test_a_fingerprint_is_taken_as_tools_print_it(text: str) -> None:
    assert CertificateSpec(fingerprint=text, scopes=["read"]).key == f"sha256:{HEX}"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("DNS:Report.Example.com", "DNS:report.example.com"),
        ("URI:spiffe://example.com/A", "URI:spiffe://example.com/A"),
    ],
)
def test_a_name_is_compared_as_the_rules_of_its_kind_have_it(name: str, key: str) -> None:
    assert CertificateSpec(name=name, scopes=["read"]).key == key


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"fingerprint": "0f" * 20}, "not a SHA-256 fingerprint"),
        ({"name": "CN=report"}, "the subject (CN=) does not count"),
        ({"name": "DNS:*.example.com"}, "is not a name"),
        ({"name": "DNS:"}, "is not a name"),
        ({"name": "URI:report"}, "is not a name"),
        ({"name": "IP:10.0.0.1"}, "is not a name"),
        ({}, "give either fingerprint or name"),
        ({"fingerprint": HEX, "name": "DNS:a"}, "give either fingerprint or name"),
        ({"fingerprint": HEX, "scopes": []}, "at least 1"),
        ({"fingerprint": HEX, "scopes": ["all"]}, "'all' is not a scope"),
        ({"fingerprint": HEX, "scopes": ["scim", "read"]}, "scim cannot be combined"),
    ],
)
def test_what_is_not_taken(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(sentence)):
        CertificateSpec.model_validate({"scopes": ["read"], **given})


def test_a_certificate_is_listed_once() -> None:
    with pytest.raises(ValidationError, match="is listed twice"):
        ServiceAccountSpec.model_validate(
            {
                "certificates": [
                    {"fingerprint": HEX, "scopes": ["read"]},
                    {"fingerprint": HEX.upper(), "scopes": ["query"]},
                ]
            }
        )


def test_a_certificate_is_of_one_account(tmp_path: Path) -> None:
    document = (
        "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: NAME}\n"
        f"spec: {{certificates: [{{fingerprint: {HEX!r}, scopes: [read]}}]}}\n"
    )
    with world(tmp_path) as weir:
        weir.apply(document.replace("NAME", "one"))
        weir.apply(document.replace("NAME", "one"))  # the same again
        refused = weir.admin.post("/api/v1/apply", content=document.replace("NAME", "two").encode())
    assert refused.status_code == 400
    assert f"the certificate sha256:{HEX} is listed by the ServiceAccount one" in refused.json()["error"]["message"]
