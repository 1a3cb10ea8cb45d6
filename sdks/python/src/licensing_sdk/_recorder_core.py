"""What both recorders share: recording, deciding and settling, without timers and without a network."""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Deque, Generator, Generic, List, Optional, Tuple, TypeVar, cast

from ._clock import Clock
from ._requests import new_idempotency_key
from ._timestamps import to_timestamp
from ._usage_buffer import RecordedUsage, Settlement, UsageBuffer, settle_answer, settle_error
from .codes import Code
from .errors import LicensingError, configuration_error
from .stores import Store
from .types import UsageCounter, UsageEvent, UsageReport

BATCH_MAX = 1000
LONGEST_RETRY_MS = 300_000.0


@dataclass(frozen=True)
class RefusedUsage:
    """An event that was not counted, and why."""

    entitlement: str
    quantity: int
    idempotency_key: str
    reason: Code
    """``ENTITLEMENT.LIMIT_REACHED``, for example, or ``USAGE.BUFFER_FULL``."""


@dataclass
class FlushResult:
    """What a flush did."""

    accepted: int = 0
    duplicate: int = 0
    """Events that an earlier attempt had counted."""
    refused: List[RefusedUsage] = field(default_factory=list)
    pending: int = 0
    """Events that wait for the next flush."""
    error: Optional[LicensingError] = None
    """Why the flush ended early; None if every event was answered."""
    counters: List[UsageCounter] = field(default_factory=list)
    """The counters of the last answer."""


Client = TypeVar("Client")
Report = Tuple[str, List[UsageEvent]]
Flush = Generator[Report, UsageReport, FlushResult]


