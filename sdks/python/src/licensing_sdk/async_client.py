"""The client for programs with an asyncio event loop."""

from __future__ import annotations

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Mapping, Optional, Sequence, Type, Union, cast

from . import _requests
from ._decode import HttpResponse
from ._options import Options
from ._retry import Outcome, Send, perform
from ._sockets import Abort
from .errors import LicensingError
from .types import (
    Activation,
    Certificate,
    Deleted,
    EntitlementChecks,
    Jwks,
    LicensedDevices,
    PendingTrial,
    Timestamp,
    Trial,
    UsageEvent,
    UsageReport,
    Verdict,
)

REQUESTS_AT_ONCE = 32


class AsyncLicensingClient:
    """The methods of ``LicensingClient``, to be awaited. See there for the options.

    Requests run in threads of the client, at most 32 at once, so that the event loop never waits for the network. A
    cancelled call closes its connection. Waits between attempts occupy no thread.
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
        self._options = Options(base_url, api_key, timeout_seconds, max_retries, ssl_context)
        self._threads = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="licensing-sdk")
        self._sleep = asyncio.sleep

    async def __aenter__(self) -> AsyncLicensingClient:
        return self

    async def __aexit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the kept connections and ends the threads."""
        self._options.transport.close()
        self._threads.shutdown(wait=False)

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
    ) -> Verdict:
        """Asks for a verdict on the license. A negative verdict is a result, not an error.

        With ``proof=True`` the verdict is signed; check it with ``verify_verdict`` and the nonce that it repeats.
        Without a ``nonce``, the client makes one. Raises ``LicensingError``.
        """
        request = _requests.validate(
            license_key, product, fingerprint, entitlements, version_released_at, nonce, proof, app_version
        )
        return cast(Verdict, await self._call(request))

    async def activate(
        self,
        license_key: str,
        *,
        fingerprint: str,
        name: Optional[str] = None,
        hostname: Optional[str] = None,
        platform: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        app_version: Optional[str] = None,
    ) -> Activation:
        """Activates this device. An active device gets its activation again.

        Raises ``LicensingError``, for example ``ACTIVATION.LIMIT_REACHED`` or the code of a negative verdict.
        """
        return cast(
            Activation,
            await self._call(
                _requests.activate(license_key, fingerprint, name, hostname, platform, metadata, app_version)
            ),
        )

    async def list_activations(
        self,
        license_key: str,
        *,
        fingerprint: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> LicensedDevices:
        """Lists the devices that hold a seat, newest first and with masked names: 25, or ``limit`` up to 100.

        With the fingerprint of this device, ``is_this_device`` says which one it is. ``deactivate`` frees a seat.
        Raises ``LicensingError``.
        """
        request = _requests.list_activations(license_key, fingerprint, limit, cursor)
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
    ) -> Certificate:
        """Returns a certificate that ``verify_certificate`` checks offline.

        Raises ``LicensingError``, for example with the code of a negative verdict.
        """
        return cast(Certificate, await self._call(_requests.issue_certificate(license_key, fingerprint, ttl_seconds)))

    async def start_trial(
        self,
        *,
        product: str,
        fingerprint: str,
        email: Optional[str] = None,
        name: Optional[str] = None,
        device_name: Optional[str] = None,
        hostname: Optional[str] = None,
        platform: Optional[str] = None,
    ) -> Union[Trial, PendingTrial]:
        """Starts the trial of a product on this device, or returns the one that it had, without a license key.

        With the status ``confirmation_required`` the user receives a code by mail, for ``confirm_trial``. The API key
        needs the scope ``trials:create``. Raises ``LicensingError``, for example ``TRIAL.NOT_OFFERED``.
        """
        device = {"name": device_name, "hostname": hostname, "platform": platform}
        request = _requests.start_trial(product, fingerprint, email, name, device)
        return cast(Union[Trial, PendingTrial], await self._call(request))

    async def confirm_trial(self, code: str) -> Trial:
        """Confirms the address of a trial with the code from the mail. A repeated call returns the same trial.

        Raises ``LicensingError``, for example ``TRIAL.CODE_INVALID``.
        """
        return cast(Trial, await self._call(_requests.confirm_trial(code)))

    async def jwks(self, tenant_id: str) -> Jwks:
        """Returns the public signing keys of the tenant. Raises ``LicensingError``."""
        return cast(Jwks, await self._call(_requests.jwks(tenant_id)))

    async def _call(self, request: _requests.ApiRequest) -> Any:
        options = self._options
        steps = perform(
            request,
            timeout_seconds=options.timeout_seconds,
            max_retries=options.max_retries,
            timing=options.timing,
        )
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Send):
                try:
                    outcome = await self._send(request, step.seconds)
                except LicensingError as failure:
                    outcome = failure
            else:
                await self._sleep(step.seconds)
                outcome = None

    async def _send(self, request: _requests.ApiRequest, seconds: float) -> HttpResponse:
        abort = Abort()
        loop = asyncio.get_running_loop()
        attempt = loop.run_in_executor(self._threads, self._options.transport.send, request, seconds, abort)
        # The thread observes the deadline, except while the operating system resolves the host's name.
        try:
            return await asyncio.wait_for(attempt, seconds + 0.1)
        except asyncio.TimeoutError as cause:
            message = "The licensing service did not answer in time. Try again, or raise timeout_seconds."
            raise LicensingError("NETWORK.TIMEOUT", message) from cause
        finally:
            if not attempt.done() or attempt.cancelled():
                abort.abort()
