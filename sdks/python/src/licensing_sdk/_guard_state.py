"""What follows from what a guard knows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence

from ._guard_memory import Reason
from ._messages import message_for
from ._timestamps import to_moment
from .errors import LicensingError
from .types import EntitlementCheck

VALID = "LICENSE.VALID"

GuardStatus = Literal["licensed", "grace", "offline", "unlicensed"]
"""What an application does follows from it: see ``GuardState``."""


@dataclass(frozen=True)
class LicenseFacts:
    """What an application can show of a license. None means never, unlimited, or unknown."""

    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    holder_name: Optional[str]
    max_activations: Optional[int]


@dataclass(frozen=True)
class GuardState:
    """What a guard knows. The object never changes; a change makes a new one.

    ``status`` is one of ``licensed`` (the service said yes), ``grace`` (the service said yes with a warning, or the
    seat was lost and the certificate still runs: the user should act), ``offline`` (the service gave no answer, and the
    last certificate says yes until ``until``) and ``unlicensed`` (the application must not be used, for ``reason``).
    """

    status: GuardStatus
    reason: str
    """The code behind the status: of the verdict, of the failure, or one of the guard."""
    detail: str
    """What happened and what to do, for the developer."""
    message: str
    """The same for the user of the application, in the language of the guard."""
    until: Optional[datetime] = None
    """Until when the application may be used without the service."""
    checked_at: Optional[datetime] = None
    """When the service last answered this process."""
    entitlements: Sequence[EntitlementCheck] = field(default_factory=list)
    """What the license grants; empty when unlicensed. With ``jwks``, only what the service has signed."""
    license: Optional[LicenseFacts] = None
    """Whom the license is for and when it ends; None before the first answer."""

    def grants(self, entitlement: str, now_ms: float) -> bool:
        """Returns whether the application may be used and the license grants an entitlement."""
        # A machine that slept may reach this line before the timer.
        if self.status == "offline" and self.until is not None and now_ms >= self.until.timestamp() * 1000:
            return False
        for granted in self.entitlements:
            if granted["code"] == entitlement:
                return not _has_ended(granted["expires_at"], now_ms)
        return False

    def essence(self) -> str:
        """Returns what listeners hear of. A later ``until`` or ``checked_at`` alone is no change."""
        granted = [[one["code"], one.get("value"), one.get("limit")] for one in self.entitlements]
        facts = None if self.license is None else vars(self.license)
        return json.dumps([self.status, self.reason, granted, facts])


def _has_ended(end: Optional[str], now_ms: float) -> bool:
    if end is None:
        return False
    try:
        return to_moment(end).timestamp() * 1000 <= now_ms
    except LicensingError:
        return True


@dataclass(frozen=True)
class Answer:
    """The last answer of the service to this process."""

    verdict: Mapping[str, Any]
    received_at_ms: float
    warning: Optional[Reason]


@dataclass(frozen=True)
class Findings:
    """Everything that a state depends on."""

    now_ms: float
    is_set_back: bool
    answer: Optional[Answer]
    failure: Optional[Reason]
    """Why the last check got no answer; None if it got one."""
    denial: Optional[Reason]
    """The service's last refusal, which outlives the process. There is no certificate then."""
    certified: Optional[Mapping[str, Any]]
    """The verified certificate, or None."""
    answer_life_ms: float
    """For how long an answer counts when there is no certificate."""
    demanded: Sequence[str]
    """The entitlements that every positive answer proves, because the question demands them."""
    is_signed: bool
    """Whether answers are signed, so that only what is signed counts."""
    language: str = "en"
    """The language of the message."""


def judge(found: Findings) -> GuardState:
    """Returns the state that follows from the findings."""
    answer, failure = found.answer, found.failure
    checked_at = None if answer is None else _moment(answer.received_at_ms)
    facts = _facts(found)

    def state(
        status: GuardStatus, reason: Reason, until: Optional[datetime], granted: List[EntitlementCheck]
    ) -> GuardState:
        message = message_for(reason.code, found.language)
        return GuardState(status, reason.code, reason.detail, message, until, checked_at, granted, facts)

    def refused(reason: Reason) -> GuardState:
        return state("unlicensed", reason, None, [])

    if found.denial is not None:
        return refused(found.denial)
    is_usable = found.certified is not None and found.certified["valid"] and not found.is_set_back
    certified = found.certified if is_usable else None
    until = _until(found, certified)
    granted = _grants(found, certified)
    if answer is not None and failure is None:
        reason = answer.warning or Reason(answer.verdict["code"], str(answer.verdict.get("detail", "")))
        return state("licensed" if reason.code == VALID else "grace", reason, until, granted)
    reason = failure or Reason("GUARD.NOT_STARTED", "The guard has not started. Call start().")
    if until is not None:
        return state("offline", reason, until, granted)
    if found.certified is not None and found.is_set_back:
        detail = "The clock of this machine was set back. Correct it, or connect to the service."
        return refused(Reason("CLOCK.SET_BACK", detail))
    if found.certified is not None:
        return refused(Reason(found.certified["code"], found.certified["detail"]))
    return refused(reason)


