"""What a guard keeps in its store."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, cast

from ._clock import GuardClock
from ._timestamps import to_moment
from .errors import LicensingError
from .stores import Store, parse_stored

KIND = "LicenseGuard"


@dataclass(frozen=True)
class Reason:
    """Why something is not allowed or did not work."""

    code: str
    detail: str


@dataclass(frozen=True)
class AnswerMemory:
    """What the last answer of the service left behind."""

    certificate: Optional[str] = None
    """The last certificate; None after a refusal."""
    denial: Optional[Reason] = None
    """The last refusal; None after a positive answer."""
    denied_at_ms: Optional[float] = None
    """When the service refused."""
    release_ms: Optional[float] = None
    """The release that the denial is about; None: every release."""
    license_id: Optional[str] = None
    """The id of the license, so that a later answer about another license is noticed."""


@dataclass(frozen=True)
class Seat:
    """The seat of this machine."""

    id: str
    fingerprint: Optional[str]
    lease_ms: Optional[float]
    """The length of the lease; None for a seat that stays until it is freed."""


def seat_of(activation: Dict[str, Any], fingerprint: Optional[str]) -> Seat:
    """Returns the seat of an activation. Both times are the service's, so this machine's clock does not matter."""
    lease_ms = None
    if activation.get("lease_expires_at") is not None:
        begin, end = to_moment(activation["last_heartbeat_at"]), to_moment(activation["lease_expires_at"])
        length = round((end - begin).total_seconds() * 1000)
        lease_ms = length if length > 0 else None
    return Seat(activation["id"], fingerprint, lease_ms)


class GuardMemory:
    """The memory of a guard, in its store.

    Processes may share the store: what this process did not learn itself it takes from the store, before each check and
    before each write, so that no process brings a discarded certificate back. A store that fails is reported and never
    stops the guard.
    """

    def __init__(
        self, store: Store, clock: GuardClock, license_key: str, report: Callable[[LicensingError], None]
    ) -> None:
        self._store = store
        self._clock = clock
        self.license_key = license_key
        # Whether the key is kept in the store, because the application does not have it.
        self._keeps_key = license_key == ""
        self._emit = report
        self._reported: Optional[str] = None
        """The code of the last error that was reported, until a write succeeds: one broken store is one error."""
        self._held: Optional[Callable[[], bool]] = None
        """Ends the hold of the store; None while the guard does not run."""
        self._answer = AnswerMemory()
        self._seat: Optional[Seat] = None
        self._is_answer_new = False
        self._is_seat_new = False

    @property
    def answer(self) -> AnswerMemory:
        """What the last answer left behind."""
        return self._answer

    @answer.setter
    def answer(self, answer: AnswerMemory) -> None:
        self._answer = answer
        self._is_answer_new = True

    @property
    def seat(self) -> Optional[Seat]:
        """The seat of this machine."""
        return self._seat

    @seat.setter
    def seat(self, seat: Optional[Seat]) -> None:
        self._seat = seat
        self._is_seat_new = True

    def adopt(self, license_key: str) -> None:
        """Continues with another license key, which the store keeps from now on."""
        if license_key != self.license_key:
            self.answer = AnswerMemory()
            self.seat = None
        self.license_key = license_key
        self._keeps_key = True

    def load(self) -> None:
        """Reads what this process does not know better. Never raises."""
        try:
            self._load()
        except Exception as cause:  # A store is the application's code.
            self._report(store_error(cause))

    def save(self) -> None:
        """Writes everything. Never raises; what could not be written is written by the next call."""
        try:
            # A store that cannot be read is not overwritten: it may hold a certificate that is still good.
            key = self._load()
            self._store.write(json.dumps(self._content(key)))
            self._is_answer_new = self._is_seat_new = False
            self._reported = None
        except Exception as cause:  # A store is the application's code.
            self._report(store_error(cause))

    def hold(self) -> None:
        """Makes this guard one of those that hold the store. Never raises."""
        if self._held is None:
            self._held = self._hold()

    def leave(self) -> bool:
        """Ends the hold, and returns whether a floating seat may be freed. Never raises.

        It may if no other guard holds the store, or the store does not count them. If the store fails, that is unknown,
        and the seat ends with its lease.
        """
        # A guard that was only refreshed does not hold the store, but another one may.
        release = self._held or self._hold()
        self._held = None
        try:
            return release()
        except Exception as cause:  # A store is the application's code.
            self._report(store_error(cause))
            return False

    def _hold(self) -> Callable[[], bool]:
        try:
            hold = getattr(self._store, "hold", None)
            return (lambda: True) if hold is None else cast(Callable[[], bool], hold())
        except Exception as cause:  # A store is the application's code.
            self._report(store_error(cause))
            return lambda: False

    def _report(self, error: LicensingError) -> None:
        if error.code != self._reported:
            self._reported = error.code
            self._emit(error)

    def _content(self, key: str) -> Dict[str, Any]:
        answer, seat = self._answer, self._seat
        denial = None if answer.denial is None else {"code": answer.denial.code, "detail": answer.denial.detail}
        kept = {"licenseKey": self.license_key} if self._keeps_key and self.license_key else {}
        return {
            "kind": KIND,
            "key": key,
            **kept,
            "certificate": answer.certificate,
            "denial": denial,
            "deniedAtMs": answer.denied_at_ms,
            "release": answer.release_ms,
            "licenseId": answer.license_id,
            "seat": seat and {"id": seat.id, "fingerprint": seat.fingerprint, "leaseMs": seat.lease_ms},
            "latestMs": self._clock.latest_ms,
            "offsetMs": self._clock.offset_ms,
        }

    def _load(self) -> str:
        """Returns the name under which the memory of this license key is kept."""
        stored = self._read()
        # Another process may have adopted the key.
        if self.license_key == "" and stored is not None and isinstance(stored.get("licenseKey"), str):
            self.license_key = stored["licenseKey"]
        key = hashlib.sha256(self.license_key.encode("utf-8", "surrogatepass")).hexdigest()
        if stored is None:
            return key
        if _number(stored.get("latestMs")) is not None and not self._is_answer_new:
            self._clock.adopt(_number(stored["latestMs"]) or 0, _number(stored.get("offsetMs")) or 0)
        # The memory of another license key ends with the next write.
        if stored.get("key") != key:
            return key
        if not self._is_answer_new:
            self._answer = _answer_in(stored)
        if not self._is_seat_new:
            self._seat = _seat_in(stored.get("seat"))
        return key

    def _read(self) -> Optional[Dict[str, Any]]:
        try:
            return parse_stored(self._store.read(), KIND)
        except LicensingError as error:
            if error.code != "STORE.UNREADABLE":
                raise
            self._report(error)
            return None


def store_error(cause: Exception) -> LicensingError:
    """Returns the failure of a store as an error of this package."""
    if isinstance(cause, LicensingError):
        return cause
    error = LicensingError("STORE.FAILED", f"{cause}. Check the store.")
    error.__cause__ = cause
    return error


def _number(value: object) -> Optional[float]:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _answer_in(stored: Dict[str, Any]) -> AnswerMemory:
    denial = stored.get("denial")
    is_denied = isinstance(denial, dict) and isinstance(denial.get("code"), str)
    return AnswerMemory(
        certificate=_text(stored.get("certificate")),
        denial=Reason(denial["code"], str(denial.get("detail", ""))) if is_denied and denial is not None else None,
        denied_at_ms=_number(stored.get("deniedAtMs")),
        release_ms=_number(stored.get("release")),
        license_id=_text(stored.get("licenseId")),
    )


def _seat_in(stored: object) -> Optional[Seat]:
    if not isinstance(stored, dict) or not isinstance(stored.get("id"), str):
        return None
    return Seat(stored["id"], _text(stored.get("fingerprint")), _number(stored.get("leaseMs")))


