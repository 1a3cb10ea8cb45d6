"""The time of a guard or a recorder; a test passes its own."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Optional, Protocol


class Timer(Protocol):
    """A task that waits for its time."""

    def cancel(self) -> None:
        """Prevents the task."""


Schedule = Callable[[float, Callable[[], None]], Timer]
"""Runs a task once, after so many milliseconds."""


def start_timer(delay_ms: float, task: Callable[[], None]) -> Timer:
    """Runs a task in a thread that does not keep the process alive."""
    timer = threading.Timer(delay_ms / 1000, task)
    timer.daemon = True
    timer.start()
    return timer


class LoopTimer:
    """A timer of the event loop."""

    def __init__(self, delay_ms: float, task: Callable[[], Awaitable[Any]]) -> None:
        self._running: "Optional[asyncio.Future[Any]]" = None
        self._task = task
        self._handle = asyncio.get_running_loop().call_later(delay_ms / 1000, self._begin)

    def _begin(self) -> None:
        # The loop keeps only a weak reference to a task.
        self._running = asyncio.ensure_future(self._task())

    def cancel(self) -> None:
        """Prevents the task, unless it has begun."""
        self._handle.cancel()


def _now_ms() -> float:
    return time.time() * 1000


def _monotonic_ms() -> float:
    return time.monotonic() * 1000


@dataclass(frozen=True)
class Clock:
    """The clocks of a program, which a test replaces. All times are in milliseconds."""

    now_ms: Callable[[], float] = _now_ms
    """The clock of this machine, which a user can set, since 1970."""
    monotonic_ms: Callable[[], float] = _monotonic_ms
    """A clock that nobody can set."""
    random: Callable[[], float] = random.random
    """A number from 0 to 1, which spreads the requests of many machines."""
    schedule: Optional[Schedule] = None
    """Replaces the timers of the guard or the recorder."""


class GuardClock:
    """Tells the time of the service from this machine's clock, and notices when that clock is set back.

    A clock that is always wrong by the same amount disturbs nothing. While the process runs, time passes even if
    somebody holds the clock.
    """

    def __init__(self, clock: Clock, tolerance_ms: float) -> None:
        self._clock = clock
        self._tolerance_ms = tolerance_ms
        self._last_monotonic_ms = clock.monotonic_ms()
        self.latest_ms: float = 0
        """The latest time that was seen, in the time of the service."""
        self.offset_ms: float = 0
        """What must be added to this machine's clock to get the time of the service."""

    def adopt(self, latest_ms: float, offset_ms: float) -> None:
        """Takes over what an earlier or another process has seen."""
        self.read()
        # Times with different offsets cannot be compared.
        is_same = offset_ms == self.offset_ms
        self.latest_ms = max(self.latest_ms, latest_ms) if is_same else latest_ms
        self.offset_ms = offset_ms

    def synchronize(self, server_ms: float) -> None:
        """Takes over the time of an answer of the service. It also corrects a clock that had been ahead."""
        self._last_monotonic_ms = self._clock.monotonic_ms()
        self.latest_ms = server_ms
        self.offset_ms = server_ms - self._clock.now_ms()

    def read(self) -> "tuple[float, bool]":
        """Returns the time, never before the latest one, and whether the clock was set back beyond the tolerance."""
        monotonic_ms = self._clock.monotonic_ms()
        passed_ms = max(0.0, monotonic_ms - self._last_monotonic_ms)
        self._last_monotonic_ms = monotonic_ms
        clock_ms = self._clock.now_ms() + self.offset_ms
        at_least_ms = self.latest_ms + passed_ms
        self.latest_ms = max(at_least_ms, clock_ms)
        return self.latest_ms, clock_ms < at_least_ms - self._tolerance_ms
