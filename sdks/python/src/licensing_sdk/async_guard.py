"""The guard for programs with an asyncio event loop."""

from __future__ import annotations

import asyncio
from typing import Any, List, Optional, Union, cast

from ._clock import LoopTimer
from ._guard_base import DEVICES_MAX, GuardBase
from ._guard_consult import SEATLESS, Ask
from ._guard_state import GuardState
from ._guard_update import no_update, update_of, update_question
from ._steps import drive_async
from .async_client import AsyncLicensingClient
from .errors import LicensingError, configuration_error
from .types import LicensedDevice, PendingTrial, Trial, UpdateCheck


class AsyncLicenseGuard(GuardBase[AsyncLicensingClient]):
    """The methods of ``LicenseGuard``, to be awaited. See there for the options.

    Its tasks run in the event loop in which it is started, and the store is used in the loop as well: a file is small.
    """

    def _prepare(self) -> None:
        self._schedule: Any = self._clock.schedule or LoopTimer
        # Held by one check, heartbeat or import at a time. Made in the event loop, as Python 3.9 demands.
        self._lock: Optional[asyncio.Lock] = None
        self._checking: Optional["asyncio.Future[GuardState]"] = None
        self._call_running: "Optional[asyncio.Future[Any]]" = None
        self._is_releasing = False

    @property
    def _work(self) -> asyncio.Lock:
        if self._lock is None:
            self._lock = asyncio.Lock()
        return self._lock

    async def start(self, *, fresh: bool = False) -> GuardState:
        """Starts the checks. Returns at once if the stored certificate allows the use, unless it must be ``fresh``."""
        is_first = not self._is_running
        self._is_running = True
        if is_first:
            async with self._work:
                self._core.show()
            self._deliver()
        kept = self._core.state
        is_enough = self._core.may_use_kept() and not fresh
        checking = self._join_check(is_behind=is_enough)
        return kept if is_enough else await asyncio.shield(checking)

    async def refresh(self) -> GuardState:
        """Asks the service now, and returns the new state. Concurrent calls share one check."""
        # A caller that is cancelled does not end the check of the others.
        return await asyncio.shield(self._join_check())

    def _join_check(self, is_behind: bool = False) -> "asyncio.Future[GuardState]":
        if self._checking is None:
            self._checking = asyncio.ensure_future(self._check(is_behind))
        return self._checking

    async def _check(self, is_behind: bool) -> GuardState:
        try:
            async with self._work:
                # stop() may have been called before the task of a check began.
                if self._is_running or not is_behind:
                    self._end_timer()
                    retry_after_ms = await drive_async(self._core.check(), self._call)
                    self._set_timer(*self._core.schedule_check(retry_after_ms))
        finally:
            self._checking = None
        self._deliver()
        return self._core.state

    async def stop(self) -> None:
        """Ends the checks and a running request, and frees a floating seat that no other guard holds."""
        self._is_running = False
        # The request of another stop() frees the seat, so it goes on.
        if not self._is_releasing:
            self._core.is_aborted = True
            if self._call_running is not None:
                self._call_running.cancel()
        async with self._work:
            self._end_timer()
            self._core.is_aborted = False
            self._is_releasing = True
            try:
                await drive_async(self._core.release_seat(), self._call)
            finally:
                self._is_releasing = False
        self._deliver()

    async def devices(self) -> List[LicensedDevice]:
        """Lists the devices that hold a seat, at most 100 and newest first. Raises ``LicensingError``."""
        options = self._core.options
        key, identity = self._core.memory.license_key, options.identity(options.machine())
        listed = await self._client.list_activations(key, limit=DEVICES_MAX, **identity)
        return listed["activations"]

    async def release_device(self, activation_id: str) -> GuardState:
        """Frees the seat of another device, takes it if this one needs a seat, and returns the new state."""
        await self._client.deactivate(self._core.memory.license_key, activation_id)
        # A check that already runs may get an answer from before the release.
        async with self._work:
            pass
        return await self.refresh()

    async def import_certificate(self, file: str) -> GuardState:
        """Imports the text of a certificate file, and returns the new state. Raises ``LicensingError``."""
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
        """Starts the trial of the product on this machine, or takes up the one that it had."""
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
        """Continues with a license key that the user entered, which the store keeps, and returns the new state."""
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

    async def _call(self, asked: Ask) -> Any:
        call = getattr(self._client, asked.method)(*asked.arguments, **asked.options)
        self._call_running = running = asyncio.ensure_future(call)
        try:
            return await running
        except asyncio.CancelledError:
            if not self._core.is_aborted:
                raise
            message = "The guard was stopped before the service answered. Call start() again to ask it."
            raise LicensingError("NETWORK.UNREACHABLE", message) from None
        finally:
            self._call_running = None

    def _set_timer(self, due: str, delay_ms: float) -> None:
        self._end_timer()
        if not self._is_running:
            return
        number = self._timer_number
        self._timer = self._schedule(delay_ms, lambda: self._tick(number, due, delay_ms))

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

    def _deliver(self) -> None:
        """Tells the listeners, one after the other."""
        while self._core.events:
            self._tell(self._core.events.pop(0))
