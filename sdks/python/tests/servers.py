"""Servers for the tests."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Optional

API_KEY = "vx_" + "0123456789abcdef" * 4


class EchoServer(ThreadingHTTPServer):
    """Answers each validation with a verdict whose ``detail`` is the path, and notes connections and requests."""

    daemon_threads = True

    def __init__(self, context: Optional[ssl.SSLContext] = None) -> None:
        super().__init__(("127.0.0.1", 0), EchoHandler)
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.connections: List[Any] = []
        self.closed = threading.Semaphore(0)
        self.requests: List[Dict[str, str]] = []
        self.hold = threading.Event()
        self.hold.set()
        self.arrived = threading.Semaphore(0)

    @property
    def origin(self) -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tests end connections on purpose."""


class EchoHandler(BaseHTTPRequestHandler):
    """Serves one connection."""

    protocol_version = "HTTP/1.1"
    server: EchoServer

    def setup(self) -> None:
        """Notes the connection."""
        super().setup()
        self.server.connections.append(self.connection)

    def finish(self) -> None:
        """Notes the end of the connection."""
        super().finish()
        self.server.closed.release()

    def do_POST(self) -> None:
        """Answers with the path."""
        self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append({name.lower(): value for name, value in self.headers.items()})
        self.server.arrived.release()
        self.server.hold.wait(30)
        verdict = {"valid": True, "code": "LICENSE.VALID", "detail": self.path}
        body = json.dumps({"data": verdict, "meta": {"request_id": "r"}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""


@contextmanager
def echo_server(context: Optional[ssl.SSLContext] = None) -> Iterator[EchoServer]:
    """Runs a server during a test."""
    server = EchoServer(context)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def socket_server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """Runs a server that handles each connection with ``serve``. Yields its host and port."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: List[socket.socket] = []

    def run(connection: socket.socket) -> None:
        try:
            serve(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def accept() -> None:
        while True:
            try:
                connection, _address = listener.accept()
            except OSError:
                return
            connections.append(connection)
            threading.Thread(target=run, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in connections:
            connection.close()
