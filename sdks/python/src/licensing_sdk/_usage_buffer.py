"""The events of a recorder that wait for their answer."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from typing import Any, Callable, List, Mapping, Optional, Sequence

from ._timestamps import to_moment
from .errors import LicensingError
from .stores import Store, parse_stored
from .types import UsageEvent, UsageReport

KIND = "UsageRecorder"
WINDOW_MS = 35 * 86_400_000
"""The service counts events of the last 35 days."""


@dataclass(frozen=True)
class RecordedUsage:
    """An event that was recorded and not yet answered. The stores of all SDKs contain it in this form."""

    licenseKey: str
    """The license to which the event counts, even if the application has another key by now."""
    entitlement: str
    quantity: int
    idempotencyKey: str
    """The same for every attempt, so that the event is counted once."""
    occurredAt: Optional[str]
    """When the event was recorded. None: at the time of its report."""

    def reported(self) -> UsageEvent:
        """Returns the event in the form of ``report_usage``."""
        event: UsageEvent = {
            "entitlement": self.entitlement,
            "quantity": self.quantity,
            "idempotency_key": self.idempotencyKey,
        }
        if self.occurredAt is not None:
            event["occurred_at"] = self.occurredAt
        return event


class UsageBuffer:
    """The events that wait, in their order, in memory and in a store. Threads may share it.

    The store is written before an event is sent and after it was answered, so a crash loses no event that was stored.
    """

    def __init__(self, store: Optional[Store], report: Callable[[Exception], None]) -> None:
        self._store = store
        self._report = report
        self._events: List[RecordedUsage] = []
        self._mutex = threading.Lock()
        # Held while the store is used.
        self._storing = threading.Lock()
        self._changes = 0
        self._stored_changes = 0
        self._is_open = store is None
        self._unlock: Optional[Callable[[], None]] = None

    def __len__(self) -> int:
        return len(self._events)

    def open(self) -> None:
        """Takes the store, and the events of earlier runs before those of this one.

        Raises ``STORE.IN_USE`` while another recorder has the store, and tries again when it is called again.
        """
        if self._is_open or self._store is None:
            return
        with self._storing:
            if self._is_open:
                return
            lock: Optional[Callable[[], Callable[[], None]]] = getattr(self._store, "lock", None)
            unlock = None if lock is None else lock()
            try:
                stored, problem = _read(self._store)
            except BaseException:
                if unlock is not None:
                    unlock()
                raise
            with self._mutex:
                known = {event.idempotencyKey for event in self._events}
                self._events[:0] = [event for event in stored if event.idempotencyKey not in known]
            self._unlock = unlock
            self._is_open = True
        if problem is not None:
            self._report(problem)

    def add(self, event: RecordedUsage, most: int) -> bool:
        """Adds an event at the end, and returns True unless ``most`` events wait already."""
        with self._mutex:
            if len(self._events) >= most:
                return False
            self._events.append(event)
            self._changes += 1
            return True

    def remove(self, event: RecordedUsage) -> None:
        """Removes an event that was not sent."""
        with self._mutex:
            self._events = [one for one in self._events if one is not event]
            self._changes += 1

    def head(self, most: int) -> List[RecordedUsage]:
        """Returns the first events of one license."""
        with self._mutex:
            batch = self._events[:most]
        others = (index for index, event in enumerate(batch) if event.licenseKey != batch[0].licenseKey)
        return batch[: next(others, len(batch))]

    def replace_head(self, count: int, events: Sequence[RecordedUsage]) -> None:
        """Replaces the first events, which were answered, by those of them that must be sent again."""
        with self._mutex:
            self._events[:count] = events
            self._changes += 1

    def save(self) -> None:
        """Stores the events as they are now. Calls during a write share the next one. Raises if the store fails."""
        wanted = self._changes
        if self._store is None:
            return
        with self._storing:
            if self._stored_changes >= wanted:
                return
            with self._mutex:
                changes, events = self._changes, list(self._events)
            self._store.write(json.dumps({"kind": KIND, "events": [asdict(event) for event in events]}))
            self._stored_changes = changes

    def release(self) -> None:
        """Lets another recorder have the store."""
        with self._storing:
            unlock, self._unlock = self._unlock, None
            self._is_open = self._store is None
            if unlock is not None:
                unlock()


def _read(store: Store) -> "tuple[List[RecordedUsage], Optional[LicensingError]]":
    """Returns the events of a store, and why they cannot be read."""
    try:
        stored = parse_stored(store.read(), KIND) or {}
    except LicensingError as error:
        if error.code != "STORE.UNREADABLE":
            raise
        # Nothing can be read from it, and the events of this run need a place.
        return [], error
    events = stored.get("events")
    found = (_read_event(event) for event in (events if isinstance(events, list) else []))
    return [event for event in found if event is not None], None


def _read_event(value: Any) -> Optional[RecordedUsage]:
    try:
        event = RecordedUsage(**value)
    except TypeError:
        return None
    texts = (event.licenseKey, event.entitlement, event.idempotencyKey)
    return event if all(isinstance(text, str) for text in texts) and isinstance(event.quantity, int) else None


@dataclass(frozen=True)
class Settlement:
    """What became of the events of one request."""

    accepted: int
    duplicate: int
    refused: "Sequence[tuple[RecordedUsage, str]]"
    again: Sequence[RecordedUsage]
    """Events that must be sent again, in this form."""


def settle_answer(batch: Sequence[RecordedUsage], report: UsageReport, now_ms: float) -> Settlement:
    """Returns what the service answered. Raises ``RESPONSE.INVALID`` if the answer does not cover the events."""
    results = report.get("results")
    if not isinstance(results, list) or len(results) != len(batch):
        raise LicensingError("RESPONSE.INVALID", "The answer does not cover every event. Check base_url and proxies.")
    answers: Mapping[Any, Any] = {result.get("index"): result for result in results}
    counts = {"accepted": 0, "duplicate": 0}
    refused: "List[tuple[RecordedUsage, str]]" = []
    again: List[RecordedUsage] = []
    for index, event in enumerate(batch):
        answer = answers.get(index, {})
        reason = answer.get("reason") or "RESPONSE.INVALID"
        if answer.get("status") in counts:
            counts[answer["status"]] += 1
        elif reason == "USAGE.OUT_OF_WINDOW" and _is_young(event, now_ms):
            # It was recorded by a wrong clock: the time of its report is closer to the truth.
            again.append(replace(event, occurredAt=None))
        else:
            refused.append((event, reason))
    return Settlement(counts["accepted"], counts["duplicate"], refused, again)


def _is_young(event: RecordedUsage, now_ms: float) -> bool:
    try:
        return event.occurredAt is not None and now_ms - to_moment(event.occurredAt).timestamp() * 1000 < WINDOW_MS
    except LicensingError:
        return True


def settle_error(batch: Sequence[RecordedUsage], error: Exception) -> Optional[Settlement]:
    """Returns what becomes of the events of a request that was refused as a whole.

    The invalid ones are refused, the others are sent again. None if it could be any of them, or their number: send
    fewer. Raises the error if it says nothing about the events.
    """
    is_alone = len(batch) == 1
    if not isinstance(error, LicensingError) or error.code != "VALIDATION.FAILED":
        # Proxies limit the size too, and do not answer in the words of the service.
        if isinstance(error, LicensingError) and error.status == 413 and not is_alone:
            return None
        raise error
    named = {_index_in(str(detail.get("field"))) for detail in error.details}
    invalid = [is_alone or index in named for index in range(len(batch))]
    if not any(invalid):
        return None
    refused = [(event, error.code) for event, is_invalid in zip(batch, invalid) if is_invalid]
    return Settlement(0, 0, refused, [event for event, is_invalid in zip(batch, invalid) if not is_invalid])


def _index_in(field: str) -> Optional[int]:
    parts = field.split(".")
    return int(parts[1]) if parts[0] == "events" and len(parts) > 1 and parts[1].isdigit() else None
