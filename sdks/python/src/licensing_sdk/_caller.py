"""What the clients without an event loop share: they send requests, wait, and end."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, TypeVar, Union

from ._options import Options
from ._requests import ApiRequest
from ._retry import Send, Wait, perform
from ._sockets import Abort
from ._steps import drive

_Self = TypeVar("_Self", bound="Caller")
_Result = TypeVar("_Result")


class Caller:
    """The connection of a client. Threads may share it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._sleep = time.sleep
        self._thread = threading.local()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the kept connections."""
        self._options.transport.close()

    @contextmanager
    def _ending_with(self, abort: Abort) -> Iterator[None]:
        """Lets another thread end the calls of this one."""
        self._thread.abort = abort
        try:
            yield
        finally:
            self._thread.abort = None

    def _call(self, request: ApiRequest) -> Any:
        options = self._options
        abort: Optional[Abort] = getattr(self._thread, "abort", None)
        steps = perform(
            request,
            timeout_seconds=options.timeout_seconds,
            max_retries=options.max_retries,
            timing=options.timing,
        )

        def step(asked: Union[Send, Wait]) -> Any:
            if isinstance(asked, Send):
                return options.transport.send(request, asked.seconds, abort)
            self._wait(asked.seconds, abort)
            return None

        return drive(steps, step)

    def _run(self, work: Callable[[], _Result]) -> _Result:
        return work()

    def _wait(self, seconds: float, abort: Optional[Abort]) -> None:
        if abort is None or self._sleep is not time.sleep:
            self._sleep(seconds)
        else:
            abort.wait(seconds)
