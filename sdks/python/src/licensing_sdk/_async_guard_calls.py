"""The calls of a guard outside of its timers, and what its timers do."""

from __future__ import annotations

from typing import Any, AsyncContextManager, List, Optional, Union, cast

from ._guard_base import GuardBase
from ._guard_consult import SEATLESS, Ask
from ._guard_state import GuardState
from ._guard_update import no_update, update_of, update_question
from ._steps import drive_async
from .async_client import AsyncLicensingClient
from .errors import LicensingError, configuration_error
from .types import LicensedDevice, PendingTrial, Trial, UpdateCheck

DEVICES_MAX = 100


class AsyncGuardCalls(GuardBase[AsyncLicensingClient]):
    """The part of a guard that is the same with threads and with an event loop."""

    async def devices(self) -> List[LicensedDevice]:
        """Lists the devices that hold a seat, at most 100 and newest first, so that a user can release one.

        Names are masked. Raises ``LicensingError``.
        """
        options = self._core.options
        key, identity = self._core.memory.license_key, options.identity(options.machine())
        listed = await self._client.list_activations(key, limit=DEVICES_MAX, **identity)
        return listed["activations"]

    async def release_device(self, activation_id: str) -> GuardState:
        """Frees the seat of another device, takes it if this one needs a seat, and returns the new state.

        Raises ``LicensingError``, for example ``ACTIVATION.DEACTIVATION_LIMIT_REACHED``; nothing changes then.
        """
        await self._client.deactivate(self._core.memory.license_key, activation_id)
        # A check that already runs may get an answer from before the release.
        async with self._work:
            pass
        return await self.refresh()

    async def import_certificate(self, file: str) -> GuardState:
        """Imports the text of a certificate file, and returns the new state.

        Raises ``LicensingError`` for another file, one of another license key or device, a certificate that does not
        verify, and one from before the last refusal.
        """
        try:
            async with self._work:
                self._core.import_file(file)
                self._set_timer(*self._core.schedule_tick())
        finally:
            self._deliver()
        return self._core.state

    async def start_trial(
        self, *, email: Optional[str] = None, name: Optional[str] = None
    ) -> Union[Trial, PendingTrial]:
        """Starts the trial of the product on this machine, or takes up the one that it had.

        Returns the answer of the service; with ``confirmation_required`` the user receives a code by mail, for
        ``confirm_trial``. The store keeps the key of the trial. Raises ``LicensingError``, and nothing changes then.
        """
        options = self._core.options
        product, machine = options.product, options.machine()
        if product is None or machine is None:
            raise configuration_error("Pass the options product and fingerprint to the guard to start a trial.")
        answer = await self._client.start_trial(
            product=product, email=email, name=name, device_name=options.device_name, **options.identity(machine)
        )
        if answer["status"] == "started":
            await self._adopt(cast(Trial, answer)["license_key"])
        return answer

    async def confirm_trial(self, code: str) -> GuardState:
        """Starts the trial with the code from the mail, and returns the new state. Raises ``LicensingError``."""
        trial = await self._client.confirm_trial(code)
        return await self._adopt(trial["license_key"])

    async def activate(self, license_key: str) -> GuardState:
        """Continues with a license key that the user entered, which the store keeps, and returns the new state.

        Raises ``LicensingError`` if the service refuses the key: a trial goes on then. A key whose seats are taken is
        not refused.
        """
        options = self._core.options
        identity = options.identity(options.machine())
        verdict = await self._client.validate(license_key, product=options.product, **identity)
        if not verdict["valid"] and verdict["code"] not in SEATLESS:
            raise LicensingError(verdict["code"], verdict["detail"])
        return await self._adopt(license_key)

    async def check_for_update(self, *, current_version: str, channel: Optional[str] = None) -> UpdateCheck:
        """Finds the newest release of the product that the license permits, for this system. Downloads nothing.

        Never raises: ``code`` says why there is no answer. Needs ``product``.
        """
        try:
            if self._core.memory.license_key == "":
                async with self._work:
                    self._core.memory.load()
            key = self._core.memory.license_key
            question = update_question(self._core.options, key, current_version, channel)
            return update_of(await self._client.latest_release(**question))
        except Exception as error:  # Whatever fails is the answer.
            return no_update(error)
        finally:
            self._deliver()

    async def _adopt(self, license_key: str) -> GuardState:
        # A running check is about the former key.
        async with self._work:
            self._core.adopt(license_key)
        self._deliver()
        return await self.refresh()

    async def _tick(self, number: int, due: str, delay_ms: float) -> None:
        async with self._work:
            # A timer that was stopped while it fired does nothing.
            if number != self._timer_number:
                return
            due = self._core.begin_tick(due, delay_ms)
            if due == "beat" and not await drive_async(self._core.beat(), self._call):
                due = "check"
            elif due != "check":
                self._set_timer(*self._core.schedule_tick())
        self._deliver()
        if due == "check" and self._is_running:
            await self.refresh()

    @property
    def _work(self) -> AsyncContextManager[Any]:
        """Held by one check, heartbeat or import at a time."""
        raise NotImplementedError

    async def refresh(self) -> GuardState:
        """Asks the service now, and returns the new state. Concurrent calls share one check."""
        raise NotImplementedError

    async def _call(self, asked: Ask) -> Any:
        """Performs a step of a check, until the guard is stopped."""
        raise NotImplementedError

    def _set_timer(self, due: str, delay_ms: float) -> None:
        raise NotImplementedError

    def _deliver(self) -> None:
        """Tells the listeners, one after the other."""
        raise NotImplementedError
