"""Verification of signed verdicts."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Dict, Mapping, Optional, Sequence, cast

from ._tokens import TOLERANCE_SECONDS, Refusal, check_expectations, read_token
from ._timestamps import to_moment, to_timestamp
from .errors import LicensingError, configuration_error
from .types import Timestamp, VerifiedVerdict


def verify_verdict(
    verdict: Mapping[str, Any],
    *,
    jwks: Mapping[str, Any],
    issuer: str,
    audience: str,
    nonce: str,
    license_key: Optional[str] = None,
    license_id: Optional[str] = None,
    product: Optional[str] = None,
    fingerprint: Optional[str] = None,
    entitlements: Optional[Sequence[str]] = None,
    version_released_at: Optional[Timestamp] = None,
    now: Optional[float] = None,
    clock_tolerance_seconds: float = TOLERANCE_SECONDS,
) -> VerifiedVerdict:
    """Checks that the service itself made a verdict, now and for this question. Never raises because of the verdict.

    ``verdict`` is the answer of ``validate(…, proof=True)``, and ``nonce`` is the one of that call. Pass the other
    conditions of the call as well, because a proxy could have left one out; ``product`` is the code, not the id. Of
    ``license_key`` the last characters are compared; ``license_id``, from an earlier proven verdict, is exact. The rest
    is as for ``verify_certificate``.

    A right proof gives the verdict, which may be negative, with its ``claims``. Otherwise ``valid`` is False and the
    code is one of ``PROOF.MISSING``, ``NONCE_MISMATCH``, ``QUESTION_MISMATCH`` (another key or other conditions),
    ``VERDICT_MISMATCH`` (the verdict says something else than its proof), or one of those of a certificate with the
    prefix ``PROOF``. Treat it like a service that cannot be reached.
    """
    check_expectations(jwks, issuer, audience, now, clock_tolerance_seconds)
    if not isinstance(nonce, str) or nonce == "":
        raise configuration_error("nonce must be the one that validate was called with.")
    checked_at = time.time() if now is None else float(now)
    token = verdict.get("proof") if isinstance(verdict, Mapping) else None
    if token is None:
        return _result(Refusal("MISSING", "The verdict has no proof: ask for it with proof=True."), checked_at)
    read = read_token(
        token,
        jwks,
        token_type="verdict+jwt",
        issuer=issuer,
        audience=audience,
        now=checked_at,
        tolerance=clock_tolerance_seconds,
    )
    if isinstance(read, Refusal):
        return _result(read, checked_at)
    question: Dict[str, Any] = {}
    if license_key is not None:
        question["key_hint"] = _key_hint(license_key)
    if license_id is not None:
        question["sub"] = license_id
    if entitlements is not None:
        question["entitlements"] = list(entitlements)
    refusal = (
        _check_claims(read, nonce, product, fingerprint)
        or _check_question(read, question, version_released_at)
        or _check_agreement(read, verdict)
    )
    if refusal is not None:
        return _result(refusal, checked_at)
    return cast(VerifiedVerdict, {**verdict, "claims": read})


def _check_claims(
    claims: Dict[str, Any], nonce: str, product: Optional[str], fingerprint: Optional[str]
) -> Optional[Refusal]:
    if not isinstance(claims.get("valid"), bool) or not isinstance(claims.get("code"), str):
        return Refusal("MALFORMED", "The proof lacks claims that every proof has. Ask again.")
    if claims.get("nonce") != nonce:
        return Refusal("NONCE_MISMATCH", "The proof answers another question: it may be an old one. Ask again.")
    if fingerprint is not None and claims.get("fingerprint") != fingerprint:
        return Refusal("FINGERPRINT_MISMATCH", "The proof is for another device. Ask again.")
    # The proof of a negative verdict names the product of the license, which is the reason if it is another one.
    if product is not None and claims["valid"] and claims.get("product") != product:
        return Refusal("PRODUCT_MISMATCH", "The proof is for another product. Check product and the license key.")
    return None


def _check_question(
    claims: Dict[str, Any], question: Dict[str, Any], version_released_at: Optional[Timestamp]
) -> Optional[Refusal]:
    is_same = all(claims.get(name) == value for name, value in question.items())
    if version_released_at is not None:
        is_same = is_same and to_moment(version_released_at) == _moment_of(claims.get("version_released_at"))
    return None if is_same else Refusal("QUESTION_MISMATCH", "The proof answers another question. Ask again.")


def _moment_of(claim: object) -> Optional[datetime]:
    try:
        return to_moment(claim) if isinstance(claim, str) else None
    except LicensingError:
        return None


def _key_hint(license_key: str) -> str:
    """Returns the end of a license key as the service writes it: at most 4 characters, at most a quarter of the key."""
    shown = min(4, len(license_key) // 4)
    return f"…{license_key[len(license_key) - shown:]}"


def _check_agreement(claims: Dict[str, Any], verdict: Mapping[str, Any]) -> Optional[Refusal]:
    license = verdict.get("license")
    license_id = license.get("id") if isinstance(license, Mapping) else None
    agrees = (
        verdict.get("valid") is claims["valid"]
        and verdict.get("code") == claims["code"]
        and verdict.get("nonce") == claims["nonce"]
        and license_id == claims.get("sub")
    )
    detail = "The verdict says something else than its proof. Ask again, and check every proxy."
    return None if agrees else Refusal("VERDICT_MISMATCH", detail)


def _result(refusal: Refusal, checked_at: float) -> VerifiedVerdict:
    return {
        "valid": False,
        "code": f"PROOF.{refusal.reason}",
        "detail": refusal.detail,
        "checked_at": to_timestamp(checked_at),
        "nonce": None,
        "license": None,
        "activation": None,
        "entitlements": [],
        "claims": None,
    }
