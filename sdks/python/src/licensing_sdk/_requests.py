"""The request of each call: pure functions that both clients share."""

from __future__ import annotations

import json
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import quote

from ._timestamps import wire_timestamp
from .errors import configuration_error
from .types import Timestamp, UsageEvent

INTEGRATION = "/api/v1/integration/"
KEY_LENGTH_MAX = 128


@dataclass(frozen=True)
class ApiRequest:
    """One call of the service. ``nonce`` is the one that the answer must repeat."""

    method: str
    path: str
    body: Union[bytes, Iterable[bytes], None] = None
    """Bytes, or pieces of them, which cannot be sent twice."""
    idempotency_key: Optional[str] = None
    nonce: Optional[str] = None
    has_envelope: bool = True
    is_authenticated: bool = True
    required: Tuple[Tuple[str, Any], ...] = ()
    """Fields without which the answer is not one of the service, and their types."""
    content_type: str = "application/json"
    acts_again: bool = False
    """The service would act twice: only refusals (429 and 503) are repeated."""
    is_file: bool = False
    """The answer is a file, which is read piece by piece."""
    timeout_seconds: Optional[float] = None
    """Replaces the limit of the client."""

    @property
    def is_repeatable(self) -> bool:
        """Whether the request may be sent again after it may have arrived."""
        return not self.acts_again and (self.body is None or isinstance(self.body, bytes))


def segment(text: str, name: str) -> str:
    """Encodes a license key or an id as one segment of a path.

    A text that no URL can carry, or that is longer than any key, becomes ``-``. That is no key either, so the service
    answers as for every unknown key.
    """
    if not isinstance(text, str):
        raise configuration_error(f"{name} must be a text. It is {'not set' if text is None else type(text).__name__}.")
    if text in ("", ".", "..") or len(text) > KEY_LENGTH_MAX:
        return "-"
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        return "-"


def _path(license_key: str, action: str) -> str:
    return f"{INTEGRATION}licenses/{segment(license_key, 'license_key')}/{action}"


def _post(license_key: str, action: str, fields: Mapping[str, Any], **options: Any) -> ApiRequest:
    return _send(_path(license_key, action), fields, **options)


def _send(path: str, fields: Mapping[str, Any], **options: Any) -> ApiRequest:
    given = {name: value for name, value in fields.items() if value is not None}
    return ApiRequest("POST", path, json_body(given), **options)


