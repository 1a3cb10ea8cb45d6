"""Both management clients behind one form, so that each case of a table runs with both."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, List

from licensing_sdk import AsyncListing, AsyncManagementClient, ManagementClient


class Manager:
    """One of the two clients, called without ``await``: ``manager.call("licenses.create", {…})``."""

    def __init__(self, kind: str, **options: Any) -> None:
        made: Any = AsyncManagementClient if kind == "async" else ManagementClient
        self.client = made(**options)
        self._loop = asyncio.new_event_loop()

    def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Returns what a method returns: a list of all items, or the bytes of a file."""
        resource, name = method.split(".")
        called = getattr(getattr(self.client, resource), name)
        return self._loop.run_until_complete(self._finish(called, arguments, options))

    async def _finish(self, method: Any, arguments: Any, options: Any) -> Any:
        outcome = method(*arguments, **options)
        if inspect.isawaitable(outcome):
            outcome = await outcome
        if isinstance(outcome, AsyncListing):
            return [item async for item in outcome]
        if hasattr(outcome, "read"):
            outcome = outcome.read()
            return await outcome if inspect.isawaitable(outcome) else outcome
        return list(outcome) if hasattr(outcome, "page") else outcome

    def page(self, method: str, cursor: Any = None, **options: Any) -> Any:
        """Returns one page of a list."""
        resource, name = method.split(".")

        async def read() -> Any:
            page = getattr(getattr(self.client, resource), name)(**options).page(cursor)
            return await page if inspect.isawaitable(page) else page

        return self._loop.run_until_complete(read())

    def at_once(self, method: str, arguments: List[Any]) -> List[Any]:
        """Calls a method with each argument, in threads or tasks."""
        resource, name = method.split(".")
        called = getattr(getattr(self.client, resource), name)

        async def gather() -> List[Any]:
            if inspect.iscoroutinefunction(called):
                return list(await asyncio.gather(*(called(argument) for argument in arguments)))
            calls = (asyncio.get_running_loop().run_in_executor(None, called, argument) for argument in arguments)
            return list(await asyncio.gather(*calls))

        return self._loop.run_until_complete(gather())

    def close(self) -> None:
        """Closes the client and its loop."""
        closed = self.client.close()
        if inspect.isawaitable(closed):
            self._loop.run_until_complete(closed)
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
