"""Verification of signed tokens: compact JWS (RFC 7515) with Ed25519 (RFC 8037), and nothing else."""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ._decode import parse_object
from .errors import configuration_error

TOKEN_LENGTH_MAX = 1024 * 1024
TOLERANCE_SECONDS = 60
KEY_BYTES = 32
SIGNATURE_BYTES = 64


@dataclass(frozen=True)
class Refusal:
    """Why a token is refused: the last segment of the code, and what happened with what to do."""

    reason: str
    detail: str
    claims: Optional[Dict[str, Any]] = None


def read_token(
    token: object, jwks: Mapping[str, Any], *, token_type: str, issuer: str, audience: str, now: float, tolerance: float
) -> Union[Dict[str, Any], Refusal]:
    """Returns the claims of a token that one of the keys signed and that is valid now, or the reason to refuse it.

    Never raises because of the token. The header chooses a key by its id, and nothing else: neither the algorithm nor
    a key in the token is used.
    """
    parts = token.split(".") if isinstance(token, str) and len(token) <= TOKEN_LENGTH_MAX else []
    segments = [_decode_segment(part) for part in parts]
    if len(segments) != 3 or segments[0] is None or segments[1] is None or segments[2] is None:
        return Refusal("MALFORMED", "The token is not a compact JWS. Fetch it again.")
    header, claims = parse_object(segments[0]), parse_object(segments[1])
    if header is None or claims is None or "crit" in header:
        return Refusal("MALFORMED", "The token is not a compact JWS of the service. Fetch it again.")
    refusal = _check_header(header, token_type)
    if refusal is not None:
        return refusal
    key = _find_key(jwks, header.get("kid"))
    if key is None:
        detail = "The key that the token names is not among jwks. Embed the current key set of the tenant."
        return Refusal("KEY_UNKNOWN", detail)
    signed = f"{parts[0]}.{parts[1]}".encode("ascii")
    if not _is_signature(key, segments[2], signed):
        return Refusal("SIGNATURE_INVALID", "The token was changed: its signature is wrong. Fetch it again.")
    return _check_claims(claims, issuer, audience, now, tolerance) or claims


def check_expectations(jwks: object, issuer: str, audience: str, now: Optional[float], tolerance: float) -> None:
    """Raises ``CONFIGURATION.INVALID`` for expectations of the caller that would make every check meaningless."""
    if not isinstance(jwks, Mapping) or not isinstance(jwks.get("keys"), (list, tuple)):
        raise configuration_error("jwks must be the JWK Set of the tenant.")
    if not isinstance(issuer, str) or issuer == "":
        raise configuration_error("issuer is missing. Set it to the PUBLIC_URL of your service.")
    if not isinstance(audience, str) or audience == "":
        raise configuration_error("audience is missing. Set it to the id of your tenant.")
    if now is not None and not _is_number(now):
        raise configuration_error("now must be a number of seconds since 1970-01-01T00:00:00Z.")
    if not _is_number(tolerance) or tolerance < 0:
        raise configuration_error("clock_tolerance_seconds must be 0 or a positive number.")


def _decode_segment(text: str) -> Optional[bytes]:
    """Decodes base64url without padding. Each sequence of bytes has one accepted form (RFC 4648, section 3.5)."""
    if re.fullmatch(r"[A-Za-z0-9_-]+", text, re.ASCII) is None:
        return None
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.urlsafe_b64encode(decoded).rstrip(b"=").decode("ascii") == text else None


def _check_header(header: Mapping[str, Any], token_type: str) -> Optional[Refusal]:
    if header.get("alg") != "EdDSA":
        return Refusal("ALGORITHM_REFUSED", "The token is not signed with EdDSA. Fetch it again.")
    if header.get("typ") != token_type:
        return Refusal("TYPE_REFUSED", f"The token is not of the type {token_type}. Pass the other kind of token.")
    return None


def _find_key(jwks: Mapping[str, Any], kid: object) -> Optional[Ed25519PublicKey]:
    """Returns the only key with this id, if it is one for Ed25519 signatures."""
    keys = jwks["keys"]
    named = [key for key in keys if isinstance(key, Mapping) and key.get("kid") == kid] 
    if not isinstance(kid, str) or len(named) != 1:
        return None
    jwk, x = named[0], named[0].get("x")
    is_signing = jwk.get("use", "sig") == "sig" and jwk.get("alg", "EdDSA") == "EdDSA"
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519" or not is_signing or not isinstance(x, str):
        return None
    public = _decode_segment(x)
    return Ed25519PublicKey.from_public_bytes(public) if public is not None and len(public) == KEY_BYTES else None


def _is_signature(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def _check_claims(
    claims: Dict[str, Any], issuer: str, audience: str, now: float, tolerance: float
) -> Optional[Refusal]:
    begin: Any = claims.get("nbf", claims.get("iat"))
    end: Any = claims.get("exp")
    are_texts = isinstance(claims.get("iss"), str) and isinstance(claims.get("aud"), str)
    has_subject = "sub" in claims and (claims["sub"] is None or isinstance(claims["sub"], str))
    if not are_texts or not has_subject or not all(_is_number(at) for at in (begin, end, claims.get("iat"))):
        return Refusal("MALFORMED", "The claims of the token are not those of the service. Fetch it again.")
    if claims["iss"] != issuer:
        detail = f"The issuer is {claims['iss']}, not {issuer}. Set issuer to the PUBLIC_URL of your service."
        return Refusal("ISSUER_MISMATCH", detail, claims)
    if claims["aud"] != audience:
        detail = f"The audience is {claims['aud']}, not {audience}. Set audience to the id of your tenant."
        return Refusal("AUDIENCE_MISMATCH", detail, claims)
    if now + tolerance < begin:
        return Refusal("NOT_YET_VALID", "The token is not valid yet. Correct the clock of this machine.", claims)
    # A token ends at `exp`, not after it (RFC 7519, section 4.1.4).
    if now - tolerance >= end:
        return Refusal("EXPIRED", "The token has expired. Connect to the service to get a new one.", claims)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
