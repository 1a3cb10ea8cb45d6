"""Connections: shared by threads, kept, ended in time, over TLS and proxies."""

from __future__ import annotations

import asyncio
import os
import ssl
import tempfile
import threading
import unittest
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import Any, Dict, List
from unittest import mock

from licensing_sdk import AsyncLicensingClient, LicensingClient, LicensingError

from .certificates import server_context
from .servers import API_KEY, echo_server, socket_server


def sync_client(base_url: str, **options: Any) -> LicensingClient:
    return LicensingClient(base_url=base_url, api_key=API_KEY, max_retries=0, **options)


def environment(**names: str) -> Any:
    without = {name: "" for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}
    return mock.patch.dict(os.environ, {**without, **names})


def code_of(test: unittest.TestCase, client: LicensingClient) -> str:
    with test.assertRaises(LicensingError) as caught:
        client.validate("KEY")
    return caught.exception.code


class SharedClients(unittest.TestCase):
    def test_threads_that_share_a_client_each_get_their_own_answers(self) -> None:
        wrong: List[str] = []
        with echo_server() as server, sync_client(server.origin) as client:

            def work(name: int) -> None:
                for number in range(40):
                    key = f"KEY-{name}-{number}"
                    if f"/{key}/" not in client.validate(key)["detail"]:
                        wrong.append(key)

            threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.assertLessEqual(len(server.connections), 8)

    def test_calls_one_after_the_other_use_one_connection(self) -> None:
        with echo_server() as server, sync_client(server.origin) as client:
            for _ in range(20):
                client.validate("KEY")
            self.assertEqual(len(server.connections), 1)

    def test_closing_a_client_closes_its_connections(self) -> None:
        with echo_server() as server:
            with sync_client(server.origin) as client:
                client.validate("KEY")
            self.assertTrue(server.closed.acquire(timeout=10))

    def test_a_child_process_does_not_use_the_connections_of_its_parent(self) -> None:
        with echo_server() as server, sync_client(server.origin) as client:
            client.validate("PARENT")
            child = os.fork()
            if child == 0:
                os._exit(0 if "/CHILD/" in client.validate("CHILD")["detail"] else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(len(server.connections), 2)
            self.assertIn("/PARENT/", client.validate("PARENT")["detail"])
            self.assertEqual(len(server.connections), 2)


class AsyncClients(unittest.TestCase):
    def test_concurrent_calls_each_get_their_own_answers(self) -> None:
        async def run(origin: str) -> List[str]:
            async with AsyncLicensingClient(base_url=origin, api_key=API_KEY) as client:
                verdicts = await asyncio.gather(*(client.validate(f"KEY-{number}") for number in range(50)))
                return [verdict["detail"].split("/")[5] for verdict in verdicts]

        with echo_server() as server:
            self.assertEqual(asyncio.run(run(server.origin)), [f"KEY-{number}" for number in range(50)])

    def test_a_cancelled_call_closes_its_connection_at_once(self) -> None:
        async def run(origin: str, arrived: threading.Semaphore) -> None:
            async with AsyncLicensingClient(base_url=origin, api_key=API_KEY, timeout_seconds=60) as client:
                call = asyncio.ensure_future(client.validate("KEY"))
                await asyncio.get_running_loop().run_in_executor(None, arrived.acquire)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call

        with echo_server() as server:
            server.hold.clear()
            asyncio.run(run(server.origin, server.arrived))
            # The threads of the client end although the server never answers. A busy machine needs a moment for that.
            threads = [one for one in threading.enumerate() if one.name.startswith("licensing-sdk")]
            for thread in threads:
                thread.join(timeout=30)
            self.assertEqual([one for one in threads if one.is_alive()], [])

    def test_a_service_that_never_answers_is_a_timeout(self) -> None:
        async def run(origin: str) -> str:
            async with AsyncLicensingClient(base_url=origin, api_key=API_KEY, timeout_seconds=0.2) as client:
                with self.assertRaises(LicensingError) as caught:
                    await client.validate("KEY")
                return caught.exception.code

        with echo_server() as server:
            server.hold.clear()
            self.assertEqual(asyncio.run(run(server.origin)), "NETWORK.TIMEOUT")


class Deadlines(unittest.TestCase):
    def test_headers_that_arrive_endlessly_do_not_extend_the_deadline(self) -> None:
        stop = threading.Event()

        def drip(connection: socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not stop.wait(0.02):
                connection.sendall(b"x")

        with socket_server(drip) as address:
            self.assertEqual(code_of(self, sync_client(f"http://{address}", timeout_seconds=0.3)), "NETWORK.TIMEOUT")
            stop.set()

    def test_a_handshake_that_never_ends_is_a_timeout(self) -> None:
        stop = threading.Event()

        def hang(_connection: socket) -> None:
            stop.wait(30)

        with socket_server(hang) as address:
            self.assertEqual(code_of(self, sync_client(f"https://{address}", timeout_seconds=0.3)), "NETWORK.TIMEOUT")
            stop.set()

    def test_an_answer_that_is_too_long_is_refused(self) -> None:
        def flood(connection: socket) -> None:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while True:
                connection.sendall(b" " * 65536)

        with socket_server(flood) as address:
            self.assertEqual(code_of(self, sync_client(f"http://{address}", timeout_seconds=30)), "RESPONSE.INVALID")


class Tls(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_certificate_that_nobody_trusts_is_refused(self) -> None:
        context, _file = server_context(self.folder, "localhost")
        with echo_server(context) as server:
            client = sync_client(f"https://localhost:{server.server_port}")
            self.assertEqual(code_of(self, client), "NETWORK.UNREACHABLE")
            self.assertEqual(server.requests, [])

    def test_a_trusted_certificate_is_accepted_and_its_connection_kept(self) -> None:
        context, file = server_context(self.folder, "localhost")
        with echo_server(context) as server:
            trusted = ssl.create_default_context(cafile=str(file))
            with sync_client(f"https://localhost:{server.server_port}", ssl_context=trusted) as client:
                for _ in range(3):
                    self.assertTrue(client.validate("KEY")["valid"])
            self.assertEqual(len(server.connections), 1)

    def test_a_certificate_for_another_name_is_refused(self) -> None:
        context, file = server_context(self.folder, "other.example")
        with echo_server(context) as server:
            trusted = ssl.create_default_context(cafile=str(file))
            client = sync_client(f"https://localhost:{server.server_port}", ssl_context=trusted)
            self.assertEqual(code_of(self, client), "NETWORK.UNREACHABLE")


def tunnel(target_port: int, requests: List[bytes]) -> Any:
    """Returns a proxy that connects every tunnel to one port."""

    def copy(source: socket, target: socket) -> None:
        try:
            while True:
                data = source.recv(65536)
                if data == b"":
                    break
                target.sendall(data)
        except OSError:
            pass

    def serve(connection: socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        requests.append(head)
        if b"Proxy-Authorization: Basic dXNlcjpwYXNzIHdvcmQ=" not in head:
            connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        with socket() as target:
            target.connect(("127.0.0.1", target_port))
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            thread = threading.Thread(target=copy, args=(target, connection), daemon=True)
            thread.start()
            copy(connection, target)
            # A closed socket stays open while another thread reads it, and the server would wait for its end for ever.
            target.shutdown(SHUT_RDWR)

    return serve


class Proxies(unittest.TestCase):
    def test_a_proxy_of_the_environment_gets_requests_over_http(self) -> None:
        with echo_server() as proxy, environment(http_proxy=f"http://user:pass%20word@127.0.0.1:{proxy.server_port}"):
            with sync_client("http://licensing.example.com/base") as client:
                verdict = client.validate("KEY")
        url = "http://licensing.example.com/base/api/v1/integration/licenses/KEY/validate"
        self.assertEqual(verdict["detail"], url)
        self.assertEqual(proxy.requests[0]["host"], "licensing.example.com")
        self.assertEqual(proxy.requests[0]["proxy-authorization"], "Basic dXNlcjpwYXNzIHdvcmQ=")

    def test_hosts_of_no_proxy_are_reached_directly(self) -> None:
        with echo_server() as server, environment(http_proxy="http://127.0.0.1:9", no_proxy="127.0.0.1"):
            with sync_client(server.origin) as client:
                self.assertTrue(client.validate("KEY")["valid"])

    def test_https_goes_through_a_tunnel_in_which_the_certificate_is_verified(self) -> None:
        requests: List[bytes] = []
        with tempfile.TemporaryDirectory() as folder:
            context, file = server_context(Path(folder), "licensing.example.com")
            trusted = ssl.create_default_context(cafile=str(file))
            with echo_server(context) as server, socket_server(tunnel(server.server_port, requests)) as proxy:
                with environment(https_proxy=f"http://user:pass%20word@{proxy}"):
                    with sync_client("https://licensing.example.com", ssl_context=trusted) as client:
                        self.assertTrue(client.validate("KEY")["valid"])
                    self.assertEqual(code_of(self, sync_client("https://licensing.example.com")), "NETWORK.UNREACHABLE")
                with environment(https_proxy=f"http://{proxy}"):
                    refused = sync_client("https://licensing.example.com", ssl_context=trusted)
                    with self.assertRaisesRegex(LicensingError, "the proxy answered 407"):
                        refused.validate("KEY")
        self.assertTrue(requests[0].startswith(b"CONNECT licensing.example.com:443 HTTP/1.1\r\n"))
        self.assertNotIn("proxy-authorization", server.requests[0])
        self.assertNotIn(API_KEY.encode(), b"".join(requests))

    def test_a_proxy_of_another_kind_is_a_mistake_of_the_environment(self) -> None:
        options: Dict[str, str] = {"http_proxy": "socks5://127.0.0.1:9"}
        with environment(**options), self.assertRaises(LicensingError) as caught:
            sync_client("http://licensing.example.com")
        self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
