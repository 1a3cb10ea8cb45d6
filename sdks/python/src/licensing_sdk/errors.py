"""The one exception that this package raises."""

from __future__ import annotations

from typing import List, Optional, TypedDict

from .codes import Code


class ErrorDetail(TypedDict):
    """One invalid field of a request. ``field`` is a dotted path such as ``events.0.quantity``."""

    field: str
    message: str


class LicensingError(Exception):
    """Any failure except a negative verdict, which is a return value.

    ``code`` is the code of the service (``AUTH.INVALID_API_KEY``, ``RATE_LIMIT.EXCEEDED``, …) or one of this package:
    ``NETWORK.UNREACHABLE``, ``NETWORK.TIMEOUT``, ``RESPONSE.INVALID`` (the answer is not one of the service, for
    example the page of a proxy), ``CONFIGURATION.INVALID`` (an impossible option), ``FINGERPRINT.UNAVAILABLE`` and
    ``WEBHOOK.…`` (see ``verify_webhook``).
    ``status`` is the HTTP status of the response, ``request_id`` names the request in the service's log, ``details``
    lists invalid fields, and ``retry_after_seconds`` is the wait that the service asks for. The cause of a network
    failure is ``__cause__``.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Optional[List[ErrorDetail]] = None,
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.details: List[ErrorDetail] = [] if details is None else details
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        suffix = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.code}: {self.message}{suffix}"


def configuration_error(message: str) -> LicensingError:
    """Returns the error for an option or an argument that cannot work."""
    return LicensingError("CONFIGURATION.INVALID", message)
