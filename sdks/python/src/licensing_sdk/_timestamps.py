"""Moments in the form of the service: ISO 8601 in UTC with microseconds."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from .errors import configuration_error
from .types import Timestamp

FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def to_timestamp(seconds: float) -> str:
    """Returns the moment at these seconds since 1970."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime(FORMAT)


def wire_timestamp(value: Timestamp) -> str:
    """Returns a moment of the caller for a request. The service checks texts. Raises ``CONFIGURATION.INVALID``."""
    return value if isinstance(value, str) else to_moment(value).astimezone(timezone.utc).strftime(FORMAT)


def to_moment(value: Timestamp) -> datetime:
    """Returns a moment of the caller for a comparison. Raises ``CONFIGURATION.INVALID``."""
    moment = _parse(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise configuration_error("A moment must be an ISO 8601 text with a zone or a datetime with a timezone.")
    return moment


def _parse(text: str) -> object:
    # Before Python 3.11, `fromisoformat` reads neither `Z` nor fractions of other than 3 and 6 digits.
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", text, re.ASCII)
    if found is None:
        return None
    date, fraction, zone = found.groups()
    try:
        return datetime.fromisoformat(f"{date}.{(fraction or '').ljust(6, '0')[:6]}{zone.replace('Z', '+00:00')}")
    except ValueError:
        return None
