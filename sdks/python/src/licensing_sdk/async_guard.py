"""The guard for programs with an asyncio event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from ._async_guard_calls import AsyncGuardCalls
from ._clock import LoopTimer
from ._guard_consult import Ask
from ._guard_state import GuardState
from ._steps import drive_async
from .errors import LicensingError


class AsyncLicenseGuard(AsyncGuardCalls):
    """The methods of ``LicenseGuard``, to be awaited. See there for the options.

    Its tasks run in the event loop in which it is started, and the store is used in the loop as well: a file is small.
    """

    def _prepare(self) -> None:
        self._schedule: Any = self._clock.schedule or LoopTimer
        # Made in the event loop, as Python 3.9 demands.
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

    def _deliver(self) -> None:
        """Tells the listeners, one after the other."""
        while self._core.events:
            self._tell(self._core.events.pop(0))
