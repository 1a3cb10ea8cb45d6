"""Verification of offline certificates."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping, Optional, cast

from ._tokens import TOLERANCE_SECONDS, Refusal, check_expectations, read_token
from ._timestamps import to_moment, to_timestamp
from .errors import LicensingError
from .types import CertificateVerdict, CertifiedLicense, EntitlementCheck, Timestamp

VALID = "LICENSE.VALID"
MAINTENANCE_EXPIRED = "LICENSE.MAINTENANCE_EXPIRED"

# The claims that a service before version 1.1 does not make.
ABSENT_CLAIMS = dict.fromkeys(("license_expires_at", "maintenance_expires_at", "holder_name", "seats"))


def verify_certificate(
    token: str,
    *,
    jwks: Mapping[str, Any],
    issuer: str,
    audience: str,
    fingerprint: Optional[str] = None,
    product: Optional[str] = None,
    version_released_at: Optional[Timestamp] = None,
    now: Optional[float] = None,
    clock_tolerance_seconds: float = TOLERANCE_SECONDS,
) -> CertificateVerdict:
    """Checks an offline certificate without a network, and returns a verdict. Never raises because of the token.

    ``jwks`` are the public keys that the application ships (``client.jwks(tenant_id)``), ``issuer`` is the URL of the
    service, and ``audience`` is the tenant's id. The certificate must be for ``fingerprint`` and for the code of
    ``product`` if these are given. ``now`` are seconds since 1970 (default: the clock of the machine). A version that
    was released after the end of the maintenance (``version_released_at``) is refused; certificates of a service before
    version 1.1 do not name that end.

    The code is ``LICENSE.VALID``, ``LICENSE.MAINTENANCE_EXPIRED`` or one of ``CERTIFICATE.MALFORMED``,
    ``ALGORITHM_REFUSED``, ``TYPE_REFUSED``, ``KEY_UNKNOWN``, ``SIGNATURE_INVALID``, ``ISSUER_MISMATCH``,
    ``AUDIENCE_MISMATCH``, ``EXPIRED``, ``NOT_YET_VALID``, ``FINGERPRINT_MISMATCH`` and ``PRODUCT_MISMATCH``. Raises
    ``CONFIGURATION.INVALID`` for an impossible option.
    """
    check_expectations(jwks, issuer, audience, now, clock_tolerance_seconds)
    released_at = None if version_released_at is None else to_moment(version_released_at)
    checked_at = time.time() if now is None else float(now)
    read = read_token(
        token,
        jwks,
        token_type="license+jwt",
        issuer=issuer,
        audience=audience,
        now=checked_at,
        tolerance=clock_tolerance_seconds,
    )
    claims = read.claims if isinstance(read, Refusal) else read
    refusal = read if isinstance(read, Refusal) else None
    if claims is not None and not _is_certificate(claims):
        claims, refusal = None, Refusal("MALFORMED", "The claims are not those of a certificate. Fetch it again.")
    if claims is not None:
        claims = {**ABSENT_CLAIMS, **claims}
        refusal = refusal or _check_conditions(claims, fingerprint, product)
    if refusal is not None:
        return _verdict(f"CERTIFICATE.{refusal.reason}", refusal.detail, checked_at, claims)
    if claims is not None and released_at is not None and claims["maintenance_expires_at"] is not None:
        end = claims["maintenance_expires_at"]
        if released_at > to_moment(end):
            reason = f"The maintenance of the license ended before this version: {end}."
            detail = f"{reason} Renew it, or use an older version."
            return _verdict(MAINTENANCE_EXPIRED, detail, checked_at, claims)
    return _verdict(VALID, "The certificate is valid.", checked_at, claims)


def _check_conditions(
    claims: Dict[str, Any], fingerprint: Optional[str], product: Optional[str]
) -> Optional[Refusal]:
    if product is not None and claims["product"] != product:
        return Refusal("PRODUCT_MISMATCH", "The certificate is for another product. Check product and the license key.")
    if fingerprint is not None and claims.get("fingerprint") != fingerprint:
        return Refusal("FINGERPRINT_MISMATCH", "The certificate is for another device. Activate this one.")
    return None


def _is_certificate(claims: Dict[str, Any]) -> bool:
    grants, fingerprint = claims.get("entitlements"), claims.get("fingerprint")
    return (
        all(isinstance(claims.get(name), str) for name in ("sub", "key_hint", "product", "policy"))
        and (fingerprint is None or isinstance(fingerprint, str))
        and isinstance(grants, list)
        and all(isinstance(grant, dict) and isinstance(grant.get("code"), str) for grant in grants)
        and all(_is_moment(claims.get(name)) for name in ("license_expires_at", "maintenance_expires_at"))
        and isinstance(claims.get("holder_name") or "", str)
        and _is_number(claims.get("seats"))
    )


def _is_moment(claim: object) -> bool:
    try:
        return claim is None or (isinstance(claim, str) and to_moment(claim) is not None)
    except LicensingError:
        return False


def _is_number(claim: object) -> bool:
    return claim is None or (isinstance(claim, (int, float)) and not isinstance(claim, bool))


def _verdict(code: str, detail: str, checked_at: float, claims: Optional[Dict[str, Any]]) -> CertificateVerdict:
    valid = code == VALID
    fingerprint = None if claims is None else claims.get("fingerprint")
    at = to_timestamp(checked_at)
    grants: List[Dict[str, Any]] = [] if claims is None else claims["entitlements"]
    return {
        "valid": valid,
        "code": code,
        "detail": detail,
        "checked_at": at,
        "nonce": None,
        "license": None if claims is None else _license(claims),
        "activation": None if fingerprint is None else {"fingerprint": fingerprint},
        "entitlements": [_entitlement(grant, at, None if valid else code) for grant in grants],
        "claims": claims,
    }


def _license(claims: Dict[str, Any]) -> CertifiedLicense:
    return {
        "id": claims["sub"],
        "key_hint": claims["key_hint"],
        "product": claims["product"],
        "policy": claims["policy"],
        "expires_at": claims["license_expires_at"],
        "maintenance_expires_at": claims["maintenance_expires_at"],
        "holder": {"name": claims["holder_name"]},
        "max_activations": claims["seats"],
    }


def _entitlement(grant: Dict[str, Any], at: str, denial: Optional[str]) -> EntitlementCheck:
    """Returns a grant in the form of a verdict. Nothing has access unless the certificate is valid."""
    expires_at = grant.get("expires_at")
    # Both have the form of the service, in which the order of texts is the order of time.
    has_expired = expires_at is not None and not at < str(expires_at)
    reason = denial or ("ENTITLEMENT.EXPIRED" if has_expired else None)
    unknown = dict.fromkeys(("usage", "remaining", "overage", "resets_at", "source"))
    return cast(EntitlementCheck, {**unknown, **grant, "has_access": reason is None, "reason": reason})