def _moment(ms: float) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone.utc)


def _facts(found: Findings) -> Optional[LicenseFacts]:
    """Returns the known details of the license. Signed values take precedence."""
    license: Optional[Dict[str, Any]] = None
    if found.certified is not None:
        license = found.certified.get("license")
    if license is None and found.answer is not None:
        license = found.answer.verdict.get("license")
    if license is None:
        return None
    holder = license.get("holder") or {}
    return LicenseFacts(
        license.get("expires_at"),
        license.get("maintenance_expires_at"),
        holder.get("name"),
        license.get("max_activations"),
    )


def _until(found: Findings, certified: Optional[Mapping[str, Any]]) -> Optional[datetime]:
    """Returns the end of the certificate. Without one, an answer counts for a while, as a network may fail."""
    if certified is not None:
        return _moment(certified["claims"]["exp"] * 1000)
    if found.answer is None or found.failure is None or found.certified is not None or found.is_set_back:
        return None
    end_ms = found.answer.received_at_ms + found.answer_life_ms
    return _moment(end_ms) if found.now_ms < end_ms else None


def _grants(found: Findings, certified: Optional[Mapping[str, Any]]) -> List[EntitlementCheck]:
    """Returns the granted entitlements.

    A proof covers the demanded entitlements only, so with ``jwks`` the others come from the certificate. An answer can
    still withhold one, such as a metered entitlement at its limit.
    """
    answered: List[EntitlementCheck] = [] if found.answer is None else found.answer.verdict.get("entitlements") or []
    candidates = answered
    if found.is_signed:
        candidates = [one for one in answered if one["code"] in found.demanded]
        if certified is not None:
            candidates = certified["entitlements"]
    withheld = set() if found.failure is not None else {one["code"] for one in answered if not one["has_access"]}
    return [one for one in candidates if one["has_access"] and one["code"] not in withheld]


CHECK_INTERVAL_MS = 3_600_000.0
RETRY_INTERVAL_MS = 30_000.0
SHORTEST_RENEWAL_MS = 15_000.0
LONGEST_DELAY_MS = 2.0**31 - 1


def check_delay_ms(
    check_interval_ms: float,
    retry_interval_ms: float,
    failed_checks: int,
    lease_ms: Optional[float],
    left_ms: Optional[float],
) -> float:
    """Returns the time to the next check, without the random part. ``left_ms`` is what is left of the certificate."""
    if failed_checks > 0:
        retry_ms = retry_interval_ms * 2.0 ** min(failed_checks - 1, 60)
        return min(check_interval_ms, retry_ms, check_interval_ms if lease_ms is None else lease_ms / 3)
    # The certificate is renewed when half of it is over. Heartbeats renew the one of a floating seat.
    if left_ms is None or lease_ms is not None:
        return check_interval_ms
    return min(check_interval_ms, max(left_ms / 2, SHORTEST_RENEWAL_MS))


def next_tick(
    until_check_ms: float, lease_ms: Optional[float], end_ms: Optional[float], random: float
) -> "tuple[str, float]":
    """Returns what comes first, ``check``, ``beat`` or ``end`` of the certificate, and in how many milliseconds."""
    beat_ms = LONGEST_DELAY_MS if lease_ms is None else (lease_ms / 3) * (0.9 + 0.1 * random)
    until_end_ms = LONGEST_DELAY_MS if end_ms is None else end_ms
    first = min(beat_ms, until_end_ms)
    due = "check" if until_check_ms <= first else "beat" if beat_ms < until_end_ms else "end"
    return due, max(0.0, min(until_check_ms, first, LONGEST_DELAY_MS))
