"""License checks for Python programs: online, offline, and for webhooks of the licensing service."""

from ._version import VERSION as __version__
from ._guard_state import GuardState, LicenseFacts
from .async_client import AsyncLicensingClient
from .async_guard import AsyncLicenseGuard
from .certificates import verify_certificate
from .client import LicensingClient
from .codes import Code, ErrorCode, SdkCode, VerdictCode
from .errors import ErrorDetail, LicensingError
from .fingerprint import machine_fingerprint
from .guard import LicenseGuard
from .offline_files import CertificateFile, offline_request, read_certificate_file
from .stores import FileStore, MemoryStore, Store
from .types import (
    Activation,
    Certificate,
    CertificateVerdict,
    CertifiedActivation,
    CertifiedHolder,
    CertifiedLicense,
    Deleted,
    EntitlementCheck,
    EntitlementChecks,
    Holder,
    Jwk,
    Jwks,
    License,
    LicensedDevice,
    LicensedDevices,
    PendingTrial,
    Timestamp,
    Trial,
    UsageCounter,
    UsageEvent,
    UsageReport,
    UsageResult,
    Verdict,
    VerifiedVerdict,
    WebhookEvent,
)
from .verdicts import verify_verdict
from .webhooks import verify_webhook

__all__ = [
    "Activation",
    "AsyncLicenseGuard",
    "AsyncLicensingClient",
    "Certificate",
    "CertificateFile",
    "CertificateVerdict",
    "CertifiedActivation",
    "CertifiedHolder",
    "CertifiedLicense",
    "Code",
    "Deleted",
    "EntitlementCheck",
    "EntitlementChecks",
    "ErrorCode",
    "ErrorDetail",
    "FileStore",
    "GuardState",
    "Holder",
    "Jwk",
    "Jwks",
    "License",
    "LicenseFacts",
    "LicenseGuard",
    "LicensedDevice",
    "LicensedDevices",
    "LicensingClient",
    "LicensingError",
    "MemoryStore",
    "PendingTrial",
    "SdkCode",
    "Store",
    "Timestamp",
    "Trial",
    "UsageCounter",
    "UsageEvent",
    "UsageReport",
    "UsageResult",
    "Verdict",
    "VerdictCode",
    "VerifiedVerdict",
    "WebhookEvent",
    "__version__",
    "machine_fingerprint",
    "offline_request",
    "read_certificate_file",
    "verify_certificate",
    "verify_verdict",
    "verify_webhook",
]
