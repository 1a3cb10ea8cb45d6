"""What the clients without an event loop share: they send requests, wait, and end."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Optional, Type, TypeVar

from ._options import Options
from ._requests import ApiRequest
from ._retry import Outcome, Send, perform
from .errors import LicensingError

_Self = TypeVar("_Self", bound="Caller")


class Caller:
    """The connection of a client. Threads may share it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._sleep = time.sleep

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the kept connections."""
        self._options.transport.close()

    def _call(self, request: ApiRequest) -> Any:
        options = self._options
        steps = perform(
            request,
            timeout_seconds=options.timeout_seconds,
            max_retries=options.max_retries,
            timing=options.timing,
        )
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Send):
                try:
                    outcome = options.transport.send(request, step.seconds)
                except LicensingError as failure:
                    outcome = failure
            else:
                self._sleep(step.seconds)
                outcome = None
