"""The options that both clients share, checked."""

from __future__ import annotations

import math
import re
import ssl
from typing import Optional

from ._retry import Timing
from ._transport import Transport, parse_base_url
from .errors import configuration_error


OTHER_CREDENTIALS = {"service_": "an access token", "whsec_": "the secret of a webhook"}


class Options:
    """The checked options of a client. Raises ``CONFIGURATION.INVALID``."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        timeout_seconds: float,
        max_retries: int,
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        address = parse_base_url(base_url)
        _check_api_key(api_key)
        self.timeout_seconds = check_timeout(timeout_seconds)
        if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
            raise configuration_error("max_retries must be 0 or a positive whole number.")
        self.max_retries = max_retries
        self.transport = Transport(address, api_key, ssl_context)
        self.timing = Timing()


def _check_api_key(api_key: str) -> None:
    expected = "api_key must be an API key of the licensing service (vx_…)"
    if not isinstance(api_key, str) or api_key == "":
        raise configuration_error(f"{expected}. It is not set.")
    for prefix, kind in OTHER_CREDENTIALS.items():
        if api_key.startswith(prefix):
            raise configuration_error(f"{expected}. It is {kind} ({prefix}…): pass the API key.")
    if re.fullmatch(r"[!-~]+", api_key) is None:
        raise configuration_error(f"{expected}, without white space.")


def check_timeout(seconds: float) -> float:
    """Returns a timeout that is possible. Raises ``CONFIGURATION.INVALID``."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise configuration_error("timeout_seconds must be a number above 0.")
    return float(seconds)
