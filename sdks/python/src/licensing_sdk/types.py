"""The shapes of arguments and results.

Results are the decoded JSON of the service, unchanged: plain dictionaries with snake_case keys. Nothing is dropped or
renamed, so a field that a newer service adds is there under its name. Codes are strings with known values, because
newer services may answer with new ones.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional, TypedDict, Union

from .codes import Code

Timestamp = Union[str, datetime]
"""A moment: an ISO 8601 text with a zone, or a ``datetime`` with a timezone."""


class EntitlementCheck(TypedDict):
    """What the license grants of one entitlement."""

    code: str
    type: Optional[str]
    has_access: bool
    value: Union[str, int, float, bool, None]
    limit: Optional[int]
    usage: Optional[int]
    remaining: Optional[int]
    overage: Optional[str]
    resets_at: Optional[str]
    expires_at: Optional[str]
    source: Optional[str]
    reason: Optional[Code]


class EntitlementChecks(TypedDict):
    """The answer of ``check_entitlements``."""

    entitlements: List[EntitlementCheck]


class Holder(TypedDict):
    """The person or company that holds a license."""

    name: Optional[str]
    email: Optional[str]
    reference: Optional[str]


class License(TypedDict):
    """The license of a verdict. ``max_activations`` is the effective limit; None means unlimited."""

    id: str
    product_id: str
    policy_id: str
    key: str
    status: str
    holder: Holder
    starts_at: Optional[str]
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    max_activations: Optional[int]
    entitlements: List[Dict[str, Any]]
    activations_count: int
    deactivations_count: int
    last_validated_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str


class Activation(TypedDict):
    """A device that uses a seat of the license."""

    id: str
    license_id: str
    fingerprint: str
    name: Optional[str]
    hostname: Optional[str]
    platform: Optional[str]
    ip: Optional[str]
    status: str
    last_heartbeat_at: str
    lease_expires_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str


class LicensedDevice(TypedDict):
    """A device that holds a seat, as the holder of the license may see it. ``name`` is masked."""

    id: str
    name: Optional[str]
    platform: Optional[str]
    last_heartbeat_at: str
    created_at: str
    is_this_device: bool


class LicensedDevices(TypedDict):
    """The answer of ``list_activations``. ``next_cursor`` is the ``cursor`` of the next page; None: no more."""

    activations: List[LicensedDevice]
    next_cursor: Optional[str]


class _VerdictFields(TypedDict):
    valid: bool
    code: Code
    detail: str
    checked_at: str
    nonce: Optional[str]
    license: Optional[License]
    activation: Optional[Activation]
    entitlements: List[EntitlementCheck]


class Verdict(_VerdictFields, total=False):
    """The answer of ``validate``. ``proof`` is present if it was requested; see ``verify_verdict``."""

    proof: str


class Trial(TypedDict):
    """A trial: its license, and the seat of the device. ``activation`` is None if the device has no seat."""

    status: str
    license_key: str
    license_status: str
    expires_at: Optional[str]
    activation: Optional[Activation]


class PendingTrial(TypedDict):
    """A trial that starts when its address is confirmed: ``status`` is ``confirmation_required``."""

    status: str
    email: str
    expires_at: str


class ReleaseArtifact(TypedDict):
    """A file of a release, without its address."""

    id: str
    platform: str
    arch: str
    file_name: str
    size: int
    sha256: str
    signature: Optional[str]


class OfferedRelease(TypedDict):
    """A release that the license permits. ``notes`` are Markdown."""

    id: str
    version: str
    channel: str
    notes: str
    released_at: str
    artifacts: List[ReleaseArtifact]


class NewestRelease(TypedDict):
    """The newest release of a channel. ``code`` says why the license does not permit it; None: it does."""

    version: str
    released_at: str
    code: Optional[Code]
    detail: Optional[str]


class PermittedRelease(TypedDict):
    """The newest release that the license permits."""

    version: str


class LatestRelease(TypedDict):
    """The answer of ``latest_release``. ``release`` is None if no permitted release is newer than the current one."""

    release: Optional[OfferedRelease]
    newest: Optional[NewestRelease]
    newest_permitted: Optional[PermittedRelease]


class UpdateCheck(LatestRelease):
    """The answer of ``check_for_update``.

    ``code`` says why the newest release is not offered, or why the service gave no answer. None: the license permits
    the newest one.
    """

    code: Optional[Code]
    detail: Optional[str]


class ReleaseDownload(TypedDict):
    """The link to a file of a release, and the hash for ``verify_artifact``. ``expires_at`` is None: always."""

    url: str
    expires_at: Optional[str]
    file_name: str
    size: int
    sha256: str


class Deleted(TypedDict):
    """The answer of ``deactivate``."""

    deleted: bool
    id: str


class _UsageEventFields(TypedDict):
    entitlement: str
    quantity: int


class UsageEvent(_UsageEventFields, total=False):
    """One consumption of a metered entitlement. Events with the same ``idempotency_key`` are counted once."""

    idempotency_key: str
    occurred_at: Timestamp


class UsageResult(TypedDict):
    """What the service did with one event: ``accepted``, ``duplicate`` or ``refused``."""

    index: int
    status: str
    reason: Optional[Code]


class UsageCounter(TypedDict):
    """The consumption of one entitlement in the current period."""

    code: str
    usage: int
    limit: Optional[int]
    remaining: Optional[int]
    resets_at: Optional[str]


class UsageReport(TypedDict):
    """The answer of ``report_usage``."""

    results: List[UsageResult]
    counters: List[UsageCounter]


class Certificate(TypedDict):
    """An offline certificate: a token for ``verify_certificate``."""

    certificate: str
    expires_at: str


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
