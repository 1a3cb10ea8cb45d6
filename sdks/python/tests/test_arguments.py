"""Arguments that only Python has."""

from __future__ import annotations

import json
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from licensing_sdk import LicensingError, _requests, verify_artifact
from licensing_sdk._timestamps import to_moment


def body_of(request: _requests.ApiRequest) -> Any:
    return json.loads(request.body if isinstance(request.body, bytes) else b"null")


class Arguments(unittest.TestCase):
    def test_a_datetime_is_sent_in_utc_with_microseconds(self) -> None:
        at = datetime(2026, 5, 1, 12, 30, 0, 5, timezone(timedelta(hours=2)))
        request = _requests.validate("KEY", None, None, None, at, None, None)
        self.assertEqual(body_of(request), {"version_released_at": "2026-05-01T10:30:00.000005Z"})

    def test_a_datetime_without_a_timezone_is_refused(self) -> None:
        with self.assertRaises(LicensingError) as caught:
            _requests.validate("KEY", None, None, None, datetime(2026, 5, 1), None, None)
        self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")

    def test_moments_are_read_on_every_version_of_python(self) -> None:
        at = datetime(2026, 5, 1, 10, 30, 0, 500000, timezone.utc)
        for text in ("2026-05-01T10:30:00.5Z", "2026-05-01T12:30:00.500000+02:00", "2026-05-01T10:30:00.500000000Z"):
            self.assertEqual(to_moment(text), at)
        for text in ("2026-05-01", "2026-05-01T10:30:00", "2026-13-01T10:30:00Z", "soon"):
            with self.assertRaises(LicensingError):
                to_moment(text)

    def test_one_text_is_not_a_list_of_codes(self) -> None:
        with self.assertRaises(LicensingError) as caught:
            _requests.check_entitlements("KEY", "export")
        self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")

    def test_values_that_json_cannot_hold_are_refused(self) -> None:
        for value in (float("nan"), float("inf"), object(), b"x"):
            with self.assertRaises(LicensingError) as caught:
                _requests.activate("KEY", "device-1", None, None, None, {"value": value})
            self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")

    def test_the_events_of_the_caller_stay_as_they_are(self) -> None:
        event: Any = {"entitlement": "renders", "quantity": 1}
        _requests.report_usage("KEY", [event])
        self.assertEqual(event, {"entitlement": "renders", "quantity": 1})

    def test_a_file_is_compared_with_the_hash_of_a_release(self) -> None:
        right = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "editor.deb")
            path.write_bytes(b"abc")
            self.assertTrue(verify_artifact(path, right))
            self.assertFalse(verify_artifact(path, "00" + right[2:]))
            with self.assertRaises(LicensingError) as caught:
                verify_artifact(path, "abc")
            self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            with self.assertRaises(OSError):
                verify_artifact(Path(folder, "missing"), right)

    def test_an_error_is_readable_and_can_be_copied_between_processes(self) -> None:
        error = LicensingError("LICENSE.NOT_FOUND", "No license has this key.", status=404, request_id="r-1")
        self.assertEqual(str(error), "LICENSE.NOT_FOUND: No license has this key. (request r-1)")
