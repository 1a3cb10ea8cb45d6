"""The client of an application."""

from __future__ import annotations

import ssl
from typing import Any, Mapping, Optional, Sequence, Union, cast

from . import _requests
from ._async_caller import AsyncCaller
from ._options import Options, application_key
from .types import (
    Activation,
    Certificate,
    Deleted,
    EntitlementChecks,
    Jwks,
    LatestRelease,
    LicensedDevices,
    PendingTrial,
    ReleaseDownload,
    Timestamp,
    Trial,
    UsageEvent,
    UsageReport,
    Verdict,
)


class AsyncLicensingClient(AsyncCaller):
    """Calls the Integration API of the licensing service with an API key.

    Threads may share one ``LicensingClient``. ``AsyncLicensingClient`` has the same methods, to be awaited: its
    requests run in threads of the client, at most 32 at once, so that the event loop never waits for the network. A
    cancelled call closes its connection. Waits between attempts occupy no thread.

    ``timeout_seconds`` limits a whole call with all its attempts. A call is repeated up to ``max_retries`` times after
    a network failure and the statuses 429, 502, 503 and 504. Only the resolution of the host's name is outside the
    limit, because the operating system cannot interrupt it.

    ``base_url`` is the address of the service. Proxies come from the environment (``HTTPS_PROXY``, ``NO_PROXY``), as
    in ``urllib``. ``ssl_context`` replaces the standard verification of TLS, for example to trust a company's own
    certificate authority.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout_seconds: float = 10,
        max_retries: int = 2,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        super().__init__(Options(base_url, application_key(api_key), timeout_seconds, max_retries, ssl_context))

    async def validate(
        self,
        license_key: str,
        *,
        product: Optional[str] = None,
        fingerprint: Optional[str] = None,
        entitlements: Optional[Sequence[str]] = None,
        version_released_at: Optional[Timestamp] = None,
        nonce: Optional[str] = None,
        proof: Optional[bool] = None,
        app_version: Optional[str] = None,
        components: Optional[Mapping[str, str]] = None,
    ) -> Verdict:
        """Asks for a verdict on the license. A negative verdict is a result, not an error.

        With ``proof=True`` the verdict is signed; check it with ``verify_verdict`` and the nonce that it repeats.
        Without a ``nonce``, the client makes one. ``components`` go with the fingerprint, here and in the other calls:
        see ``machine_components``. Raises ``LicensingError``.
        """
        request = _requests.validate(
            license_key, product, fingerprint, entitlements, version_released_at, nonce, proof, app_version, components
        )
        return cast(Verdict, await self._call(request))

    async def activate(
        self,
        license_key: str,
        *,
        fingerprint: Optional[str] = None,
        name: Optional[str] = None,
        hostname: Optional[str] = None,
        platform: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        app_version: Optional[str] = None,
        components: Optional[Mapping[str, str]] = None,
    ) -> Activation:
        """Activates this device. An active device gets its activation again.

        Raises ``LicensingError``, for example ``ACTIVATION.LIMIT_REACHED`` or the code of a negative verdict.
        """
        request = _requests.activate(
            license_key, fingerprint, name, hostname, platform, metadata, app_version, components
        )
        return cast(Activation, await self._call(request))

    async def list_activations(
        self,
        license_key: str,
        *,
        fingerprint: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        components: Optional[Mapping[str, str]] = None,
    ) -> LicensedDevices:
        """Lists the devices that hold a seat, newest first and with masked names: 25, or ``limit`` up to 100.

        With the fingerprint of this device, ``is_this_device`` says which one it is. ``deactivate`` frees a seat.
        Raises ``LicensingError``.
        """
        request = _requests.list_activations(license_key, fingerprint, limit, cursor, components)
        return cast(LicensedDevices, await self._call(request))

    async def heartbeat(self, license_key: str, activation_id: str) -> Activation:
        """Renews the lease of an activation. Raises ``LicensingError`` with status 404 after the lease has ended."""
        return cast(Activation, await self._call(_requests.of_activation(license_key, activation_id, "heartbeat")))

    async def deactivate(self, license_key: str, activation_id: str) -> Deleted:
        """Frees the seat of a device. A repeated call has the same result. Raises ``LicensingError``."""
        return cast(Deleted, await self._call(_requests.of_activation(license_key, activation_id, "deactivate")))

    async def check_entitlements(self, license_key: str, codes: Optional[Sequence[str]] = None) -> EntitlementChecks:
        """Returns what the license grants: of these codes, or of all that it has. Raises ``LicensingError``."""
        return cast(EntitlementChecks, await self._call(_requests.check_entitlements(license_key, codes)))

    async def report_usage(self, license_key: str, events: Sequence[UsageEvent]) -> UsageReport:
        """Reports 1 to 1,000 events. A retry has the first result and counts nothing twice. An event without an
        ``idempotency_key`` gets one: an event that an earlier report counted is a ``duplicate``. Refused events are in
        the result. Raises ``LicensingError``.
        """
        return cast(UsageReport, await self._call(_requests.report_usage(license_key, events)))

    async def issue_certificate(
        self,
        license_key: str,
        *,
        fingerprint: Optional[str] = None,
        ttl_seconds: Optional[int] = None,
        components: Optional[Mapping[str, str]] = None,
    ) -> Certificate:
        """Returns a certificate that ``verify_certificate`` checks offline.

        Raises ``LicensingError``, for example with the code of a negative verdict.
        """
        request = _requests.issue_certificate(license_key, fingerprint, ttl_seconds, components)
        return cast(Certificate, await self._call(request))

    async def start_trial(
        self,
        *,
        product: str,
        fingerprint: Optional[str] = None,
        email: Optional[str] = None,
        name: Optional[str] = None,
        device_name: Optional[str] = None,
        hostname: Optional[str] = None,
        platform: Optional[str] = None,
        components: Optional[Mapping[str, str]] = None,
    ) -> Union[Trial, PendingTrial]:
        """Starts the trial of a product on this device, or returns the one that it had, without a license key.

        With the status ``confirmation_required`` the user receives a code by mail, for ``confirm_trial``. The API key
        needs the scope ``trials:create``. Raises ``LicensingError``, for example ``TRIAL.NOT_OFFERED``.
        """
        device = {"name": device_name, "hostname": hostname, "platform": platform}
        request = _requests.start_trial(product, fingerprint, email, name, device, components)
        return cast(Union[Trial, PendingTrial], await self._call(request))

    async def confirm_trial(self, code: str) -> Trial:
        """Confirms the address of a trial with the code from the mail. A repeated call returns the same trial.

        Raises ``LicensingError``, for example ``TRIAL.CODE_INVALID``.
        """
        return cast(Trial, await self._call(_requests.confirm_trial(code)))

    async def latest_release(
        self,
        *,
        product: str,
        platform: str,
        arch: str,
        license_key: Optional[str] = None,
        channel: Optional[str] = None,
        current_version: Optional[str] = None,
    ) -> LatestRelease:
        """Finds the newest release that the license permits and that is newer than ``current_version``.

        ``newest`` says why a newer one is not offered. Without ``license_key``, only the newest one is named. The API
        key needs the scope ``releases:read``. Raises ``LicensingError``.
        """
        fields = {"product": product, "license_key": license_key, "channel": channel, "platform": platform}
        request = _requests.latest_release({**fields, "arch": arch, "current_version": current_version})
        return cast(LatestRelease, await self._call(request))

    async def download_release(self, release_id: str, artifact_id: str, license_key: str) -> ReleaseDownload:
        """Returns the link to a file of a release, with its hash for ``verify_artifact``. Nothing is downloaded.

        Raises ``LicensingError``, for example ``LICENSE.MAINTENANCE_EXPIRED``.
        """
        request = _requests.download_release(release_id, artifact_id, license_key)
        return cast(ReleaseDownload, await self._call(request))

    async def jwks(self, tenant_id: str) -> Jwks:
        """Returns the public signing keys of the tenant. Raises ``LicensingError``."""
        return cast(Jwks, await self._call(_requests.jwks(tenant_id)))
