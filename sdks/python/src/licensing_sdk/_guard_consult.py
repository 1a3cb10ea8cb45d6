"""One check of a guard: the options, and the questions to the service.

Methods that need the service are generators: they yield each call as an ``Ask``, and get its result or its exception.
So the synchronous and the asynchronous guard share them.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, Mapping, Optional, Sequence, Tuple, Union

from ._guard_memory import GuardMemory, Reason, Seat, seat_of
from ._guard_state import CHECK_INTERVAL_MS, RETRY_INTERVAL_MS
from ._timestamps import to_moment, wire_timestamp
from ._tokens import check_expectations
from .errors import LicensingError, configuration_error
from .stores import Store
from .types import Timestamp
from .verdicts import verify_verdict

SEATLESS = ("ACTIVATION.NOT_FOUND", "ACTIVATION.LEASE_EXPIRED")
"""Refusals of a verdict that a new activation can change."""

Fingerprint = Union[str, Callable[[], str], None]
Components = Union[Mapping[str, str], Callable[[], Mapping[str, str]], None]


@dataclass(frozen=True)
class Ask:
    """One call of the client."""

    method: str
    arguments: Tuple[str, ...]
    options: Dict[str, Any] = field(default_factory=dict)


Steps = Generator[Ask, Any, Any]


@dataclass(frozen=True)
class GuardOptions:
    """The options of a guard, checked."""

    store: Store
    product: Optional[str]
    fingerprint: Fingerprint
    device_name: Optional[str]
    app_version: Optional[str]
    entitlements: Sequence[str]
    version_released_at: Optional[Timestamp]
    jwks: Optional[Mapping[str, Any]]
    issuer: Optional[str]
    audience: Optional[str]
    unsigned: bool = False
    language: str = "en"
    check_interval_ms: float = CHECK_INTERVAL_MS
    retry_interval_ms: float = RETRY_INTERVAL_MS
    clock_tolerance_ms: float = 300_000
    components: Components = None

    def __post_init__(self) -> None:
        if not callable(getattr(self.store, "read", None)) or not callable(getattr(self.store, "write", None)):
            raise configuration_error("store must be a store, such as MemoryStore() or FileStore(path).")
        if self.jwks is not None and self.unsigned:
            raise configuration_error("Pass either jwks or unsigned=True, not both.")
        # A forgotten key would make the guard believe any server, so only an application that says so goes without one.
        if self.jwks is None and self.unsigned is not True:
            message = "Pass jwks, issuer and audience, so that the guard verifies every answer. "
            message += "To believe any server that answers, pass unsigned=True instead."
            raise configuration_error(message)
        if not isinstance(self.language, str):
            raise configuration_error("language must be a text, such as de.")
        if self.jwks is not None:
            check_expectations(self.jwks, self.issuer or "", self.audience or "", None, 0)
        if self.version_released_at is not None:
            to_moment(self.version_released_at)
        for name in ("check_interval_ms", "retry_interval_ms", "clock_tolerance_ms"):
            if not getattr(self, name) > 0:
                raise configuration_error(f"{name[:-3]}_seconds must be a positive number.")

    @property
    def release_ms(self) -> float:
        """When this release was published; 0 if the application does not say so."""
        if self.version_released_at is None:
            return 0
        return to_moment(self.version_released_at).timestamp() * 1000

    def machine(self) -> Optional[str]:
        """Returns the fingerprint of this machine, or None if the application has none."""
        if not callable(self.fingerprint):
            return self.fingerprint
        try:
            return self.fingerprint()
        except Exception as cause:  # It is the application's code.
            raise LicensingError("FINGERPRINT.UNAVAILABLE", f"{cause}. Pass another fingerprint.") from cause

    def identity(self, machine: Optional[str]) -> Dict[str, Any]:
        """Returns what identifies this machine in a call: its fingerprint, and its components with it."""
        return {"fingerprint": machine, "components": None if machine is None else self._parts()}

    def _parts(self) -> Optional[Mapping[str, str]]:
        try:
            return self.components() if callable(self.components) else self.components
        except Exception:  # It is the application's code. The fingerprint still identifies the machine.
            return None


@dataclass
class Consulted:
    """The answer of the service, proven if there are keys."""

    verdict: Mapping[str, Any]
    license_id: Optional[str]
    server_ms: Optional[float]
    denial: Optional[Reason] = None
    seat_denial: Optional[Reason] = None
    is_incomplete: bool = False


class Consultation:
    """One check: takes a seat if there is a fingerprint, renews its lease, and asks."""

    def __init__(self, options: GuardOptions, memory: GuardMemory, machine: Optional[str]) -> None:
        self._options = options
        self._memory = memory
        self._machine = machine
        self._seat_denial: Optional[Reason] = None
        self._may_take_seat = machine is not None

    def consult(self) -> Steps:
        """Returns a ``Consulted``. Raises if there is no answer that can be trusted."""
        memory = self._memory
        # The store may be a copy from another machine, and the seat belongs to that machine.
        if memory.seat is not None and memory.seat.fingerprint != self._machine:
            memory.seat = None
        if memory.seat is not None and memory.seat.lease_ms is not None:
            yield from self._renew_lease(memory.seat)
        if memory.seat is None and self._may_take_seat:
            yield from self._take_seat()
        answer: Consulted = yield from self._ask()
        if self._may_take_seat and _lacks_seat(answer.verdict):
            memory.seat = None
            try:
                yield from self._take_seat()
                if self._seat_denial is None:
                    answer = yield from self._ask()
            except Exception:  # The service has answered already. A refusal counts until it answers again.
                answer.is_incomplete = True
        activation = answer.verdict.get("activation")
        if activation and self._machine is not None:
            memory.seat = seat_of(activation, self._machine)
        answer.seat_denial = self._seat_denial
        answer.denial = self._denial_of(answer.verdict)
        return answer

    def _denial_of(self, verdict: Mapping[str, Any]) -> Optional[Reason]:
        """Without a seat, the reason that the service gave for that says more than the verdict."""
        if verdict["valid"]:
            return None
        if self._seat_denial is not None and verdict["code"] in SEATLESS:
            return self._seat_denial
        return Reason(verdict["code"], str(verdict.get("detail", "")))

    def _ask(self) -> Steps:
        options = self._options
        question: Dict[str, Any] = {
            "product": options.product,
            **options.identity(self._machine),
            "entitlements": list(options.entitlements) or None,
            "version_released_at": options.version_released_at and wire_timestamp(options.version_released_at),
        }
        proof: Dict[str, Any] = {}
        if options.jwks is not None:
            proof = {"nonce": secrets.token_urlsafe(24), "proof": True}
        asked = {**question, **proof, "app_version": options.app_version}
        verdict = yield Ask("validate", (self._memory.license_key,), asked)
        if options.jwks is not None:
            return self._proven(verdict, question, proof["nonce"])
        license = verdict.get("license")
        return Consulted(verdict, license and license["id"], _milliseconds(verdict.get("checked_at")))

    def _proven(self, verdict: Mapping[str, Any], question: Dict[str, Any], nonce: str) -> Consulted:
        """Raises ``PROOF.…``: such a verdict is no answer. The clock may be wrong: the nonce shows that it is new."""
        options = self._options
        answered_ms = _milliseconds(verdict.get("checked_at")) or 0
        verified = verify_verdict(
            verdict,
            jwks=options.jwks or {},
            issuer=options.issuer or "",
            audience=options.audience or "",
            nonce=nonce,
            license_key=self._memory.license_key,
            # A key of another product and a deleted license are correct answers too.
            license_id=None if verdict.get("license") is None else self._memory.answer.license_id,
            product=options.product if verdict.get("valid") else None,
            fingerprint=question["fingerprint"],
            entitlements=question["entitlements"],
            version_released_at=question["version_released_at"],
            now=answered_ms / 1000,
        )
        claims = verified["claims"]
        if claims is None:
            raise LicensingError(verified["code"], verified["detail"])
        # The signed time has whole seconds. Within the same second, the other one is more exact.
        signed_ms = claims["iat"] * 1000
        is_same_second = signed_ms <= answered_ms < signed_ms + 1000
        return Consulted(verdict, claims["sub"], answered_ms if is_same_second else signed_ms)

    def _take_seat(self) -> Steps:
        """Takes a seat, or notes why the service refuses one."""
        self._may_take_seat = False
        options = self._options
        device = {"name": options.device_name, "app_version": options.app_version}
        device.update(options.identity(self._machine))
        try:
            activation = yield Ask("activate", (self._memory.license_key,), device)
        except LicensingError as error:
            if not _is_refusal(error):
                raise
            self._seat_denial = Reason(error.code, error.message)
            return
        seat = self._memory.seat = seat_of(activation, self._machine)
        # The seat existed already, and its lease may be about to end.
        if activation["last_heartbeat_at"] != activation["created_at"] and seat.lease_ms is not None:
            yield from self._renew_lease(seat)

    def _renew_lease(self, seat: Seat) -> Steps:
        try:
            activation = yield Ask("heartbeat", (self._memory.license_key, seat.id))
        except LicensingError as error:
            if not _is_refusal(error):
                raise
            self._memory.seat = None
            return
        self._memory.seat = seat_of(activation, seat.fingerprint)


def _lacks_seat(verdict: Mapping[str, Any]) -> bool:
    return not verdict.get("activation") if verdict["valid"] else verdict["code"] in SEATLESS


def _milliseconds(timestamp: object) -> Optional[float]:
    try:
        return None if not isinstance(timestamp, str) else to_moment(timestamp).timestamp() * 1000
    except LicensingError:
        return None


def _is_refusal(error: LicensingError) -> bool:
    """Whether the service refused because of the license or the seat, and not because of the caller or a failure."""
    return error.status is not None and re.match(r"(LICENSE|ACTIVATION|PLAN)\.", error.code) is not None
