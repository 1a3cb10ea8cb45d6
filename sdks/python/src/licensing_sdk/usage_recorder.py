"""The recorder for programs without an event loop."""

from __future__ import annotations

import atexit
import threading
from typing import Optional

from ._clock import Timer, start_timer
from ._recorder_core import FlushResult, RecorderBase
from ._steps import drive
from .client import LicensingClient


class _Running:
    """A flush that runs, and its result."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.result = FlushResult()


class UsageRecorder(RecorderBase[LicensingClient]):
    """Records the usage of metered entitlements and reports it in batches, in the order of recording.

    Each event has an idempotency key and is stored before it is sent, so a crash neither loses it nor counts it twice.
    Threads may share one recorder. ``store`` keeps events over a crash: one recorder per store, a second one is refused
    with ``STORE.IN_USE``. An event waits up to ``flush_interval_seconds`` (10) for others; a request has up to
    ``max_batch`` (1,000) events, and up to ``max_buffered`` (10,000) wait. ``on_refused`` hears of each event that was
    not counted and is gone, and ``on_error`` of failures, after which the events stay. At the exit of the program the
    recorder is closed. Raises ``CONFIGURATION.INVALID`` for an option that cannot work.
    """

    def _prepare(self) -> None:
        self._schedule = self._clock.schedule or start_timer
        self._mutex = threading.Lock()
        self._timer: Optional[Timer] = None
        self._running: Optional[_Running] = None
        self._closing: Optional[_Running] = None
        atexit.register(self.close)
        # The store may hold events of an earlier run.
        if self._has_store:
            self._set_timer()

    def __enter__(self) -> UsageRecorder:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def record(self, entitlement: str, quantity: int = 1) -> None:
        """Records one use, and returns when the store has the event.

        If the store fails, which ``on_error`` hears, the event is in memory only. Raises ``LicensingError`` if the
        event is not recorded and will not be sent; ``on_refused`` hears that too.
        """
        try:
            self._record(entitlement, quantity)
        finally:
            self._deliver()
        self._set_timer(0 if self._is_batch_full else None)

    def flush(self) -> FlushResult:
        """Sends everything that waits, also of earlier runs. Concurrent calls share one flush. Never raises."""
        with self._mutex:
            running = self._closing or self._running
            if running is None:
                mine = self._running = _Running()
        if running is not None:
            running.ended.wait()
            return running.result
        self._clear_timer()
        mine.result = drive(self._flush_steps(), lambda asked: self._client.report_usage(*asked))
        with self._mutex:
            self._running = None
        mine.ended.set()
        if self._pending > 0:
            self._set_timer()
        self._deliver()
        return mine.result

    def close(self) -> FlushResult:
        """Flushes and frees the store. What could not be sent is in the store for the next run. Never raises."""
        with self._mutex:
            closing, running = self._closing, self._running
            if closing is None:
                mine = self._closing = _Running()
        if closing is not None:
            closing.ended.wait()
            return closing.result
        if running is not None:
            running.ended.wait()
        self._clear_timer()
        self._end_recording()
        mine.result = drive(self._flush_steps(), lambda asked: self._client.report_usage(*asked))
        self._release()
        mine.ended.set()
        atexit.unregister(self.close)
        self._deliver()
        return mine.result

    def _set_timer(self, delay_ms: Optional[float] = None) -> None:
        """Sets the timer of the next flush. A delay of zero replaces a timer that is set already."""
        with self._mutex:
            is_set = self._timer is not None and delay_ms is None
            if is_set or self._closing is not None or self._running is not None:
                return
            if self._timer is not None:
                self._timer.cancel()
            delay = self._delay_ms() if delay_ms is None else delay_ms
            self._timer = self._schedule(delay, self._fire)

    def _fire(self) -> None:
        self.flush()

    def _clear_timer(self) -> None:
        with self._mutex:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
