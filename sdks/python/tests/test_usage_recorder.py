"""The recorders: every case runs with both."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from licensing_sdk import (
    AsyncLicensingClient,
    AsyncUsageRecorder,
    Clock,
    FileStore,
    LicensingClient,
    LicensingError,
    MemoryStore,
    RefusedUsage,
    UsageRecorder,
)
from licensing_sdk.types import UsageEvent

from .recorders import CountingService, Recorder
from .service import demo_service

KINDS = ("sync", "async")


class ManualTimers:
    """Timers that a test fires."""

    def __init__(self) -> None:
        self.set: List[Tuple[float, Any]] = []

    def schedule(self, delay_ms: float, task: Any) -> "ManualTimers":
        self.set.append((delay_ms, task))
        return self

    def cancel(self) -> None:
        self.set.clear()


class FailingStore(MemoryStore):
    """A store that fails while it is told to."""

    is_failing = True

    def write(self, text: str) -> None:
        if self.is_failing:
            raise OSError("The disk is full.")
        super().write(text)


class Recorders(unittest.TestCase):
    def setUp(self) -> None:
        self.refused: List[RefusedUsage] = []
        self.errors: List[str] = []
        self.timers = ManualTimers()
        self.service = CountingService()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "usage.json")

    def recorder(self, kind: str, service: Optional[Any] = None, **options: Any) -> Recorder:
        clock = Clock(random=lambda: 1.0, schedule=self.timers.schedule)
        options.setdefault("clock", clock)
        return Recorder(
            kind,
            self.service if service is None else service,
            on_refused=self.refused.append,
            on_error=lambda error: self.errors.append(error.code),
            **options,
        )

    def each(self) -> Any:
        for kind in KINDS:
            self.setUp()
            with self.subTest(kind):
                yield kind

    def test_events_are_sent_in_batches_in_their_order(self) -> None:
        for kind in self.each():
            recorder = self.recorder(kind, max_batch=3, max_buffered=100)
            for quantity in range(1, 8):
                recorder.record("renders", quantity)
            result = recorder.close()
            self.assertEqual((result.accepted, result.pending, result.error), (7, 0, None))
            self.assertEqual(self.service.batches, [3, 3, 1])
            quantities = [event["quantity"] for event in self.service.counted.values()]
            self.assertEqual(quantities, list(range(1, 8)))

    def test_events_of_many_threads_or_tasks_are_stored_and_counted_once(self) -> None:
        for kind in self.each():
            recorder = self.recorder(kind, store=FileStore(self.path))
            recorder.record_at_once(200)
            self.assertEqual(len(json.loads(self.path.read_text("utf-8"))["events"]), 200)
            self.assertEqual(recorder.close().accepted, 200)
            self.assertEqual(len(self.service.counted), 200)
            self.assertEqual(json.loads(self.path.read_text("utf-8"))["events"], [])

    def test_an_event_that_was_counted_before_a_crash_is_a_duplicate_in_the_next_run(self) -> None:
        for kind in self.each():

            def lose(_events: List[UsageEvent]) -> None:
                raise LicensingError("NETWORK.UNREACHABLE", "The answer was lost.")

            self.service.answer = lose
            first = self.recorder(kind, store=FileStore(self.path))
            first.record("renders", 2)
            self.assertEqual(first.flush().pending, 1)
            first.record("renders", 3)
            first.kill()
            self.service.answer = lambda _events: None
            result = self.recorder(kind, store=FileStore(self.path), license_key="OTHER").close()
            self.assertEqual((result.accepted, result.duplicate), (1, 1))
            self.assertEqual(len(self.service.counted), 2)

    def test_the_events_of_a_process_that_was_killed_are_sent_by_the_next_one(self) -> None:
        program = (
            "import os, sys; sys.path.insert(0, sys.argv[1])\n"
            "from licensing_sdk import FileStore, UsageRecorder\n"
            "class Client:\n"
            "    def report_usage(self, key, events): raise AssertionError\n"
            "UsageRecorder(client=Client(), license_key='KEY', store=FileStore(sys.argv[2])).record('renders', 7)\n"
            "os.kill(os.getpid(), 9)\n"
        )
        source = Path(__file__).parent.parent / "src"
        for kind in self.each():
            subprocess.run([sys.executable, "-c", program, str(source), str(self.path)])
            recorder = self.recorder(kind, store=FileStore(self.path))
            self.assertEqual(recorder.close().accepted, 1)
            self.assertEqual([event["quantity"] for event in self.service.counted.values()], [7])

    def test_a_second_recorder_with_the_same_store_is_refused(self) -> None:
        for kind in self.each():
            first = self.recorder(kind, store=FileStore(self.path))
            first.record("renders")
            second = self.recorder(kind, store=FileStore(self.path))
            with self.assertRaises(LicensingError) as caught:
                second.record("renders")
            self.assertEqual(caught.exception.code, "STORE.IN_USE")
            self.assertEqual([refused.reason for refused in self.refused], ["STORE.IN_USE"])
            self.assertEqual(first.close().accepted, 1)
            second.record("renders")
            self.assertEqual(second.close().accepted, 1)

    def test_bad_uses_and_options_are_refused(self) -> None:
        bad: List[Dict[str, Any]] = [
            *({"entitlement": given} for given in ("", None, 7)),
            *({"quantity": given} for given in (0, -1, 1.5, True, "2", float("nan"))),
        ]
        options: List[Dict[str, Any]] = [
            *({"max_batch": given} for given in (0, 1001, 2.5, True)),
            *({"max_buffered": 0}, {"flush_interval_seconds": 0}, {"flush_interval_seconds": float("inf")}),
            *({"license_key": ""}, {"store": object()}),
        ]
        for kind in self.each():
            recorder = self.recorder(kind)
            for given in bad:
                use: Dict[str, Any] = {"entitlement": "renders", **given}
                with self.assertRaises(LicensingError, msg=str(given)) as caught:
                    recorder.record(**use)
                self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            self.assertEqual(recorder.close().accepted, 0)
            for option in options:
                with self.assertRaises(LicensingError, msg=str(option)) as caught:
                    self.recorder(kind, **option)
                self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")

    def test_a_full_buffer_and_a_closed_recorder_refuse_events(self) -> None:
        for kind in self.each():
            recorder = self.recorder(kind, max_buffered=2)
            recorder.record("renders")
            recorder.record("renders")
            with self.assertRaises(LicensingError) as caught:
                recorder.record("renders", 9)
            self.assertEqual(caught.exception.code, "USAGE.BUFFER_FULL")
            self.assertEqual([(one.quantity, one.reason) for one in self.refused], [(9, "USAGE.BUFFER_FULL")])
            self.assertEqual(recorder.close().accepted, 2)
        recorder = self.recorder("sync")
        recorder.close()
        with self.assertRaises(LicensingError) as caught:
            recorder.record("renders")
        self.assertEqual(caught.exception.code, "USAGE.RECORDER_CLOSED")

    def test_an_event_that_is_recorded_while_the_recorder_closes_is_either_sent_or_refused(self) -> None:
        for kind in self.each():
            recorder = self.recorder(kind, store=FileStore(self.path))
            sent = recorder.close_while_recording(100)
            self.assertEqual(len(self.service.counted) + len(self.refused), 100)
            self.assertEqual(sent, len(self.service.counted))
            self.assertEqual({one.reason for one in self.refused} - {"USAGE.RECORDER_CLOSED"}, set())
            FileStore(self.path).lock()()

    def test_a_store_that_fails_is_reported_and_the_events_are_sent(self) -> None:
        for kind in self.each():
            recorder = self.recorder(kind, store=FailingStore())
            recorder.record("renders")
            self.assertEqual(self.errors, ["RECORDER.FAILED"])
            self.assertEqual(recorder.close().accepted, 1)

    def test_a_store_of_something_else_is_refused_and_a_damaged_one_is_reported(self) -> None:
        for kind in self.each():
            foreign, damaged = MemoryStore(), MemoryStore()
            foreign.write('{"kind":"LicenseGuard"}')
            damaged.write('{"kind":"Usage')
            recorder = self.recorder(kind, store=foreign)
            with self.assertRaises(LicensingError) as caught:
                recorder.record("renders")
            self.assertEqual(caught.exception.code, "STORE.FOREIGN")
            recorder.close()
            self.errors.clear()
            recorder = self.recorder(kind, store=damaged)
            recorder.record("renders")
            self.assertEqual(self.errors, ["STORE.UNREADABLE"])
            self.assertEqual(recorder.close().accepted, 1)

    def test_an_invalid_event_is_found_and_the_others_are_counted(self) -> None:
        for kind in self.each():

            def refuse(events: List[UsageEvent]) -> None:
                wrong = [index for index, event in enumerate(events) if event["quantity"] == 666]
                for event in events if wrong else []:
                    del self.service.counted[event["idempotency_key"]]
                if wrong:
                    details: Any = [{"field": f"events.{index}.quantity", "message": "No."} for index in wrong]
                    raise LicensingError("VALIDATION.FAILED", "No.", status=422, details=details)

            self.service.answer = refuse
            recorder = self.recorder(kind)
            for quantity in (1, 666, 3):
                recorder.record("renders", quantity)
            result = recorder.close()
            self.assertEqual((result.accepted, [one.quantity for one in result.refused]), (2, [666]))

    def test_a_batch_that_a_proxy_finds_too_large_is_sent_in_parts(self) -> None:
        for kind in self.each():

            def refuse(events: List[UsageEvent]) -> None:
                if len(events) > 2:
                    for event in events:
                        del self.service.counted[event["idempotency_key"]]
                    raise LicensingError("RESPONSE.INVALID", "Too large.", status=413)

            self.service.answer = refuse
            recorder = self.recorder(kind)
            for _ in range(5):
                recorder.record("renders")
            self.assertEqual(recorder.close().accepted, 5)

    def test_failures_wait_longer_each_time_and_a_full_batch_does_not_wait(self) -> None:
        for kind in self.each():

            def fail(_events: List[UsageEvent]) -> None:
                raise LicensingError("NETWORK.UNREACHABLE", "No network.")

            recorder = self.recorder(kind, max_batch=2)
            recorder.record("renders")
            self.assertEqual([delay for delay, _task in self.timers.set], [10_000])
            recorder.record("renders")
            self.assertEqual([delay for delay, _task in self.timers.set], [0])
            self.service.answer = fail
            delays = []
            for _ in range(7):
                recorder.flush()
                delays += [delay for delay, _task in self.timers.set]
            self.assertEqual(delays, [20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000])
            self.assertEqual(set(self.errors), {"NETWORK.UNREACHABLE"})
            self.service.answer = lambda _events: None
            self.assertEqual(recorder.close().pending, 0)

    def test_a_listener_that_raises_stops_nothing(self) -> None:
        for kind in self.each():

            def fail(_refused: RefusedUsage) -> None:
                raise ValueError("A mistake of the application.")

            recorder = Recorder(kind, self.service, max_buffered=1, on_refused=fail)
            recorder.record("renders")
            with self.assertRaises(LicensingError):
                recorder.record("renders")
            self.assertEqual(recorder.close().accepted, 1)

    def test_a_listener_may_flush(self) -> None:
        results: List[int] = []

        def fail(_events: List[UsageEvent]) -> None:
            raise LicensingError("NETWORK.UNREACHABLE", "No network.")

        def flush(_error: LicensingError) -> None:
            self.service.answer = lambda _events: None
            results.append(recorder.flush().duplicate)

        self.service.answer = fail
        recorder = Recorder("sync", self.service, on_error=flush)
        recorder.record("renders")
        self.assertEqual(recorder.flush().pending, 1)
        self.assertEqual(results, [1])

    def test_a_program_that_ends_has_sent_its_events(self) -> None:
        program = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from licensing_sdk import UsageRecorder\n"
            "class Client:\n"
            "    def report_usage(self, key, events):\n"
            "        print(key, [event['quantity'] for event in events], flush=True)\n"
            "        results = [{'index': i, 'status': 'accepted'} for i in range(len(events))]\n"
            "        return {'results': results, 'counters': []}\n"
            "UsageRecorder(client=Client(), license_key='KEY').record('renders', 3)\n"
        )
        source = Path(__file__).parent.parent / "src"
        ended = subprocess.run([sys.executable, "-c", program, str(source)], capture_output=True, text=True)
        self.assertEqual((ended.stdout, ended.stderr), ("KEY [3]\n", ""))


class WithTheService(unittest.TestCase):
    def test_both_recorders_report_to_a_real_service(self) -> None:
        with demo_service() as service:
            with LicensingClient(base_url=service["origin"], api_key=service["api_key"]) as client:
                with UsageRecorder(client=client, license_key=service["license_key"]) as recorder:
                    recorder.record("exports", 2)
                    result = recorder.flush()
                    self.assertEqual((result.error, result.pending), (None, 0))
                    self.assertEqual(len(result.refused) + result.accepted, 1)

            async def report() -> None:
                async with AsyncLicensingClient(base_url=service["origin"], api_key=service["api_key"]) as client:
                    recorder = AsyncUsageRecorder(client=client, license_key=service["license_key"])
                    async with recorder:
                        await recorder.record("exports", 2)
                        result = await recorder.flush()
                        self.assertEqual((result.error, result.pending), (None, 0))

            asyncio.run(report())
