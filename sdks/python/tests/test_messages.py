"""What the messages of the package say."""

from __future__ import annotations

import ast
import base64
import json
import unittest
from pathlib import Path
from typing import Any, List

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import licensing_sdk
from licensing_sdk import LicensingError, verify_certificate

SOURCES = Path(licensing_sdk.__file__).parent
IMPERATIVES = (
    "Activate Ask Call Check Connect Correct Create Download Embed Enter Fetch Give Let List Pass Read Renew".split()
    + "Request Set Try Upload".split()
    + ["must", "pass a path", "check base_url", "check the environment", "without white space", "It is not set"]
    + ["ask for it"]
)


def _sentences() -> List[str]:
    """Returns the texts of every error and refusal, with an ellipsis in place of values."""
    found = []
    for source in SOURCES.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                position = {"configuration_error": 0, "LicensingError": 1, "Refusal": 1}.get(node.func.id)
                texts = [] if position is None or len(node.args) <= position else [node.args[position]]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                texts = [node.value] if node.targets[0].id in ("message", "detail") else []
            else:
                texts = []
            for text in texts:
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                words = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts]
                if " " in "".join(words):
                    found.append("".join(words))
    return found


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


KEY = Ed25519PrivateKey.generate()
PUBLIC = _encode(KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
JWKS = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "key-1", "x": PUBLIC}]}
TIMES = {"iat": 0, "nbf": 0, "exp": 9e9}
TERMS: Any = {"key_hint": "…ABCD", "product": "editor", "policy": "yearly", "fingerprint": None, "entitlements": []}
HEADER = {"alg": "EdDSA", "typ": "license+jwt", "kid": "key-1"}
CLAIMS: Any = {"iss": "https://one.example.com", "aud": "tenant-1", "sub": "license-1", **TIMES, **TERMS}
SIGNED = ".".join(_encode(json.dumps(part).encode("utf-8")) for part in (HEADER, CLAIMS))
CERTIFICATE = f"{SIGNED}.{_encode(KEY.sign(SIGNED.encode('ascii')))}"


class Messages(unittest.TestCase):
    def test_every_message_says_what_to_do(self) -> None:
        sentences = _sentences()
        self.assertGreater(len(sentences), 40)
        silent = [text for text in sentences if not any(word in text for word in IMPERATIVES)]
        self.assertEqual(silent, [])

    def test_a_certificate_of_another_service_or_tenant_is_refused_with_both_values_and_what_to_set(self) -> None:
        expected = {"issuer": "https://one.example.com", "audience": "tenant-1"}
        for name, mine, other in (("issuer", CLAIMS["iss"], "https://two.test"), ("audience", "tenant-1", "t-2")):
            options: Any = {**expected, name: other}
            detail = verify_certificate(CERTIFICATE, jwks=JWKS, **options)["detail"]
            for text in (str(mine), other, f"Set {name} to"):
                self.assertIn(text, detail)

    def test_a_missing_issuer_or_audience_is_named(self) -> None:
        expected = {"issuer": "https://one.example.com", "audience": "tenant-1"}
        for name in expected:
            options: Any = {**expected, name: None}
            with self.assertRaises(LicensingError) as caught:
                verify_certificate(CERTIFICATE, jwks=JWKS, **options)
            self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            self.assertRegex(caught.exception.message, f"^{name} is missing. Set it to")
