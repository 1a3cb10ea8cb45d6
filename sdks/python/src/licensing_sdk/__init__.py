"""License checks for Python programs: online, offline, and for webhooks of the licensing service."""

from ._async_resource_base import AsyncDownload, AsyncListing
from ._clock import Clock, Timer
from ._guard_state import GuardState, GuardStatus, LicenseFacts
from ._management import Page
from ._recorder_core import FlushResult, RefusedUsage
from ._resource_base import Download, Listing
from ._version import VERSION as __version__
from .artifacts import verify_artifact
from .async_client import AsyncLicensingClient
from .async_guard import AsyncLicenseGuard
from .async_management import AsyncManagementClient
from .async_usage_recorder import AsyncUsageRecorder
from .certificates import verify_certificate
from .client import LicensingClient
from .codes import Code, ErrorCode, SdkCode, VerdictCode
from .components import machine_components
from .errors import ErrorDetail, LicensingError
from .fingerprint import machine_fingerprint
from .guard import LicenseGuard
from .management import ManagementClient
from .offline_files import CertificateFile, offline_request, read_certificate_file
from .stores import FileStore, HoldingStore, MemoryStore, Store
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
    LatestRelease,
    License,
    LicensedDevice,
    LicensedDevices,
    NewestRelease,
    OfferedRelease,
    PendingTrial,
    PermittedRelease,
    ReleaseArtifact,
    ReleaseDownload,
    Timestamp,
    Trial,
    UpdateCheck,
    UsageCounter,
    UsageEvent,
    UsageReport,
    UsageResult,
    Verdict,
    VerifiedVerdict,
    WebhookEvent,
)
from .usage_recorder import UsageRecorder
from .verdicts import verify_verdict
from .webhooks import verify_webhook

__all__ = [
    "Activation",
    "AsyncDownload",
    "AsyncLicenseGuard",
    "AsyncLicensingClient",
    "AsyncListing",
    "AsyncManagementClient",
    "AsyncUsageRecorder",
    "Certificate",
    "CertificateFile",
    "CertificateVerdict",
    "CertifiedActivation",
    "CertifiedHolder",
    "CertifiedLicense",
    "Clock",
    "Code",
    "Deleted",
    "Download",
    "EntitlementCheck",
    "EntitlementChecks",
    "ErrorCode",
    "ErrorDetail",
    "FileStore",
    "FlushResult",
    "GuardState",
    "GuardStatus",
    "Holder",
    "HoldingStore",
    "Jwk",
    "Jwks",
    "LatestRelease",
    "License",
    "LicenseFacts",
    "LicenseGuard",
    "LicensedDevice",
    "LicensedDevices",
    "LicensingClient",
    "LicensingError",
    "Listing",
    "ManagementClient",
    "MemoryStore",
    "NewestRelease",
    "OfferedRelease",
    "Page",
    "PendingTrial",
    "PermittedRelease",
    "RefusedUsage",
    "ReleaseArtifact",
    "ReleaseDownload",
    "SdkCode",
    "Store",
    "Timer",
    "Timestamp",
    "Trial",
    "UpdateCheck",
    "UsageCounter",
    "UsageEvent",
    "UsageRecorder",
    "UsageReport",
    "UsageResult",
    "Verdict",
    "VerdictCode",
    "VerifiedVerdict",
    "WebhookEvent",
    "__version__",
    "machine_components",
    "machine_fingerprint",
    "offline_request",
    "read_certificate_file",
    "verify_artifact",
    "verify_certificate",
    "verify_verdict",
    "verify_webhook",
]
