"""The shapes of arguments and results.

Results are the decoded JSON of the service, unchanged: plain dictionaries with snake_case keys. Nothing is dropped or
renamed, so a field that a newer service adds is there under its name. Codes are strings with known values, because
newer services may answer with new ones.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

from .api_types import (
    Activation as Activation,
    Certificate as Certificate,
    Deletion,
    EntitlementCheck as EntitlementCheck,
    EntitlementChecks as EntitlementChecks,
    LatestRelease as LatestRelease,
    LicensedDevice as LicensedDevice,
    LicensedDevices as LicensedDevices,
    LicenseHolder,
    NewestRelease as NewestRelease,
    OfferedArtifact,
    OfferedRelease as OfferedRelease,
    PendingTrial as PendingTrial,
    PermittedRelease as PermittedRelease,
    ReleaseDownload as ReleaseDownload,
    Timestamp as Timestamp,
    Trial as Trial,
    UsageCounter as UsageCounter,
    UsageEvent as UsageEvent,
    UsageReport as UsageReport,
    UsageResult as UsageResult,
    Verdict as Verdict,
    VerdictLicense,
)
from .codes import Code

Deleted = Deletion
Holder = LicenseHolder
License = VerdictLicense
ReleaseArtifact = OfferedArtifact


class UpdateCheck(LatestRelease):
    """The answer of ``check_for_update``.

    ``code`` says why the newest release is not offered, or why the service gave no answer. None: the license permits
    the newest one.
    """

    code: Optional[Code]
    detail: Optional[str]


class Jwk(TypedDict):
    """A public signing key of a tenant (RFC 8037)."""

    kty: str
    crv: str
    x: str
    kid: str
    alg: str
    use: str


class Jwks(TypedDict):
    """The public signing keys of a tenant (a JWK Set, RFC 7517). Ship it with the application."""

    keys: List[Jwk]


class CertifiedHolder(TypedDict):
    """The holder that a certificate names."""

    name: Optional[str]


class CertifiedLicense(TypedDict):
    """What a certificate says about its license: codes of the product and the policy.

    ``expires_at`` is the end of the license without its grace period; the certificate may end earlier. None means:
    never, unlimited, or a certificate of a service before version 1.1, which does not say it.
    """

    id: str
    key_hint: str
    product: str
    policy: str
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    holder: CertifiedHolder
    max_activations: Optional[int]


class CertifiedActivation(TypedDict):
    """The device that a certificate was issued for."""

    fingerprint: str


class CertificateVerdict(TypedDict):
    """The result of ``verify_certificate``.

    ``license``, ``activation`` and ``claims`` are None unless the signature is right, and no entitlement has access
    unless ``valid``. Counters are unknown offline.
    """

    valid: bool
    code: Code
    detail: str
    checked_at: str
    nonce: None
    license: Optional[CertifiedLicense]
    activation: Optional[CertifiedActivation]
    entitlements: List[EntitlementCheck]
    claims: Optional[Dict[str, Any]]


class VerifiedVerdict(Verdict):
    """The result of ``verify_verdict``. ``claims`` is None unless the proof is right.

    What is not in the claims is not proven.
    """

    claims: Optional[Dict[str, Any]]


class WebhookEvent(TypedDict):
    """An event that the service sent to a webhook endpoint."""

    id: str
    type: str
    occurred_at: str
    tenant_id: str
    request_id: Optional[str]
    api_version: str
    data: Dict[str, Any]
