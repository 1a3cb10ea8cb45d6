"""License checks for Python programs: online, offline, and for webhooks of the licensing service."""

from ._version import VERSION as __version__
from .async_client import AsyncLicensingClient
from .certificates import verify_certificate
from .client import LicensingClient
from .codes import Code, ErrorCode, SdkCode, VerdictCode
from .errors import ErrorDetail, LicensingError
from .fingerprint import machine_fingerprint
from .offline_files import CertificateFile, offline_request, read_certificate_file
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
    "Holder",
    "Jwk",
    "Jwks",
    "License",
    "LicensedDevice",
    "LicensedDevices",
    "LicensingClient",
    "LicensingError",
    "PendingTrial",
    "SdkCode",
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
