"""When a call is sent again, and how long it may take: the rules that both clients share, without input or output."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Generator, Optional, Union

from ._decode import HttpResponse, decode
from ._requests import ApiRequest
from .errors import LicensingError

BASE_WAIT_SECONDS = 0.25
LONGEST_WAIT_SECONDS = 4.0
RETRIED_STATUSES = frozenset({429, 502, 503, 504})
REFUSALS = frozenset({429, 503})
"""Statuses with which the service did nothing."""


@dataclass(frozen=True)
class Send:
    """A step of a call: send the request once, and give up after ``seconds``."""

    seconds: float


@dataclass(frozen=True)
class Wait:
    """A step of a call: wait."""

    seconds: float


@dataclass(frozen=True)
class Timing:
    """The clock of a client's deadlines, in seconds."""

    monotonic: Callable[[], float] = time.monotonic


Call = Generator[Union[Send, Wait], Any, Any]


def perform(request: ApiRequest, *, timeout_seconds: float, max_retries: int, timing: Timing) -> Call:
    """Yields the steps of one call, and returns the decoded answer or raises ``LicensingError``.

    The caller performs each step: it answers a ``Send`` with the response, or raises the network failure in it.
    """
    deadline = timing.monotonic() + (request.timeout_seconds or timeout_seconds)
    # Pieces of a body that were sent are gone.
    last = max_retries if request.body is None or isinstance(request.body, bytes) else 0
    retried = REFUSALS if request.acts_again else RETRIED_STATUSES
    for attempt in range(last + 1):
        failure: LicensingError
        try:
            response: HttpResponse = yield Send(max(0.0, deadline - timing.monotonic()))
        except LicensingError as error:
            if error.code == "NETWORK.TIMEOUT" or request.acts_again:
                raise
            failure = error
        else:
            try:
                return decode(request, response)
            except LicensingError as error:
                failure = error
            failure.retry_after_seconds = _retry_after_seconds(response)
            # An earlier attempt of this call still runs.
            is_running = attempt > 0 and failure.code == "IDEMPOTENCY.IN_PROGRESS"
            if response.status not in retried and not is_running:
                raise failure
        if attempt == last:
            raise failure
        wait = failure.retry_after_seconds
        if wait is None:
            wait = random.uniform(0, min(LONGEST_WAIT_SECONDS, BASE_WAIT_SECONDS * 2**attempt))
        if timing.monotonic() + wait >= deadline:
            raise failure
        yield Wait(wait)
    raise AssertionError("The loop ends with a result or an error.")


def _retry_after_seconds(response: HttpResponse) -> Optional[float]:
    """Reads ``Retry-After``: seconds or a date (RFC 9110, section 10.2.3). None if it is absent or unreadable.

    A date is compared with the response's own ``Date``, because the clock of this machine may be wrong.
    """
    value = response.header("retry-after")
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    until = _seconds_of_date(value)
    if until is None:
        return None
    sent_at = _seconds_of_date(response.header("date") or "")
    return max(0.0, until - (time.time() if sent_at is None else sent_at))


def _seconds_of_date(value: str) -> Optional[float]:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
