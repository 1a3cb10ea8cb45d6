"""A service with one floating license, which notes who holds its seat."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Iterator, Optional


class FloatingService(ThreadingHTTPServer):
    """Answers the calls of guards."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.holder: Optional[str] = None
        """The fingerprint of the device that has the seat."""

    @property
    def origin(self) -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str, body: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the data of the answer to a request."""
        if path.endswith("/deactivate"):
            self.holder = None
            return {"deleted": True, "id": "seat-1"}
        if path.endswith("/activations"):
            self.holder = body["fingerprint"]
        now = datetime.now(timezone.utc)
        times = {"created_at": _text(now), "last_heartbeat_at": _text(now)}
        seat = {"id": "seat-1", **times, "lease_expires_at": _text(now + timedelta(minutes=10))}
        if not path.endswith("/validate"):
            return seat
        verdict = {"valid": True, "code": "LICENSE.VALID", "detail": "The license is valid.", "checked_at": _text(now)}
        activation = seat if self.holder == body.get("fingerprint") else None
        return {**verdict, "license": {"id": "license-1"}, "activation": activation, "entitlements": []}


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Handler(BaseHTTPRequestHandler):
    """Serves one connection."""

    protocol_version = "HTTP/1.1"
    server: FloatingService

    def do_POST(self) -> None:
        """Answers a call."""
        text = self.rfile.read(int(self.headers.get("content-length") or 0))
        data = self.server.answer(self.path, json.loads(text or b"{}"))
        body = json.dumps({"data": data, "meta": {"request_id": "r"}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""


@contextmanager
def floating_service() -> Iterator[FloatingService]:
    """Runs the service during a test."""
    service = FloatingService()
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        thread.join()
        service.server_close()
