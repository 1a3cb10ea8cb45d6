"""The options that both clients share, checked."""

from __future__ import annotations

import math
import re
import ssl
from typing import Optional

from ._retry import Timing
from ._transport import Credential, Transport, parse_base_url
from .errors import configuration_error


KINDS = {"vx_": "an API key", "service_": "an access token", "whsec_": "the secret of a webhook"}
"""The beginning of each credential."""


class Options:
    """The checked options of a client. Raises ``CONFIGURATION.INVALID``."""

    def __init__(
        self,
        base_url: str,
        credential: Credential,
        timeout_seconds: float,
        max_retries: int,
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        address = parse_base_url(base_url)
        self.timeout_seconds = check_timeout(timeout_seconds)
        if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
            raise configuration_error("max_retries must be 0 or a positive whole number.")
        self.max_retries = max_retries
        self.transport = Transport(address, credential, ssl_context)
        self.timing = Timing()


def application_key(api_key: str) -> Credential:
    """Returns the credential of an application. Raises ``CONFIGURATION.INVALID`` for anything but an API key."""
    return Credential("X-API-Key", "", _checked("api_key", api_key, "vx_"))


def access_token(token: str) -> Credential:
    """Returns the credential of a backend. Raises ``CONFIGURATION.INVALID`` for anything but an access token."""
    return Credential("Authorization", "Bearer ", _checked("access_token", token, "service_"))


def _checked(option: str, secret: str, prefix: str) -> str:
    expected = f"{option} must be {KINDS[prefix]} of the licensing service ({prefix}…)"
    if not isinstance(secret, str) or secret == "":
        raise configuration_error(f"{expected}. It is not set.")
    for other, what in KINDS.items():
        if secret.startswith(other) and other != prefix:
            raise configuration_error(f"{expected}. It is {what} ({other}…). Pass {KINDS[prefix]}.")
    if re.fullmatch(r"[!-~]+", secret) is None:
        raise configuration_error(f"{expected}, without white space.")
    return secret


def check_timeout(seconds: float) -> float:
    """Returns a timeout that is possible. Raises ``CONFIGURATION.INVALID``."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise configuration_error("timeout_seconds must be a number above 0.")
    return float(seconds)