class RecorderBase(Generic[Client]):
    """The events of a recorder, and what becomes of them. Threads may share it; one flush runs at a time."""

    def __init__(
        self,
        *,
        client: Client,
        license_key: str,
        store: Optional[Store] = None,
        flush_interval_seconds: float = 10,
        max_batch: int = BATCH_MAX,
        max_buffered: int = 10_000,
        on_refused: Optional[Callable[[RefusedUsage], None]] = None,
        on_error: Optional[Callable[[LicensingError], None]] = None,
        clock: Optional[Clock] = None,
    ) -> None:
        if not callable(getattr(client, "report_usage", None)):
            raise configuration_error("client must be a client of this package.")
        if not isinstance(license_key, str) or license_key == "":
            raise configuration_error("license_key must be a text.")
        if store is not None and not callable(getattr(store, "write", None)):
            raise configuration_error("store must be a store, such as FileStore.")
        if not _is_whole(max_batch) or not 1 <= max_batch <= BATCH_MAX:
            raise configuration_error(f"max_batch must be a whole number from 1 to {BATCH_MAX}.")
        if not _is_whole(max_buffered) or max_buffered < 1:
            raise configuration_error("max_buffered must be a whole number from 1.")
        seconds = flush_interval_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise configuration_error("flush_interval_seconds must be a positive number.")
        self._client = client
        self._clock = Clock() if clock is None else clock
        self._has_store = store is not None
        self._is_closed = False
        self._recording = 0
        self._idle = threading.Condition()
        self._license_key = license_key
        self._interval_ms = seconds * 1000.0
        self._max_batch = max_batch
        self._max_buffered = max_buffered
        self._on_refused = on_refused
        self._on_error = on_error
        self._failures = 0
        self._buffer = UsageBuffer(store, self._report)
        self._events: "Deque[RefusedUsage | LicensingError]" = deque()
        self._prepare()

    def _prepare(self) -> None:
        """Makes what only this kind of recorder has."""

    def _record(self, entitlement: str, quantity: int) -> None:
        """Records one use, and returns when the store has it. Raises ``LicensingError`` if it is not recorded."""
        if not isinstance(entitlement, str) or entitlement == "" or not _is_whole(quantity) or quantity < 1:
            raise configuration_error("Pass record() the code of an entitlement and a whole quantity from 1.")
        at = to_timestamp(self._clock.now_ms() / 1000)
        event = RecordedUsage(self._license_key, entitlement, quantity, new_idempotency_key(), at)
        with self._idle:
            if self._is_closed:
                raise self._refuse(event, "USAGE.RECORDER_CLOSED", "the recorder was closed. Create a new one.")
            self._recording += 1
        try:
            self._keep(event)
        finally:
            with self._idle:
                self._recording -= 1
                self._idle.notify_all()

    def _keep(self, event: RecordedUsage) -> None:
        if not self._buffer.add(event, self._max_buffered):
            raise self._refuse(event, "USAGE.BUFFER_FULL", "too many uses wait. Connect, or raise max_buffered.")
        try:
            self._buffer.open()
        except Exception as cause:  # A store may raise anything.
            self._buffer.remove(event)
            failure = _wrapped(cause)
            raise self._refuse(event, failure.code, failure.message) from cause
        self._save()

    def _end_recording(self) -> None:
        """Refuses further events, and waits for those that are being recorded."""
        with self._idle:
            self._is_closed = True
            while self._recording > 0:
                self._idle.wait()

    @property
    def _pending(self) -> int:
        """How many events wait."""
        return len(self._buffer)

    @property
    def _is_batch_full(self) -> bool:
        """Whether the events need not wait for others. After a failure they wait for their time."""
        return self._pending >= self._max_batch and self._failures == 0

    def _delay_ms(self) -> float:
        """Returns the time until the next flush: after a failure later and later, for a service with too much to do."""
        longest = max(LONGEST_RETRY_MS, self._interval_ms)
        delay = min(self._interval_ms * 2.0 ** min(self._failures, 60), longest)
        return delay * (0.9 + 0.1 * self._clock.random())

    def _flush_steps(self) -> Flush:
        """Yields each report, to be answered or failed, and returns what became of the events. Never raises."""
        result = FlushResult()
        try:
            self._buffer.open()
            self._save()
            most = self._max_batch
            batch = self._buffer.head(most)
            while batch:
                settlement = yield from self._send(batch, result)
                # The request does not say which event is wrong, so smaller ones find it.
                most = (len(batch) + 1) // 2 if settlement is None else self._max_batch
                if settlement is not None:
                    self._settle(batch, settlement, result)
                batch = self._buffer.head(most)
        except Exception as cause:  # The store, the client or an answer failed.
            result.error = _wrapped(cause)
            self._failures += 1
            self._report(result.error)
        result.pending = self._pending
        return result

    def _release(self) -> None:
        """Frees the store."""
        try:
            self._buffer.release()
        except Exception as cause:
            self._report(cause)

    def _send(
        self, batch: List[RecordedUsage], result: FlushResult
    ) -> Generator[Report, UsageReport, Optional[Settlement]]:
        try:
            report = yield batch[0].licenseKey, [event.reported() for event in batch]
        except Exception as error:
            return settle_error(batch, error)
        settlement = settle_answer(batch, report, self._clock.now_ms())
        result.counters = report["counters"]
        return settlement

    def _settle(self, batch: List[RecordedUsage], settlement: Settlement, result: FlushResult) -> None:
        self._buffer.replace_head(len(batch), settlement.again)
        self._save()
        self._failures = 0
        result.accepted += settlement.accepted
        result.duplicate += settlement.duplicate
        result.refused += [self._report_refusal(event, reason) for event, reason in settlement.refused]

    def _deliver(self) -> None:
        """Tells the listeners, outside of every lock: they may call the recorder. One that raises stops nothing."""
        while self._events:
            try:
                event = self._events.popleft()
            except IndexError:  # Another thread was faster.
                return
            listener = self._on_refused if isinstance(event, RefusedUsage) else self._on_error
            try:
                if listener is not None:
                    cast(Callable[[Any], None], listener)(event)
            except Exception:
                pass

    def _save(self) -> None:
        """Writes the store. If that fails, the events are sent anyway."""
        try:
            self._buffer.save()
        except Exception as cause:
            self._report(cause)

    def _refuse(self, event: RecordedUsage, code: Code, why: str) -> LicensingError:
        self._report_refusal(event, code)
        text = f"The use of {event.entitlement} was not recorded: {why}"
        return LicensingError(code, text)

    def _report_refusal(self, event: RecordedUsage, reason: Code) -> RefusedUsage:
        refused = RefusedUsage(event.entitlement, event.quantity, event.idempotencyKey, reason)
        self._events.append(refused)
        return refused

    def _report(self, cause: Exception) -> None:
        self._events.append(_wrapped(cause))


def _wrapped(cause: Exception) -> LicensingError:
    if isinstance(cause, LicensingError):
        return cause
    error = LicensingError("RECORDER.FAILED", f"The recorder failed ({cause!r}). Check the store and the client.")
    error.__cause__ = cause
    return error


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
