"""Performs the calls of the conformance runner with this package: one JSON object per line in both directions.

Runs the synchronous client, or the asynchronous one with ``--async``. See packages/sdk/conformance/README.md.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

# The package of this folder, installed or not.
sys.path.insert(0, str(Path(__file__).parent / "src"))

from licensing_sdk import (
    AsyncLicensingClient,
    LicensingClient,
    LicensingError,
    machine_components,
    machine_fingerprint,
    offline_request,
    read_certificate_file,
    verify_certificate,
    verify_verdict,
    verify_webhook,
)
from licensing_sdk._retry import Timing
from licensing_sdk.fingerprint import System, own_id

from conformance_guards import SimulatedGuards

Arguments = Dict[str, Any]


class SimulatedTime:
    """A clock that jumps over waits and notes them."""

    def __init__(self) -> None:
        self.waited: List[float] = []
        self._skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self._skipped += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class Driver:
    """Keeps the clients of a run under their names."""

    def __init__(self, is_async: bool) -> None:
        self._is_async = is_async
        self._clients: Dict[str, Any] = {}
        self._times: Dict[str, SimulatedTime] = {}
        self._guards = SimulatedGuards(is_async)

    async def answer(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """Performs one call."""
        client: Optional[Dict[str, Any]] = request.get("client")
        try:
            if client is not None and request["operation"].startswith("guard_"):
                arguments = dict(request["arguments"])
                result = await self._guards.perform(request["operation"], arguments, self._client(client))
            elif client is None:
                result = FUNCTIONS[request["operation"]](request["arguments"])
            else:
                result = await self._call(client, request["operation"], dict(request["arguments"]))
        except LicensingError as error:
            answer: Dict[str, Any] = {"error": describe(error)}
        except Exception as error:  # An exception of any other class is a mistake of the package, which a case reports.
            answer = {"error": {"code": "DRIVER.EXCEPTION", "message": repr(error)}}
        else:
            answer = {"result": result}
        simulated = None if client is None else self._times.get(client["name"])
        if simulated is not None:
            answer["waited_ms"] = [seconds * 1000 for seconds in simulated.waited]
            simulated.waited = []
        return answer

    async def _call(self, options: Dict[str, Any], operation: str, arguments: Arguments) -> Any:
        client = self._client(options)
        positional = [arguments.pop(name) for name in POSITIONAL[operation] if name in arguments]
        result = getattr(client, operation)(*positional, **arguments)
        return await result if self._is_async else result

    def _client(self, options: Dict[str, Any]) -> Any:
        name = options["name"]
        if name not in self._clients:
            given: Dict[str, Any] = {"base_url": options["base_url"], "api_key": options["api_key"]}
            if "timeout_ms" in options:
                given["timeout_seconds"] = options["timeout_ms"] / 1000
            if "max_retries" in options:
                given["max_retries"] = options["max_retries"]
            client: Any = AsyncLicensingClient(**given) if self._is_async else LicensingClient(**given)
            if options.get("is_time_simulated"):
                simulated = SimulatedTime()
                self._times[name] = simulated
                client._options.timing = Timing(monotonic=simulated.monotonic)
                client._sleep = simulated.sleep_async if self._is_async else simulated.sleep
            self._clients[name] = client
        return self._clients[name]


POSITIONAL: Dict[str, List[str]] = {
    "validate": ["license_key"],
    "activate": ["license_key"],
    "list_activations": ["license_key"],
    "start_trial": [],
    "confirm_trial": ["code"],
    "heartbeat": ["license_key", "activation_id"],
    "deactivate": ["license_key", "activation_id"],
    "check_entitlements": ["license_key", "entitlements"],
    "report_usage": ["license_key", "events"],
    "issue_certificate": ["license_key"],
    "latest_release": [],
    "download_release": ["release_id", "artifact_id", "license_key"],
    "jwks": ["tenant_id"],
}

FUNCTIONS: Dict[str, Callable[[Arguments], Any]] = {
    "verify_certificate": lambda given: verify_certificate(**given),
    "verify_verdict": lambda given: verify_verdict(**given),
    "verify_webhook": lambda given: verify_webhook(**given),
    "offline_request": lambda given: json.loads(offline_request(**given)),
    "read_certificate_file": lambda given: read_certificate_file(given["file"]),
    "machine_fingerprint": lambda given: {"fingerprint": fingerprint(given)},
    "machine_components": lambda given: {"components": components(given)},
}


def fingerprint(given: Arguments) -> str:
    """Returns the fingerprint of an id, or of what a case says that the operating system contains."""
    if "system" not in given:
        return machine_fingerprint(**given)
    with stored_id(given) as path:
        return machine_fingerprint(product=given["product"], machine_id=own_id(system_of(given), path))


def components(given: Arguments) -> Dict[str, str]:
    """Returns the components of what a case says that the operating system contains."""
    with stored_id(given) as path:
        return machine_components(product=given["product"], path=path, system=system_of(given))


def system_of(given: Arguments) -> System:
    contents: Arguments = given["system"]
    files: Dict[str, str] = contents.get("files", {})
    return System(
        platform=contents["platform"],
        variables=contents.get("env", {}),
        read_text=files.get,
        ioreg=lambda: contents.get("ioreg"),
        machine_guid=lambda: contents.get("machine_guid"),
        hardware_id=lambda: contents.get("hardware_id"),
        cpu_name=lambda: contents.get("cpu_name"),
    )


@contextmanager
def stored_id(given: Arguments) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "machine-id")
        path.write_text(given["stored_id"], "utf-8")
        yield path


def describe(error: LicensingError) -> Dict[str, Any]:
    """Returns an error in the form of the runner."""
    wait = error.retry_after_seconds
    return {
        "code": error.code,
        "message": error.message,
        "status": error.status,
        "request_id": error.request_id,
        "details": error.details,
        "retry_after_ms": None if wait is None else wait * 1000,
    }


async def main() -> None:
    """Answers every line of the standard input."""
    driver = Driver(is_async="--async" in sys.argv[1:])
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.buffer.readline)
        if line == b"":
            return
        request = json.loads(line)
        answer = await driver.answer(request)
        print(json.dumps({"id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
