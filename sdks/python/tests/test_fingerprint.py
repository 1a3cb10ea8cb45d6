"""The fingerprint of this machine."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import tempfile
import threading
import unittest
from pathlib import Path
from typing import List, Set
from unittest import mock

from licensing_sdk import LicensingError, fingerprint, machine_fingerprint


def expected(machine_id: str, product: str) -> str:
    return hmac.new(machine_id.encode(), f"licensing-fingerprint-v1:{product}".encode(), hashlib.sha256).hexdigest()


class Fingerprints(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def system(self, files: List[Path], is_container: bool = False) -> None:
        for name, value in (("MACHINE_ID_FILES", files), ("is_container", lambda _system: is_container)):
            patch = mock.patch.object(fingerprint, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_the_first_machine_id_is_hashed_with_the_product(self) -> None:
        first, second = self.folder / "first", self.folder / "second"
        first.write_text("uninitialized\n")
        second.write_text("4c4c454400564d10804cb4c04f335931\n")
        self.system([self.folder / "missing", first, second])
        self.assertEqual(machine_fingerprint(product="editor"), expected("4c4c454400564d10804cb4c04f335931", "editor"))

    def test_a_container_has_a_stored_id_of_its_own(self) -> None:
        shared = self.folder / "machine-id"
        shared.write_text("4c4c454400564d10804cb4c04f335931\n")
        self.system([shared], is_container=True)
        path = self.folder / "state" / "id"
        found = machine_fingerprint(product="editor", path=path)
        self.assertNotEqual(found, expected("4c4c454400564d10804cb4c04f335931", "editor"))
        self.assertEqual(found, expected(path.read_text().strip(), "editor"))
        self.assertEqual(found, machine_fingerprint(product="editor", path=path))
        self.assertEqual(os.listdir(path.parent), ["id"])
        if os.name == "posix":
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_programs_that_start_at_the_same_time_store_one_id(self) -> None:
        self.system([])
        for number in range(10):
            path = self.folder / f"id-{number}"
            found: Set[str] = set()
            barrier = threading.Barrier(8)

            def run() -> None:
                barrier.wait()
                found.add(machine_fingerprint(product="editor", path=path))

            threads = [threading.Thread(target=run) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(found), 1)

    def test_an_empty_file_after_a_crash_is_replaced(self) -> None:
        self.system([])
        path = self.folder / "id"
        path.write_text("")
        first, second = (machine_fingerprint(product="editor", path=path) for _ in range(2))
        self.assertEqual(first, second)

    def test_an_id_that_cannot_be_stored_is_an_error(self) -> None:
        self.system([])
        (self.folder / "file").write_text("")
        with self.assertRaises(LicensingError) as caught:
            machine_fingerprint(product="editor", path=self.folder / "file" / "id")
        self.assertEqual(caught.exception.code, "FINGERPRINT.UNAVAILABLE")
