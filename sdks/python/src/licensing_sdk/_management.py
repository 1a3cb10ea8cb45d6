"""The requests of the management client, and the pages of its lists."""

from __future__ import annotations

import asyncio
import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import (
    Any,
    AsyncIterable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    TypeVar,
    Union,
    cast,
)
from urllib.parse import urlencode

from ._requests import ApiRequest, json_body, new_idempotency_key, segment
from ._timestamps import wire_timestamp
from .errors import configuration_error

TENANT = "/api/v1/tenant/"
PIECE_BYTES = 64 * 1024

Item = TypeVar("Item")


class Readable(Protocol):
    """A file that was opened for reading."""

    def read(self, size: int, /) -> Union[str, bytes]:
        """Returns the next piece; empty at the end."""


ImportContent = Union[str, bytes, Readable, Iterable[Union[str, bytes]]]
"""The content of an import: a text, bytes, an open file, or pieces."""
AsyncImportContent = Union[ImportContent, AsyncIterable[Union[str, bytes]]]
"""The content of an import; pieces may come from the event loop."""


def tenant_path(template: str, arguments: Sequence[str], query: Optional[Mapping[str, Any]] = None) -> str:
    """Returns the path of a request with its query. What is None is left out."""
    path = TENANT + template.format(*(segment(argument, "An id") for argument in arguments))
    given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return wire_timestamp(value) if isinstance(value, datetime) else str(value)


def tenant_request(
    method: str,
    template: str,
    arguments: Sequence[str],
    *,
    query: Optional[Mapping[str, Any]] = None,
    fields: Optional[Mapping[str, Any]] = None,
    fixed: Optional[Mapping[str, Any]] = None,
    once: bool = False,
    idempotency_key: Optional[str] = None,
    acts_again: bool = False,
    is_nullable: bool = False,
) -> ApiRequest:
    """Returns a request whose answer has ``data``. Raises ``CONFIGURATION.INVALID`` for impossible arguments."""
    if fields is not None and not isinstance(fields, Mapping):
        raise configuration_error("Pass the fields as a dictionary.")
    body: Optional[Dict[str, Any]] = None if fields is None and fixed is None else {**(fields or {}), **(fixed or {})}
    kinds = (dict, list, type(None)) if is_nullable else (dict, list)
    return ApiRequest(
        method,
        tenant_path(template, arguments, query),
        None if body is None else json_body(body),
        idempotency_key=_checked_key(idempotency_key) if once else None,
        has_envelope=False,
        required=(("data", kinds),),
        acts_again=acts_again,
    )


def _checked_key(key: Optional[str]) -> str:
    if key is None:
        return new_idempotency_key()
    if not isinstance(key, str) or re.fullmatch(r"[!-~]{1,255}", key) is None:
        raise configuration_error("idempotency_key must be 1 to 255 characters of ASCII.")
    return key


def import_request(
    template: str,
    arguments: Sequence[str],
    content: AsyncImportContent,
    content_type: str,
    query: Mapping[str, Any],
    background: bool,
    idempotency_key: Optional[str],
) -> ApiRequest:
    """Returns the request of an import, whose content is sent as it is read."""
    given = _from_loop(content) if isinstance(content, AsyncIterable) else content
    body = given.encode("utf-8") if isinstance(given, str) else given
    return ApiRequest(
        "POST",
        tenant_path(template, arguments, {**query, "background": background or None}),
        body if isinstance(body, bytes) else _pieces(body),
        idempotency_key=_checked_key(idempotency_key),
        has_envelope=False,
        required=(("data", dict),),
        content_type=content_type,
        timeout_seconds=math.inf,
    )


def _from_loop(content: AsyncIterable[Union[str, bytes]]) -> Iterator[Union[str, bytes]]:
    """Returns the pieces of the event loop for the thread that sends them."""
    loop = asyncio.get_running_loop()
    iterator = content.__aiter__()

    async def following() -> Union[str, bytes, None]:
        try:
            return await iterator.__anext__()
        except StopAsyncIteration:
            return None

    return iter(lambda: asyncio.run_coroutine_threadsafe(following(), loop).result(), None)


def _pieces(content: Union[Readable, Iterable[Union[str, bytes]]]) -> Iterator[bytes]:
    for piece in _read(cast(Readable, content)) if hasattr(content, "read") else cast(Iterable[Any], content):
        yield piece.encode("utf-8") if isinstance(piece, str) else piece


def _read(file: Readable) -> Iterator[Union[str, bytes]]:
    piece = file.read(PIECE_BYTES)
    while piece:
        yield piece
        piece = file.read(PIECE_BYTES)


def file_request(template: str, arguments: Sequence[str], query: Optional[Mapping[str, Any]]) -> ApiRequest:
    """Returns the request of a file."""
    given = {**(query or {})}
    given["format"] = given.get("format") or "ndjson"
    return ApiRequest("GET", tenant_path(template, arguments, given), is_file=True)


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list. ``next_cursor`` is the ``cursor`` of the next page; None: there is none."""

    data: List[Item]
    next_cursor: Optional[str]


def page_of(answer: Mapping[str, Any]) -> "Page[Any]":
    """Returns the page in an answer."""
    meta = answer.get("meta")
    return Page(answer["data"], meta.get("next_cursor") if isinstance(meta, dict) else None)