def json_body(fields: Mapping[str, Any]) -> bytes:
    """Returns the fields as JSON, each ``datetime`` as a timestamp. Raises ``CONFIGURATION.INVALID``."""
    try:
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_moment)
        return text.encode("utf-8")
    except (TypeError, ValueError) as cause:
        raise configuration_error(f"The arguments cannot be sent as JSON ({cause}). Correct them.") from cause


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return wire_timestamp(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def new_idempotency_key() -> str:
    """Returns a key that no other call has."""
    return str(uuid.uuid4())


def validate(
    license_key: str,
    product: Optional[str],
    fingerprint: Optional[str],
    entitlements: Optional[Sequence[str]],
    version_released_at: Optional[Timestamp],
    nonce: Optional[str],
    proof: Optional[bool],
    app_version: Optional[str] = None,
    components: Optional[Mapping[str, str]] = None,
) -> ApiRequest:
    """The request of ``validate``. A proof needs a nonce; without one, the client makes it."""
    if proof and nonce is None:
        nonce = secrets.token_urlsafe(24)
    fields = {
        "product": product,
        "fingerprint": fingerprint,
        "components": _parts(components),
        "entitlements": _codes(entitlements),
        "version_released_at": None if version_released_at is None else wire_timestamp(version_released_at),
        "nonce": nonce,
        "proof": proof,
        "app_version": app_version,
    }
    required = (("valid", bool), ("code", str))
    return _post(license_key, "validate", fields, nonce=nonce if proof else None, required=required)


def _parts(components: Optional[Mapping[str, str]]) -> Optional[Dict[str, str]]:
    return dict(components) if components else None


def _codes(entitlements: Optional[Sequence[str]]) -> Optional[List[str]]:
    if isinstance(entitlements, str):
        raise configuration_error("entitlements must be a list of codes, not one text.")
    return None if entitlements is None else list(entitlements)


def activate(
    license_key: str,
    fingerprint: Optional[str],
    name: Optional[str],
    hostname: Optional[str],
    platform: Optional[str],
    metadata: Optional[Mapping[str, Any]],
    app_version: Optional[str] = None,
    components: Optional[Mapping[str, str]] = None,
) -> ApiRequest:
    """The request of ``activate``."""
    fields = {
        "fingerprint": fingerprint,
        "components": _parts(components),
        "name": name,
        "hostname": hostname,
        "platform": platform,
        "metadata": None if metadata is None else dict(metadata),
        "app_version": app_version,
    }
    return _post(license_key, "activations", fields, idempotency_key=new_idempotency_key())


def list_activations(
    license_key: str,
    fingerprint: Optional[str],
    limit: Optional[int],
    cursor: Optional[str],
    components: Optional[Mapping[str, str]],
) -> ApiRequest:
    """The request of ``list_activations``."""
    fields = {"fingerprint": fingerprint, "components": _parts(components), "limit": limit, "cursor": cursor}
    return _post(license_key, "activations/list", fields)


def of_activation(license_key: str, activation_id: str, action: str) -> ApiRequest:
    """The request of ``heartbeat`` and ``deactivate``."""
    activation = segment(activation_id, "activation_id")
    return ApiRequest("POST", _path(license_key, f"activations/{activation}/{action}"))


def check_entitlements(license_key: str, codes: Optional[Sequence[str]]) -> ApiRequest:
    """The request of ``check_entitlements``."""
    return _post(license_key, "entitlements/check", {"entitlements": _codes(codes)})


def report_usage(license_key: str, events: Sequence[UsageEvent]) -> ApiRequest:
    """The request of ``report_usage``. The report and each event have a key, so that no repetition counts twice."""
    fields = {"events": [_event(event) for event in events]}
    return _post(license_key, "usage", fields, idempotency_key=new_idempotency_key())


def _event(event: UsageEvent) -> Dict[str, Any]:
    fields: Dict[str, Any] = {name: value for name, value in event.items() if value is not None}
    fields.setdefault("idempotency_key", new_idempotency_key())
    if "occurred_at" in fields:
        fields["occurred_at"] = wire_timestamp(fields["occurred_at"])
    return fields


def issue_certificate(
    license_key: str,
    fingerprint: Optional[str],
    ttl_seconds: Optional[int],
    components: Optional[Mapping[str, str]],
) -> ApiRequest:
    """The request of ``issue_certificate``."""
    fields = {"fingerprint": fingerprint, "components": _parts(components), "ttl_seconds": ttl_seconds}
    return _post(license_key, "certificate", fields)


def start_trial(
    product: str,
    fingerprint: Optional[str],
    email: Optional[str],
    name: Optional[str],
    device: Mapping[str, Optional[str]],
    components: Optional[Mapping[str, str]],
) -> ApiRequest:
    """The request of ``start_trial``."""
    given = {field: value for field, value in device.items() if value is not None}
    fields = {
        "product": product,
        "fingerprint": fingerprint,
        "components": _parts(components),
        "email": email,
        "name": name,
        "device": given or None,
    }
    return _send(f"{INTEGRATION}trials", fields, required=(("status", str),))


def confirm_trial(code: str) -> ApiRequest:
    """The request of ``confirm_trial``."""
    return _send(f"{INTEGRATION}trials/confirm", {"code": code}, required=(("license_key", str),))


def latest_release(fields: Mapping[str, Optional[str]]) -> ApiRequest:
    """The request of ``latest_release``."""
    return _send(f"{INTEGRATION}releases/latest", fields)


def download_release(release_id: str, artifact_id: str, license_key: str) -> ApiRequest:
    """The request of ``download_release``."""
    release, artifact = segment(release_id, "release_id"), segment(artifact_id, "artifact_id")
    path = f"{INTEGRATION}releases/{release}/artifacts/{artifact}/download"
    return _send(path, {"license_key": license_key}, required=(("url", str),))


def jwks(tenant_id: str) -> ApiRequest:
    """The request of ``jwks``. It is public, so it carries no API key."""
    path = f"/api/v1/tenants/{segment(tenant_id, 'tenant_id')}/jwks.json"
    return ApiRequest("GET", path, has_envelope=False, is_authenticated=False, required=(("keys", list),))
