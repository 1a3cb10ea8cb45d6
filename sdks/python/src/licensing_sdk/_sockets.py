"""Sockets that respect one deadline for everything they do, however slowly the other side answers."""

from __future__ import annotations

import io
import select
import socket
import ssl
import threading
import time
from typing import Any, Optional, Union

Buffer = Union[bytearray, memoryview]
LONGEST_WAIT_SECONDS = 86_400.0
"""The limit of one step of a call without a limit, because no system waits for ever."""


class Deadline:
    """The end of an attempt, which another thread can bring forward."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def remaining(self) -> float:
        """Returns the seconds left. Raises ``TimeoutError`` if there are none."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise socket.timeout("The time of the call is over.")
        return min(left, LONGEST_WAIT_SECONDS)


class Abort:
    """Ends a call from another thread, by closing the socket that its attempt waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sock: Optional[socket.socket] = None
        self._ended = threading.Event()

    def wait(self, seconds: float) -> None:
        """Waits between two attempts, until the call is ended."""
        self._ended.wait(seconds)

    def watch(self, sock: Optional[socket.socket]) -> None:
        """Names the socket that the attempt uses now. Raises if the attempt was ended already."""
        with self._lock:
            self._sock = sock
            if self._ended.is_set():
                raise ConnectionAbortedError("The call was cancelled.")

    def abort(self) -> None:
        """Ends the attempt."""
        with self._lock:
            self._ended.set()
            if self._sock is not None:
                try:
                    self._sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class DeadlineSocket:
    """What ``http.client`` needs of a socket. Every step has only the time that the deadline leaves."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self.raw = sock
        self.deadline = deadline
        self.received_bytes = 0

    def sendall(self, data: Any) -> None:
        """Sends everything before the deadline."""
        view = memoryview(data).cast("B")
        while len(view) > 0:
            self.raw.settimeout(self.deadline.remaining())
            view = view[self.raw.send(view) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Returns a reader of what arrives before the deadline."""
        return io.BufferedReader(_Reader(self))

    def receive(self, buffer: Buffer) -> int:
        """Reads what is there into ``buffer``."""
        self.raw.settimeout(self.deadline.remaining())
        count = self.raw.recv_into(buffer)
        self.received_bytes += count
        return count

    def is_quiet(self) -> bool:
        """Returns True if the other side neither closed the connection nor sent anything since the last response."""
        try:
            poll = getattr(select, "poll", None)
            if poll is None:
                return not select.select([self.raw], [], [], 0)[0]
            poller = poll()
            poller.register(self.raw, select.POLLIN)
            return not poller.poll(0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Does nothing: ``http.client`` closes its socket before it has read the response."""

    def discard(self) -> None:
        """Closes the socket."""
        self.raw.close()


class _Reader(io.RawIOBase):
    def __init__(self, sock: DeadlineSocket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._sock.receive(buffer)


def connect(host: str, port: int, deadline: Deadline, abort: Abort) -> socket.socket:
    """Connects to the first address of ``host`` that answers."""
    failure: Optional[OSError] = None
    for family, kind, protocol, _name, address in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
        sock = socket.socket(family, kind, protocol)
        try:
            abort.watch(sock)
            sock.settimeout(deadline.remaining())
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            sock.close()
            failure = error
            if isinstance(error, (socket.timeout, ConnectionAbortedError)):
                break
    raise failure if failure is not None else OSError(f"{host} has no address.")


def secure(sock: socket.socket, host: str, context: ssl.SSLContext, deadline: Deadline) -> socket.socket:
    """Starts TLS: the certificate and the name of the other side are verified by ``context``."""
    try:
        sock.settimeout(deadline.remaining())
        return context.wrap_socket(sock, server_hostname=host)
    except BaseException:
        sock.close()
        raise
