"""The decisions of a guard, without threads and without a network: see ``_guard_consult``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, List, Mapping, Optional, Tuple, Union

from ._clock import Clock, GuardClock
from ._guard_consult import Ask, Consultation, Consulted, GuardOptions, Steps
from ._guard_memory import AnswerMemory, GuardMemory, Reason, seat_of
from ._guard_state import Answer, Findings, GuardState, check_delay_ms, judge, next_tick
from .certificates import verify_certificate
from .errors import LicensingError, configuration_error
from .offline_files import read_certificate_file

MAINTENANCE_EXPIRED = "LICENSE.MAINTENANCE_EXPIRED"
LIMIT_REACHED = "ACTIVATION.LIMIT_REACHED"

Event = Tuple[str, Union[GuardState, LicensingError]]


class GuardCore:
    """What a guard knows and decides. Its owner calls one method at a time."""

    def __init__(self, options: GuardOptions, license_key: str, clock: Clock) -> None:
        if not isinstance(license_key, str):
            raise configuration_error("license_key must be a text.")
        self.options = options
        self.events: List[Event] = []
        """What listeners have not heard yet."""
        self._random = clock.random
        self.clock = GuardClock(clock, options.clock_tolerance_ms)
        self.memory = GuardMemory(
            options.store, self.clock, license_key, lambda error: self.events.append(("error", error))
        )
        self._answer: Optional[Answer] = None
        self._failure: Optional[Reason] = None
        self._certified: Optional[Mapping[str, Any]] = None
        self._failed_checks = 0
        self._until_check_ms = 0.0
        self.is_aborted = False
        self.state = self._judge()
        self._published = self.state.essence()

    def show(self) -> None:
        """Holds the store, and makes its certificate the state until the service answers."""
        self.memory.hold()
        self.memory.load()
        # A check that the application asked for may have an answer already.
        if self._answer is None:
            self._fail(Reason("GUARD.CHECKING", "The service has not answered yet. Wait for it."))

    def check(self) -> Steps:
        """Asks the service. Returns the milliseconds that it asks to wait before the next check."""
        retry_after_ms = 0.0
        try:
            yield from self._consult()
        except Exception as error:  # Whatever fails says nothing about the license.
            if not self.is_aborted:
                failure = error if isinstance(error, LicensingError) else failed(error)
                retry_after_ms = (failure.retry_after_seconds or 0) * 1000
                self.memory.load()
                self._failed_checks += 1
                self._fail(Reason(failure.code, failure.message))
        self.memory.save()
        return retry_after_ms

    def beat(self) -> Steps:
        """Sends a heartbeat. Returns whether the seat is still there; otherwise a check finds out."""
        seat = self.memory.seat
        if seat is None:
            return True
        try:
            activation = yield Ask("heartbeat", (self.memory.license_key, seat.id))
        except Exception:  # The seat is lost, or the service does not answer.
            return False
        self.memory.seat = seat_of(activation, seat.fingerprint)
        # Where the policy requires activation, the certificate ends with the lease.
        claims = None if self._certified is None else self._certified["claims"]
        if claims is None or (claims["exp"] + claims["iat"]) * 500 < self.clock.read()[0]:
            yield from self._renew_certificate()
        self.memory.save()
        self.evaluate()
        return True

    def release_seat(self) -> Steps:
        """Ends the hold of the store, and frees a floating seat of this machine if no other guard holds the store."""
        if not self.memory.leave():
            return
        seat = self.memory.seat
        try:
            machine = self.options.machine()
        except LicensingError:
            return
        if seat is None or seat.lease_ms is None or seat.fingerprint != machine:
            return
        try:
            yield Ask("deactivate", (self.memory.license_key, seat.id))
        except Exception:  # The seat is free at the end of its lease. Until then, this machine may use it.
            return
        self.memory.seat = None
        self.memory.answer = replace(self.memory.answer, certificate=None)
        self.memory.save()
        self._answer = None
        self._fail(Reason("GUARD.STOPPED", "The seat was released. Call start() to take one."))

    def import_file(self, text: str) -> None:
        """Keeps the certificate of a file. Raises ``LicensingError``."""
        file = read_certificate_file(text)
        self.memory.load()
        if _essence(file["license_key"]) != _essence(self.memory.license_key):
            message = "This certificate file is for another license key. Enter that key, or download its file."
            raise LicensingError("CERTIFICATE_FILE.OTHER_LICENSE", message)
        if self.options.jwks is None:
            raise configuration_error("An unsigned guard cannot verify a certificate. Pass the keys of the vendor.")
        verdict = self._verify_new(file["certificate"])
        claims = verdict["claims"]
        if not verdict["valid"] or claims is None:
            raise LicensingError(verdict["code"], verdict["detail"])
        denied_at_ms = self.memory.answer.denied_at_ms
        # A certificate names whole seconds.
        if denied_at_ms is not None and claims["iat"] * 1000 + 1000 <= denied_at_ms:
            message = "The service has refused the license since this certificate was issued. Request a new one."
            raise LicensingError("CERTIFICATE_FILE.TOO_OLD", message)
        self.memory.answer = AnswerMemory(certificate=file["certificate"], license_id=claims["sub"])
        self.memory.save()
        # An earlier answer of the service says nothing about the certificate.
        self._answer = None
        if self._failure is None:
            detail = "A certificate was imported. Connect to the network, so that the next check can ask the service."
            self._failure = Reason("GUARD.CHECKING", detail)
        self.evaluate()

    def adopt(self, license_key: str) -> None:
        """Continues with another license key."""
        self.memory.load()
        if license_key != self.memory.license_key:
            self._answer = None
        self.memory.adopt(license_key)

    def may_use_kept(self) -> bool:
        """Returns whether the stored certificate allows the use, and the service has not answered yet."""
        return self.state.status == "offline" and self.state.reason == "GUARD.CHECKING"

    def evaluate(self) -> None:
        """Verifies the certificate again, and publishes the state that follows."""
        try:
            self._certified = self._verify_kept()
        except LicensingError:
            # The fingerprint is missing: a certificate that cannot be verified counts as absent.
            self._certified = None
        self.state = self._judge()
        # An application may quit when it hears that it is unlicensed, so it hears that only after a check.
        is_early = self._failure is not None and self._failure.code == "GUARD.CHECKING"
        if is_early and self.state.status == "unlicensed":
            return
        if self.state.essence() != self._published:
            self._published = self.state.essence()
            self.events.append(("change", self.state))

    def schedule_check(self, retry_after_ms: float) -> "tuple[str, float]":
        """Plans the next check. Returns what comes first, and in how many milliseconds."""
        lease_ms = None if self.memory.seat is None else self.memory.seat.lease_ms
        until = self.state.until
        left_ms = None if until is None else until.timestamp() * 1000 - self.clock.read()[0]
        options = self.options
        delay_ms = check_delay_ms(
            options.check_interval_ms, options.retry_interval_ms, self._failed_checks, lease_ms, left_ms
        )
        self._until_check_ms = max(delay_ms * (0.9 + 0.2 * self._random()), retry_after_ms)
        return self.schedule_tick()

    def schedule_tick(self) -> "tuple[str, float]":
        """Returns what comes first: the check, a heartbeat, or the end of the certificate."""
        state, seat = self.state, self.memory.seat
        lease_ms = None if state.status == "unlicensed" or seat is None else seat.lease_ms
        end_ms = None
        if state.status == "offline" and state.until is not None:
            end_ms = state.until.timestamp() * 1000 - self.clock.read()[0]
        return next_tick(self._until_check_ms, lease_ms, end_ms, self._random())

    def begin_tick(self, due: str, delay_ms: float) -> str:
        """Returns what a timer has to do: ``check``, ``beat``, or ``end``: only the next timer."""
        self._until_check_ms -= delay_ms
        if self._failure is not None:
            # The certificate may have ended; a check of an unreachable service would only notice it seconds later.
            self.evaluate()
            return "check" if due == "beat" else due
        return due

    def _judge(self) -> GuardState:
        answer = self.memory.answer
        is_other = answer.release_ms is not None and answer.release_ms != self.options.release_ms
        now_ms, is_set_back = self.clock.read()
        return judge(
            Findings(
                now_ms=now_ms,
                is_set_back=is_set_back,
                answer=self._answer,
                failure=self._failure,
                denial=None if is_other else answer.denial,
                certified=self._certified,
                answer_life_ms=2 * self.options.check_interval_ms,
                demanded=self.options.entitlements,
                is_signed=self.options.jwks is not None,
                language=self.options.language,
            )
        )

    def _fail(self, reason: Reason) -> None:
        self._failure = reason
        self.evaluate()

    def _consult(self) -> Steps:
        machine = self.options.machine()
        self.memory.load()
        if self.memory.license_key == "":
            raise LicensingError("LICENSE.KEY_MISSING", "There is no license key. Enter one.")
        consulted = yield from Consultation(self.options, self.memory, machine).consult()
        if consulted.server_ms is not None:
            self.clock.synchronize(consulted.server_ms)
        denial, warning = self._decide(consulted)
        now_ms = self.clock.read()[0]
        known = self.memory.answer
        # A release that is too new for the license says nothing about older ones, which the certificate still allows.
        is_of_release = denial is not None and denial.code == MAINTENANCE_EXPIRED
        self.memory.answer = AnswerMemory(
            certificate=known.certificate if denial is None or is_of_release else None,
            denial=denial,
            denied_at_ms=None if denial is None else now_ms,
            release_ms=self.options.release_ms if is_of_release else None,
            license_id=consulted.license_id if consulted.license_id is not None else known.license_id,
        )
        self._answer = Answer(consulted.verdict, now_ms, warning)
        self._failure = None
        # A user who waits for a seat gets it sooner, but a copied key does not ask for ever more.
        waiting = denial or warning
        is_soon = (waiting is not None and waiting.code == LIMIT_REACHED) or consulted.is_incomplete
        self._failed_checks = self._failed_checks + 1 if is_soon else 0
        if denial is None and warning is None:
            yield from self._renew_certificate()
        self.evaluate()

    def _decide(self, consulted: Consulted) -> "tuple[Optional[Reason], Optional[Reason]]":
        """A lost seat ends the right to use the application with the certificate, and at once without one."""
        seat_denial = consulted.seat_denial
        is_lost = seat_denial is not None and seat_denial.code == LIMIT_REACHED and consulted.verdict["valid"]
        if consulted.denial is not None or not is_lost:
            return consulted.denial, None
        certified = self._verify_kept()
        return (None, seat_denial) if certified is not None and certified["valid"] else (seat_denial, None)

    def _renew_certificate(self) -> Steps:
        """Fetches a certificate, if there are keys to verify it. If that fails, the last one stays."""
        if self.options.jwks is None:
            return
        try:
            terms = self.options.identity(self.options.machine())
            issued = yield Ask("issue_certificate", (self.memory.license_key,), terms)
            verdict = self._verify_new(issued["certificate"])
            claims = verdict["claims"]
            if verdict["valid"] and claims is not None and claims["sub"] == self.memory.answer.license_id:
                self.memory.answer = replace(self.memory.answer, certificate=issued["certificate"])
                return
        except Exception:  # The service said yes a moment ago; the next check shows what changed.
            pass
        self._failed_checks += 1

    def _verify_kept(self) -> Optional[Mapping[str, Any]]:
        certificate = self.memory.answer.certificate
        return None if certificate is None or self.options.jwks is None else self._verify(certificate)

    def _verify_new(self, certificate: str) -> Mapping[str, Any]:
        """The time of an answer is old by its way here, so a certificate may be of the next second."""
        verdict = self._verify(certificate)
        if verdict["code"] != "CERTIFICATE.NOT_YET_VALID" or verdict["claims"] is None:
            return verdict
        self.clock.synchronize(verdict["claims"]["nbf"] * 1000)
        return self._verify(certificate)

    def _verify(self, certificate: str) -> Mapping[str, Any]:
        options = self.options
        return verify_certificate(
            certificate,
            jwks=options.jwks or {"keys": []},
            issuer=options.issuer or "",
            audience=options.audience or "",
            fingerprint=options.machine(),
            product=options.product,
            version_released_at=options.version_released_at,
            now=self.clock.read()[0] / 1000,
            clock_tolerance_seconds=0,
        )


def failed(error: Exception) -> LicensingError:
    """Returns the failure of a client that raises something else."""
    return LicensingError("GUARD.FAILED", f"{error}. Correct the client.")


def _essence(license_key: str) -> str:
    """Returns the letters of a key as a person typed or pasted it."""
    return re.sub(r"[\s\-–—_]", "", license_key).upper()
