"""Turns an HTTP response into the result of a call or into an error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Protocol, cast

from ._requests import ApiRequest
from .errors import ErrorDetail, LicensingError


class FileStream(Protocol):
    """The body of a response that is read piece by piece."""

    def read_piece(self) -> bytes:
        """Returns the next piece; empty at the end. Raises ``LicensingError``."""

    def close(self) -> None:
        """Ends the reading."""


@dataclass(frozen=True)
class HttpResponse:
    """A complete response. The names of ``headers`` are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    file: Optional[FileStream] = None
    """The unread body of a file; ``body`` is empty then."""

    def header(self, name: str) -> Optional[str]:
        """Returns the value of a header, or None."""
        return self.headers.get(name)


def decode(request: ApiRequest, response: HttpResponse) -> Any:
    """Returns ``data`` of a success, or its file. Raises the error of a failure, or ``RESPONSE.INVALID``."""
    if response.file is not None:
        return response.file
    document = parse_object(response.body) if _is_json(response) else None
    request_id = _request_id(document, response)
    if 200 <= response.status < 300 and document is not None:
        result = document.get("data") if request.has_envelope else document
        if isinstance(result, dict) and all(isinstance(result.get(name), kind) for name, kind in request.required):
            if request.nonce is not None and result.get("nonce") != request.nonce:
                message = "The verdict repeats another nonce than the request had: it may be an old verdict. Ask again."
                raise LicensingError("RESPONSE.INVALID", message, status=response.status, request_id=request_id)
            return result
    error = None if document is None else document.get("error")
    if response.status >= 400 and isinstance(error, dict) and isinstance(error.get("code"), str):
        raise LicensingError(
            error["code"],
            str(error.get("message", "")),
            status=response.status,
            request_id=request_id,
            details=_details(error.get("details")),
        )
    _refuse(response, request_id)


def _is_json(response: HttpResponse) -> bool:
    media_type = (response.header("content-type") or "").split(";")[0].strip().lower()
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def parse_object(text: bytes) -> Optional[Dict[str, Any]]:
    """Returns the JSON object in ``text``, or None if it is anything else."""
    try:
        value = json.loads(text.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def _request_id(document: Optional[Dict[str, Any]], response: HttpResponse) -> Optional[str]:
    meta = None if document is None else document.get("meta")
    if isinstance(meta, dict) and isinstance(meta.get("request_id"), str):
        return str(meta["request_id"])
    return response.header("x-request-id")


def _details(value: object) -> List[ErrorDetail]:
    entries = value if isinstance(value, list) else []
    return [cast(ErrorDetail, entry) for entry in entries if isinstance(entry, dict)]


def _refuse(response: HttpResponse, request_id: Optional[str]) -> NoReturn:
    message = f"The answer (status {response.status}) is not one of the licensing service: check base_url and proxies."
    raise LicensingError("RESPONSE.INVALID", message, status=response.status, request_id=request_id)
