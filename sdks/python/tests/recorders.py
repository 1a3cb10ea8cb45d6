"""Both recorders behind one form, so that each case of a table runs with both."""

from __future__ import annotations

import asyncio
import atexit
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List

from licensing_sdk import AsyncUsageRecorder, FlushResult, UsageRecorder
from licensing_sdk.types import UsageEvent, UsageReport


class CountingService:
    """Counts events by their idempotency key, as the service does."""

    def __init__(self) -> None:
        self.counted: Dict[str, UsageEvent] = {}
        self.batches: List[int] = []
        self.answer: Callable[[List[UsageEvent]], None] = lambda _events: None

    def report_usage(self, _license_key: str, events: List[UsageEvent]) -> UsageReport:
        """Answers a report. What ``answer`` raises, the caller gets after the events were counted."""
        self.batches.append(len(events))
        statuses = ["duplicate" if event["idempotency_key"] in self.counted else "accepted" for event in events]
        self.counted.update((event["idempotency_key"], event) for event in events)
        self.answer(events)
        results: Any = [
            {"index": index, "status": status, "reason": None} for index, status in enumerate(statuses)
        ]
        return {"results": results, "counters": []}


class _AsyncService:
    def __init__(self, service: Any) -> None:
        self._service = service

    async def report_usage(self, license_key: str, events: List[UsageEvent]) -> UsageReport:
        """Answers as the service."""
        report: UsageReport = self._service.report_usage(license_key, events)
        return report


class Recorder:
    """One of the two recorders, called without ``await``."""

    def __init__(self, kind: str, service: Any, **options: Any) -> None:
        options.setdefault("license_key", "KEY")
        made: Any = AsyncUsageRecorder if kind == "async" else UsageRecorder
        self._recorder = made(client=_AsyncService(service) if kind == "async" else service, **options)
        self._loop = asyncio.new_event_loop() if kind == "async" else None

    def record(self, entitlement: str, quantity: int = 1) -> None:
        """Records."""
        self._finish(self._recorder.record(entitlement, quantity))

    def record_at_once(self, count: int) -> None:
        """Records in many threads or tasks."""
        if self._loop is not None:
            tasks = (self._recorder.record("renders", 1) for _ in range(count))
            self._loop.run_until_complete(_all(list(tasks)))
            return
        with ThreadPoolExecutor(20) as threads:
            for future in [threads.submit(self._recorder.record, "renders", 1) for _ in range(count)]:
                future.result()

    def close_while_recording(self, count: int) -> int:
        """Closes the recorder while it records. Returns how many calls of ``record`` succeeded."""
        if self._loop is not None:

            async def at_once() -> List[Any]:
                records = [asyncio.ensure_future(self._recorder.record("renders", 1)) for _ in range(count)]
                await records[0]
                await self._recorder.close()
                return list(await asyncio.gather(*records, return_exceptions=True))

            outcomes = self._loop.run_until_complete(at_once())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
            return outcomes.count(None)
        with ThreadPoolExecutor(20) as threads:
            futures = [threads.submit(self._recorder.record, "renders", 1) for _ in range(count)]
            futures[0].result()
            self._recorder.close()
            return [future.exception() for future in futures].count(None)

    def flush(self) -> FlushResult:
        """Flushes."""
        result: FlushResult = self._finish(self._recorder.flush())
        return result

    def close(self) -> FlushResult:
        """Closes the recorder, and its loop."""
        result: FlushResult = self._finish(self._recorder.close())
        if self._loop is not None:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
        return result

    def kill(self) -> None:
        """Ends the recorder as a crash does: it sends nothing, and a new process finds its lock without an owner."""
        self._recorder._clear_timer()
        self._recorder._buffer.release()
        if self._loop is None:
            atexit.unregister(self._recorder.close)
        else:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _finish(self, outcome: Any) -> Any:
        return outcome if self._loop is None else self._loop.run_until_complete(outcome)


async def _all(tasks: List[Any]) -> None:
    await asyncio.gather(*tasks)
