"""What the conformance cases of the guard leave out: options, processes, and requests that hang."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, get_args

from licensing_sdk import (
    AsyncLicenseGuard,
    AsyncLicensingClient,
    FileStore,
    GuardStatus,
    LicenseGuard,
    LicensingClient,
    LicensingError,
    MemoryStore,
)

from .floating_service import floating_service
from .servers import API_KEY, echo_server

JWKS = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43, "kid": "k"}]}
SIGNED: Dict[str, Any] = {"jwks": JWKS, "issuer": "https://licensing.example.com", "audience": "tenant"}
APPLICATION = """
import sys
from licensing_sdk import FileStore, LicenseGuard, LicensingClient
origin, path = sys.argv[1:]
guard = LicenseGuard(
    client=LicensingClient(base_url=origin, api_key="vx_" + "0" * 64),
    license_key="ABCDE", fingerprint="machine-1", store=FileStore(path), unsigned=True,
)
print(guard.start().status, flush=True)
sys.stdin.read()
guard.stop()
"""


class Options(unittest.TestCase):
    def make(self, **options: Any) -> LicenseGuard:
        client = LicensingClient(base_url="http://127.0.0.1:9", api_key=API_KEY, max_retries=0)
        return LicenseGuard(client=client, license_key="ABCDE", store=MemoryStore(), **options)

    def test_a_guard_without_keys_is_not_made_unless_the_application_says_unsigned(self) -> None:
        mistakes: List[Dict[str, Any]] = [{}, {"unsigned": False}, {"unsigned": True, **SIGNED}]
        for options in mistakes:
            with self.subTest(options=options), self.assertRaises(LicensingError) as raised:
                self.make(**options)
            self.assertEqual(raised.exception.code, "CONFIGURATION.INVALID")
            self.assertIn("unsigned=True", raised.exception.message)
        self.make(unsigned=True)

    def test_the_text_for_the_user_is_in_the_language_of_the_guard_and_in_english_otherwise(self) -> None:
        texts = {language: self.make(unsigned=True, language=language).start() for language in ("de-AT", "fr", "xx")}
        self.assertEqual({state.reason for state in texts.values()}, {"NETWORK.UNREACHABLE"})
        english = self.make(unsigned=True).start()
        self.assertEqual(texts["xx"].message, english.message)
        self.assertEqual(len({state.message for state in texts.values()}), 3)
        self.assertNotIn("base_url", english.message)

    def test_the_status_is_one_of_four_texts(self) -> None:
        self.assertEqual(get_args(GuardStatus), ("licensed", "grace", "offline", "unlicensed"))


class HangingService(unittest.TestCase):
    def test_stop_ends_a_request_that_the_service_does_not_answer(self) -> None:
        with echo_server() as server:
            server.hold.clear()
            client = LicensingClient(base_url=server.origin, api_key=API_KEY)
            guard = LicenseGuard(client=client, license_key="ABCDE", store=MemoryStore(), unsigned=True)
            starting = threading.Thread(target=guard.start)
            starting.start()
            server.arrived.acquire()
            begun = time.monotonic()
            guard.stop()
            starting.join()
            self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual(guard.state.status, "unlicensed")

    def test_stop_of_the_asynchronous_guard_ends_it_too(self) -> None:
        async def run(origin: str, arrived: threading.Semaphore) -> float:
            client = AsyncLicensingClient(base_url=origin, api_key=API_KEY)
            guard = AsyncLicenseGuard(client=client, license_key="ABCDE", store=MemoryStore(), unsigned=True)
            starting = asyncio.ensure_future(guard.start())
            await asyncio.get_running_loop().run_in_executor(None, arrived.acquire)
            begun = time.monotonic()
            await guard.stop()
            await starting
            return time.monotonic() - begun

        with echo_server() as server:
            server.hold.clear()
            self.assertLess(asyncio.run(run(server.origin, server.arrived)), 5)


class SharedSeat(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "license.json"
        started = floating_service()
        self.service = started.__enter__()
        self.addCleanup(started.__exit__, None, None, None)

    def application(self) -> "subprocess.Popen[str]":
        """Starts a process of the application, and returns it when it has the seat."""
        command = [sys.executable, "-c", APPLICATION, self.service.origin, str(self.path)]
        source = str(Path(__file__).parent.parent / "src")
        process = subprocess.Popen(
            command, env={"PYTHONPATH": source}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout and process.stdout.readline(), "licensed\n")
        return process

    def end(self, process: "subprocess.Popen[str]") -> None:
        process.communicate()
        self.assertEqual(process.returncode, 0)

    def files(self) -> List[str]:
        return [path.name for path in self.folder.iterdir()]

    def test_the_last_process_of_a_machine_frees_its_floating_seat(self) -> None:
        first, second = self.application(), self.application()
        self.end(first)
        self.assertEqual(self.service.holder, "machine-1")
        self.end(second)
        self.assertIsNone(self.service.holder)
        self.assertEqual(self.files(), ["license.json"])

    def test_a_killed_process_does_not_keep_the_seat(self) -> None:
        first, second = self.application(), self.application()
        first.kill()
        first.communicate()
        self.assertEqual(self.service.holder, "machine-1")
        self.end(second)
        self.assertIsNone(self.service.holder)
        self.assertEqual(self.files(), ["license.json"])

    def test_a_holder_on_another_machine_or_of_another_store_does_not_count(self) -> None:
        other = {"token": "t", "pid": 1, "host": "another machine", "startedAt": None}
        (self.folder / "license.json.t.holder").write_text(json.dumps(other))
        release_other = FileStore(self.folder / "license.json.backup").hold()
        self.assertTrue(FileStore(self.path).hold()())
        self.assertIn("license.json.t.holder", self.files())
        release_other()
