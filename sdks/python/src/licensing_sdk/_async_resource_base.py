"""The lists and the files of the management client, and how its resources send requests."""

from __future__ import annotations

from typing import Any, AsyncIterator, Generic, Mapping, Optional, Sequence

from ._async_caller import AsyncCaller
from ._decode import FileStream
from ._management import AsyncImportContent, Item, Page, file_request, import_request, page_of, tenant_request


class AsyncDownload:
    """A file, piece by piece. Read it to its end, or close it."""

    def __init__(self, file: FileStream, caller: AsyncCaller) -> None:
        self._file = file
        self._caller = caller

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        piece = await self._caller._run(self._file.read_piece)
        while piece != b"":
            yield piece
            piece = await self._caller._run(self._file.read_piece)

    async def read(self) -> bytes:
        """Returns the rest of the file. Raises ``LicensingError``."""
        return b"".join([piece async for piece in self])

    async def close(self) -> None:
        """Ends the download."""
        self._file.close()


class AsyncResource:
    """A part of the tenant API."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def _send(self, method: str, template: str, arguments: Sequence[str], **options: Any) -> Any:
        return (await self._caller._call(tenant_request(method, template, arguments, **options)))["data"]

    async def _download(
        self, template: str, arguments: Sequence[str], query: Optional[Mapping[str, Any]] = None
    ) -> AsyncDownload:
        return AsyncDownload(await self._caller._call(file_request(template, arguments, query)), self._caller)

    async def _import(
        self,
        template: str,
        arguments: Sequence[str],
        content: AsyncImportContent,
        content_type: str,
        query: Mapping[str, Any],
        background: bool,
        idempotency_key: Optional[str],
    ) -> Any:
        request = import_request(template, arguments, content, content_type, query, background, idempotency_key)
        return (await self._caller._call(request))["data"]


class AsyncListing(Generic[Item]):
    """A list, newest first. Iterating reads one page after the other; nothing is read before."""

    def __init__(
        self,
        resource: AsyncResource,
        template: str,
        arguments: Sequence[str],
        query: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self._caller = resource._caller
        self._given = (template, arguments, {**(query or {})})

    async def page(self, cursor: Optional[str] = None) -> Page[Item]:
        """Returns one page: the first one, or the one of a cursor. Raises ``LicensingError``."""
        template, arguments, query = self._given
        request = tenant_request("GET", template, arguments, query={**query, "cursor": cursor})
        return page_of(await self._caller._call(request))

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self.page()
        for item in page.data:
            yield item
        while page.next_cursor is not None:
            page = await self.page(page.next_cursor)
            for item in page.data:
                yield item
