"""HTTP over kept connections: one request, one response, one deadline."""

from __future__ import annotations

import base64
import http.client
import os
import re
import socket
import ssl
import threading
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from ._decode import HttpResponse
from ._requests import ApiRequest
from ._sockets import Abort, Deadline, DeadlineSocket, connect, secure
from ._version import VERSION
from .errors import LicensingError, configuration_error

IDLE_SECONDS = 30.0
IDLE_CONNECTIONS_MAX = 10
PIECE_BYTES = 64 * 1024
BODY_BYTES_MAX = 16 * 1024 * 1024
PIECE_SECONDS = 60.0
FILE_TYPES = ("text/csv", "application/x-ndjson")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Credential:
    """What authenticates a client, and the header that carries it."""

    header: str
    scheme: str
    secret: str


@dataclass(frozen=True)
class Address:
    """A checked base URL, and the proxy on the way to it."""

    scheme: str
    host: str
    port: int
    prefix: str
    proxy: Optional[SplitResult]

    @property
    def authority(self) -> str:
        """Host and port as they stand in a URL."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"


def parse_base_url(base_url: str) -> Address:
    """Checks the base URL, and finds the proxy that the environment names for it, as ``urllib`` does."""
    text = base_url if isinstance(base_url, str) else ""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as cause:
        raise configuration_error("base_url must be a URL, such as https://licensing.example.com.") from cause
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or text != text.strip():
        raise configuration_error("base_url must be an http or https URL, such as https://licensing.example.com.")
    if parts.username is not None or parts.query != "" or parts.fragment != "":
        raise configuration_error("base_url must contain neither credentials nor a query nor a fragment.")
    try:
        host = parts.hostname.encode("ascii" if ":" in parts.hostname else "idna").decode("ascii")
        prefix = parts.path.rstrip("/").encode("ascii").decode("ascii")
    except UnicodeError as cause:
        raise configuration_error("base_url contains characters that a URL must encode.") from cause
    if re.search(r"/api/v[0-9]+$", prefix):
        raise configuration_error("base_url must end before /api/v1: the client adds the path.")
    port = DEFAULT_PORTS[parts.scheme] if port is None else port
    return Address(parts.scheme, host, port, prefix, _proxy_for(parts.scheme, host, port))


def _proxy_for(scheme: str, host: str, port: int) -> Optional[SplitResult]:
    url = urllib.request.getproxies().get(scheme)
    if not url or urllib.request.proxy_bypass(f"{host}:{port}"):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        message = f"The environment names a proxy for {scheme} that is not an http:// URL. Correct {scheme}_proxy."
        raise configuration_error(message)
    return parts


class _Connection(http.client.HTTPConnection):
    """A connection that was opened already, with a socket that has a deadline."""

    def __init__(self, address: Address, sock: DeadlineSocket) -> None:
        super().__init__(address.host, address.port)
        self.stream = sock
        self.sock = cast(socket.socket, sock)
        self.auto_open = 0
        self.used_at = 0.0

    def discard(self) -> None:
        """Closes the connection for good."""
        self.close()
        self.stream.discard()


class Transport:
    """Sends requests to one service. Threads may share it; each request has a connection of its own."""

    def __init__(self, address: Address, credential: Credential, context: Optional[ssl.SSLContext]) -> None:
        self._address = address
        self._credential = credential
        self._context = context if context is not None or address.scheme == "http" else ssl.create_default_context()
        self._lock = threading.Lock()
        self._idle: List[_Connection] = []
        self._owner = os.getpid()
        self._closed = False

    def send(self, request: ApiRequest, seconds: float, abort: Optional[Abort] = None) -> HttpResponse:
        """Sends the request once and returns the complete response. Raises ``LicensingError`` for network failures."""
        deadline = Deadline(seconds)
        abort = Abort() if abort is None else abort
        with self.failures():
            return self._send(request, deadline, abort)

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Turns the failures of a network into ``LicensingError``."""
        try:
            yield
        except socket.timeout as cause:
            message = "The licensing service did not answer in time. Try again, or raise timeout_seconds."
            raise LicensingError("NETWORK.TIMEOUT", message) from cause
        except (OSError, http.client.HTTPException) as cause:
            reason = f"The licensing service at {self._address.authority} cannot be reached ({_describe(cause)})"
            message = f"{reason}. Check the network and base_url."
            raise LicensingError("NETWORK.UNREACHABLE", message) from cause

    def _send(self, request: ApiRequest, deadline: Deadline, abort: Abort) -> HttpResponse:
        # The service may close a kept connection just when it is used again. That says nothing about the service, so
        # the request goes out again at once. The service does not carry it out twice: it changes nothing, or repeats
        # an idempotency key, or has the same effect when repeated.
        for kept in iter(self._take, None) if request.is_repeatable else ():
            kept.stream.deadline = deadline
            kept.stream.received_bytes = 0
            try:
                abort.watch(kept.stream.raw)
                return self._exchange(kept, request)
            except socket.timeout:
                raise
            except (OSError, http.client.HTTPException):
                abort.watch(None)
                if kept.stream.received_bytes > 0:
                    raise
        return self._exchange(self._open(deadline, abort), request)

    def _exchange(self, connection: _Connection, request: ApiRequest) -> HttpResponse:
        is_reusable = is_taken = False
        try:
            connection.request(request.method, self._target(request), request.body, self._headers(request))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            if request.is_file and response.status < 300 and headers.get("content-type", "").startswith(FILE_TYPES):
                is_taken = True
                return HttpResponse(response.status, headers, b"", _File(connection, response, self))
            body = _read_body(response)
            is_reusable = not response.will_close and response.isclosed()
            if response.status >= 400:
                # A server could repeat the request in its error, and errors are written to logs.
                body = body.replace(self._credential.secret.encode("ascii"), b"[redacted]")
            return HttpResponse(response.status, headers, body)
        finally:
            if is_reusable:
                self._keep(connection)
            elif not is_taken:
                connection.discard()

    def _target(self, request: ApiRequest) -> str:
        target = self._address.prefix + request.path
        is_forwarded = self._address.proxy is not None and self._address.scheme == "http"
        return f"http://{self._address.authority}{target}" if is_forwarded else target

    def _headers(self, request: ApiRequest) -> Dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": f"licensing-sdk-python/{VERSION}"}
        if request.is_authenticated:
            headers[self._credential.header] = self._credential.scheme + self._credential.secret
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        if request.idempotency_key is not None:
            headers["Idempotency-Key"] = request.idempotency_key
        proxy = self._address.proxy
        if proxy is not None and self._address.scheme == "http":
            headers.update(_proxy_authorization(proxy))
        return headers

    def _open(self, deadline: Deadline, abort: Abort) -> _Connection:
        address, proxy = self._address, self._address.proxy
        host, port = (address.host, address.port) if proxy is None else _proxy_end(proxy)
        sock = connect(host, port, deadline, abort)
        if self._context is not None:
            if proxy is not None:
                self._open_tunnel(sock, proxy, deadline)
            sock = secure(sock, address.host, self._context, deadline)
            abort.watch(sock)
        return _Connection(address, DeadlineSocket(sock, deadline))

    def _open_tunnel(self, sock: socket.socket, proxy: SplitResult, deadline: Deadline) -> None:
        name = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        target = f"{name}:{self._address.port}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        lines += [f"{header}: {value}" for header, value in _proxy_authorization(proxy).items()]
        stream = DeadlineSocket(sock, deadline)
        try:
            stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
            response = http.client.HTTPResponse(cast(socket.socket, stream), method="CONNECT")
            response.begin()
            if not 200 <= response.status < 300:
                raise OSError(f"the proxy answered {response.status} {response.reason}")
        except BaseException:
            sock.close()
            raise

    def _take(self) -> Optional[_Connection]:
        """Returns a kept connection that is still open, or None."""
        while True:
            with self._lock:
                self._forget_parent()
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if time.monotonic() - connection.used_at < IDLE_SECONDS and connection.stream.is_quiet():
                return connection
            connection.discard()

    def _keep(self, connection: _Connection) -> None:
        connection.used_at = time.monotonic()
        with self._lock:
            self._forget_parent()
            if not self._closed and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(connection)
                return
        connection.discard()

    def _forget_parent(self) -> None:
        """After a fork, parent and child must not write to the same connections."""
        if self._owner != os.getpid():
            self._owner = os.getpid()
            for connection in self._idle:
                connection.discard()
            self._idle = []

    def close(self) -> None:
        """Closes the kept connections. Requests that run now close theirs when they end."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.discard()


class _File:
    """The body of a response that is read piece by piece. Each piece has a minute."""

    def __init__(self, connection: _Connection, response: http.client.HTTPResponse, transport: Transport) -> None:
        self._connection = connection
        self._response = response
        self._transport = transport

    def read_piece(self) -> bytes:
        """Returns the next piece; empty at the end. Raises ``LicensingError``."""
        with self._transport.failures():
            self._connection.stream.deadline = Deadline(PIECE_SECONDS)
            piece = self._response.read(PIECE_BYTES)
            if piece == b"" and self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
        if piece == b"":
            self.close()
        return piece

    def close(self) -> None:
        """Closes the connection."""
        self._response.close()
        self._connection.discard()


def _read_body(response: http.client.HTTPResponse) -> bytes:
    pieces: List[bytes] = []
    length = 0
    while True:
        piece = response.read(PIECE_BYTES)
        if piece == b"":
            break
        pieces.append(piece)
        length += len(piece)
        if length > BODY_BYTES_MAX:
            message = "The answer is too long for one of the licensing service. Check base_url and proxies."
            raise LicensingError("RESPONSE.INVALID", message)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _proxy_end(proxy: SplitResult) -> Tuple[str, int]:
    return proxy.hostname or "", proxy.port or 80


def _proxy_authorization(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode("utf-8")
    return {"Proxy-Authorization": f"Basic {base64.b64encode(credentials).decode('ascii')}"}


def _describe(cause: BaseException) -> str:
    return f"{cause or type(cause).__name__}"
