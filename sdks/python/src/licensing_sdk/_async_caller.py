"""What the clients with an event loop share: they send requests, wait, and end."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, TypeVar, Union

from ._decode import HttpResponse
from ._options import Options
from ._requests import ApiRequest
from ._retry import Send, Wait, perform
from ._sockets import Abort
from ._steps import drive_async
from .errors import LicensingError

REQUESTS_AT_ONCE = 32

_Self = TypeVar("_Self", bound="AsyncCaller")
_Result = TypeVar("_Result")


class AsyncCaller:
    """The connection of a client."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._threads = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="licensing-sdk")
        self._sleep = asyncio.sleep

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the kept connections and ends the threads."""
        self._options.transport.close()
        self._threads.shutdown(wait=False)

    async def _call(self, request: ApiRequest) -> Any:
        options = self._options
        steps = perform(
            request,
            timeout_seconds=options.timeout_seconds,
            max_retries=options.max_retries,
            timing=options.timing,
        )

        async def step(asked: Union[Send, Wait]) -> Any:
            if isinstance(asked, Send):
                return await self._send(request, asked.seconds)
            await self._sleep(asked.seconds)
            return None

        return await drive_async(steps, step)

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        """Does work that waits for the network in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _send(self, request: ApiRequest, seconds: float) -> HttpResponse:
        abort = Abort()
        loop = asyncio.get_running_loop()
        attempt = loop.run_in_executor(self._threads, self._options.transport.send, request, seconds, abort)
        # The thread observes the deadline, except while the operating system resolves the host's name.
        try:
            return await asyncio.wait_for(attempt, seconds + 0.1)
        except asyncio.TimeoutError as cause:
            message = "The licensing service did not answer in time. Try again, or raise timeout_seconds."
            raise LicensingError("NETWORK.TIMEOUT", message) from cause
        finally:
            if not attempt.done() or attempt.cancelled():
                abort.abort()
