"""Verification of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from typing import Any, List, Mapping, Optional, Sequence, Union, cast

from ._decode import parse_object
from .errors import LicensingError, configuration_error
from .types import WebhookEvent

TOLERANCE_SECONDS = 300
SECRET_PREFIX = "whsec_"


def verify_webhook(
    body: Union[bytes, bytearray, memoryview, str],
    headers: Mapping[str, Any],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the event of a webhook request after checking that the service sent it, less than five minutes ago.

    ``body`` is the raw body as it arrived. The names of ``headers`` may have any case; a value may be a text, bytes or
    a list of them. During the rotation of a secret, pass both. ``now`` are seconds since 1970.

    Raises ``LicensingError`` with ``WEBHOOK.SIGNATURE_INVALID``, ``WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE`` or
    ``WEBHOOK.MALFORMED``; answer the request with 400 then. Deliveries can repeat an event: remember its ``id``.
    Raises ``CONFIGURATION.INVALID`` for an argument that cannot be right, such as a parsed body or an unset secret.
    """
    raw = _raw(body)
    given: Sequence[Any] = secret if isinstance(secret, (list, tuple)) else [secret]
    keys = [_key(text) for text in given]
    if not keys:
        raise _no_secret()
    if not callable(getattr(headers, "items", None)):
        raise configuration_error("headers must be the headers of the request: request.headers.")
    message_id, timestamp, signatures = _required(headers, "id", "timestamp", "signature")
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        message = "The header webhook-timestamp is not a number of seconds. Pass the headers as received."
        raise LicensingError("WEBHOOK.MALFORMED", message)
    signed = f"{message_id}.{timestamp}.".encode("utf-8") + raw
    if not _is_signed(signed, signatures, keys):
        message = "No signature of the webhook belongs to its body and secret. Check the secret, and pass the raw body."
        raise LicensingError("WEBHOOK.SIGNATURE_INVALID", message)
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        message = "The webhook is too old, or the clock of this machine is wrong. Correct the clock."
        raise LicensingError("WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE", message)
    event = parse_object(raw)
    if event is None or not isinstance(event.get("id"), str) or not isinstance(event.get("type"), str):
        message = "The body of the webhook is not an event of the licensing service. Pass the raw body."
        raise LicensingError("WEBHOOK.MALFORMED", message)
    return cast(WebhookEvent, event)


def _raw(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise configuration_error(
        "body must be the raw body: bytes or str. Read it before any JSON parser, for example request.get_data() in "
        "Flask, request.body in Django, await request.body() in FastAPI."
    )


def _no_secret() -> LicensingError:
    return configuration_error(
        "secret must be the secret of the webhook endpoint (whsec_…). It is not set: check the environment variable "
        "that holds it."
    )


def _key(secret: Any) -> bytes:
    if not isinstance(secret, str) or secret == "":
        raise _no_secret()
    text = secret[len(SECRET_PREFIX) :] if secret.startswith(SECRET_PREFIX) else ""
    try:
        key = base64.b64decode(text, validate=True)
        if base64.b64encode(key).decode("ascii") != text:
            key = b""
    except (binascii.Error, ValueError):
        key = b""
    if key == b"":
        raise configuration_error("secret must begin with whsec_ and be base64.")
    return key


def _required(headers: Mapping[str, Any], *names: str) -> List[str]:
    found = {str(name).lower(): value for name, value in headers.items()}
    values = []
    for name in names:
        value = found.get(f"webhook-{name}")
        parts = value if isinstance(value, (list, tuple)) else [value]
        texts = [part.decode("latin-1") if isinstance(part, bytes) else part for part in parts]
        value = " ".join(texts) if all(isinstance(text, str) for text in texts) else None
        if not isinstance(value, str) or value == "":
            message = f"The header webhook-{name} is missing. Pass the headers as received."
            raise LicensingError("WEBHOOK.MALFORMED", message)
        values.append(value)
    return values


def _is_signed(signed: bytes, signatures: str, keys: Sequence[bytes]) -> bool:
    is_signed = False
    for key in keys:
        digest = hmac.new(key, signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        for signature in signatures.split(" "):
            is_signed |= hmac.compare_digest(expected, signature.encode("utf-8", "replace"))
    return is_signed
