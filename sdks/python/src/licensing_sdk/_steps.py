"""Runs work that yields what it needs: the same work runs with and without an event loop."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Generator, TypeVar

Asked = TypeVar("Asked")
Result = TypeVar("Result")


def drive(steps: Generator[Asked, Any, Result], perform: Callable[[Asked], Any]) -> Result:
    """Performs what the steps ask for, and returns their result. The steps decide what a failure means."""
    try:
        asked = next(steps)
        while True:
            try:
                answer = perform(asked)
            except Exception as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result


async def drive_async(steps: Generator[Asked, Any, Result], perform: Callable[[Asked], Awaitable[Any]]) -> Result:
    """Does what ``drive`` does in an event loop."""
    try:
        asked = next(steps)
        while True:
            try:
                answer = await perform(asked)
            except Exception as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result
