"""The README: its snippets run, in their order, against a real service."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import io
import json
import re
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from licensing_sdk import fingerprint

from .service import PUBLIC_URL, demo_service

README = Path(__file__).parent.parent / "README.md"
SECRET = "whsec_dGhlIHNlY3JldCBvZiB0aGUgd2ViaG9vayBjYXNlcyE="


def snippets() -> List[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def webhook(body: bytes) -> Dict[str, str]:
    timestamp = str(int(time.time()))
    key = base64.b64decode(SECRET[len("whsec_") :])
    digest = hmac.new(key, f"event-1.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"webhook-id": "event-1", "webhook-timestamp": timestamp, "webhook-signature": signature}


class Readme(unittest.TestCase):
    def test_every_snippet_runs_against_a_real_service(self) -> None:
        names: Dict[str, Any] = {}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        output = io.StringIO()
        with demo_service() as service, mock.patch.object(fingerprint, "own_id", lambda _system, _path: "machine-1"):
            replaced = {
                f'base_url="{PUBLIC_URL}"': f'base_url="{service["origin"]}"',
                "vx_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": service["api_key"],
                "vx_…": service["api_key"],
                "service_…": service["access_token"],
                "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE": service["license_key"],
                "01920000-0000-7000-8000-000000000001": service["tenant_id"],
                '"license.json"': repr(str(Path(folder.name, "license.json"))),
                '"usage.json"': repr(str(Path(folder.name, "usage.json"))),
            }
            with contextlib.redirect_stdout(output):
                for number, snippet in enumerate(snippets()):
                    for text, value in replaced.items():
                        snippet = snippet.replace(text, value)
                    exec(compile(snippet, f"README.md, snippet {number + 1}", "exec"), names)
                licensed = asyncio.run(names["is_licensed"](service["license_key"]))
                event = {"id": "event-1", "type": "license.created", "data": {"id": "license-1"}}
                body = json.dumps(event).encode()
                statuses = [names["handle_webhook"](body, webhook(body)), names["handle_webhook"](b"{}", webhook(body))]
            names["client"].close()
        self.assertTrue(licensed)
        self.assertEqual(statuses, [204, 400])
        lines = output.getvalue().splitlines()
        failure = next(line for line in lines if line.startswith("LICENSE.NOT_FOUND 404 "))
        lines.remove(failure)
        self.assertEqual(
            lines,
            [
                "LICENSE.VALID: The license is valid.",
                "Exporting…",
                "licensed LICENSE.VALID",
                "Export is available.",
                "True LICENSE.VALID",
                "True LICENSE.VALID",
                "renders ENTITLEMENT.NOT_GRANTED",
                "active",
                "2 lines",
                "A license was created: license-1",
            ],
        )
