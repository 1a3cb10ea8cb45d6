"""The recorder for programs with an asyncio event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from ._clock import LoopTimer, Timer
from ._recorder_core import FlushResult, RecorderBase
from ._steps import drive_async
from .async_client import AsyncLicensingClient


class AsyncUsageRecorder(RecorderBase[AsyncLicensingClient]):
    """The methods of ``UsageRecorder``, to be awaited. See there for the options.

    Use it as a context manager, or await ``close`` before the loop ends: what was not sent by then stays in the store
    for the next run. The store is used in a thread, so the event loop never waits for the disk.
    """

    def _prepare(self) -> None:
        self._schedule: Any = self._clock.schedule or LoopTimer
        self._timer: Optional[Timer] = None
        self._running: "Optional[asyncio.Future[FlushResult]]" = None
        self._closing: "Optional[asyncio.Future[FlushResult]]" = None

    async def __aenter__(self) -> AsyncUsageRecorder:
        # The store may hold events of an earlier run.
        if self._has_store:
            self._set_timer()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def record(self, entitlement: str, quantity: int = 1) -> None:
        """Records one use, and returns when the store has the event. Raises ``LicensingError`` as ``UsageRecorder``."""
        try:
            if self._has_store:
                await asyncio.get_running_loop().run_in_executor(None, self._record, entitlement, quantity)
            else:
                self._record(entitlement, quantity)
        finally:
            self._deliver()
        self._set_timer(0 if self._is_batch_full else None)

    async def flush(self) -> FlushResult:
        """Sends everything that waits, also of earlier runs. Concurrent calls share one flush. Never raises."""
        if self._closing is not None:
            return await asyncio.shield(self._closing)
        if self._running is None:
            self._running = asyncio.ensure_future(self._flush_now())
        # A caller that is cancelled does not end the flush of the others.
        return await asyncio.shield(self._running)

    async def close(self) -> FlushResult:
        """Flushes and frees the store. What could not be sent is in the store for the next run. Never raises."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        return await asyncio.shield(self._closing)

    async def _flush_now(self) -> FlushResult:
        self._clear_timer()
        try:
            return await drive_async(self._flush_steps(), lambda asked: self._client.report_usage(*asked))
        finally:
            self._running = None
            if self._pending > 0:
                self._set_timer()
            self._deliver()

    async def _close(self) -> FlushResult:
        if self._running is not None:
            await asyncio.wait([self._running])
        self._clear_timer()
        if self._has_store:
            # Records run in threads.
            await asyncio.get_running_loop().run_in_executor(None, self._end_recording)
        else:
            self._end_recording()
        result = await drive_async(self._flush_steps(), lambda asked: self._client.report_usage(*asked))
        self._release()
        self._deliver()
        return result

    def _set_timer(self, delay_ms: Optional[float] = None) -> None:
        """Sets the timer of the next flush. A delay of zero replaces a timer that is set already."""
        is_set = self._timer is not None and delay_ms is None
        if is_set or self._closing is not None or self._running is not None:
            return
        self._clear_timer()
        self._timer = self._schedule(self._delay_ms() if delay_ms is None else delay_ms, self.flush)

    def _clear_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
