"""The guards of one conformance case with their clock, timers and stores: the operations ``guard_…``."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Set

from licensing_sdk import AsyncLicenseGuard, Clock, GuardState, LicenseGuard, LicensingError

Arguments = Dict[str, Any]


@dataclass
class SimulatedTimer:
    """A task that waits for the time of the case."""

    due_ms: int
    owner: str
    task: Callable[[], Any]
    timers: "List[SimulatedTimer]"

    def cancel(self) -> None:
        """Prevents the task."""
        if self in self.timers:
            self.timers.remove(self)


class SimulatedStore:
    """A text between the runs of an application, which a case damages or makes unusable."""

    def __init__(self) -> None:
        self.text: Optional[str] = None
        self.is_failing = False
        self.holders: Set[str] = set()
        """The guards that hold the store."""

    def of(self, guard: str) -> "SharedStore":
        """Returns the store as the process of one guard has it."""
        return SharedStore(self, guard)

    def working(self) -> "SimulatedStore":
        """Returns this store. Raises while it fails."""
        if self.is_failing:
            raise OSError("The store fails.")
        return self


class SharedStore:
    """A simulated store in the process of one guard."""

    def __init__(self, shared: SimulatedStore, guard: str) -> None:
        self._shared = shared
        self._guard = guard

    def read(self) -> Optional[str]:
        """Returns the text."""
        return self._shared.working().text

    def write(self, text: str) -> None:
        """Replaces the text."""
        self._shared.working().text = text

    def hold(self) -> Callable[[], bool]:
        """Counts the guard."""
        holders = self._shared.working().holders
        holders.add(self._guard)

        def release() -> bool:
            holders.discard(self._guard)
            return not holders

        return release


@dataclass
class Running:
    """A guard, and what its listeners heard since the last question."""

    guard: Any
    store: SimulatedStore
    changes: List[str] = field(default_factory=list)
    errors: List[str] = field(default_factory=list)


class SimulatedGuards:
    """Performs the operations of a guard. Another language implements the same."""

    def __init__(self, is_async: bool) -> None:
        self._is_async = is_async
        self._reset()

    def _reset(self) -> None:
        self._real_ms = 0
        self._ahead_ms = 0
        self._timers: List[SimulatedTimer] = []
        self._guards: Dict[str, Running] = {}
        self._stores: Dict[str, SimulatedStore] = {}

    async def perform(self, operation: str, given: Arguments, client: Any) -> Any:
        """Performs one operation. Raises the error of the guard."""
        if operation == "guard_reset":
            return self._reset()
        if operation == "guard_time":
            self._real_ms, self._ahead_ms = given["real_ms"], given["ahead_ms"]
            return None
        if operation == "guard_store":
            return self._change_store(**given)
        if operation == "guard_create":
            return self._create(given, client)
        if operation == "guard_next_timer":
            return {"due_ms": min((timer.due_ms for timer in self._timers), default=None)}
        if operation == "guard_fire":
            return await self._fire()
        running = self._guards[given["guard"]]
        if operation == "guard_kill":
            self._timers = [timer for timer in self._timers if timer.owner != given["guard"]]
            running.store.holders.discard(given["guard"])
            del self._guards[given["guard"]]
            return None
        if operation == "guard_state":
            return observe(running, given["has"])
        return await self._call(running, operation, given, client)

    def _change_store(self, store: str, is_failing: Optional[bool] = None, text: Optional[str] = None) -> None:
        found = self._store(store)
        found.is_failing = found.is_failing if is_failing is None else is_failing
        found.text = found.text if text is None else text

    def _store(self, name: str) -> SimulatedStore:
        return self._stores.setdefault(name, SimulatedStore())

    def _create(self, given: Arguments, client: Any) -> None:
        name = given["guard"]
        options = dict(given["options"])
        for option in ("check_interval", "retry_interval", "clock_tolerance"):
            if f"{option}_ms" in options:
                options[f"{option}_seconds"] = options.pop(f"{option}_ms") / 1000
        clock = Clock(
            now_ms=lambda: self._real_ms + self._ahead_ms,
            monotonic_ms=lambda: self._real_ms,
            random=lambda: 0.5,
            schedule=lambda delay_ms, task: self._schedule(name, delay_ms, task),
        )
        store = self._store(given["store"])
        running = Running(None, store)

        def note_change(state: GuardState) -> None:
            running.changes.append(f"{state.status} {state.reason}")

        def note_error(error: LicensingError) -> None:
            running.errors.append(error.code)

        made: Any = AsyncLicenseGuard if self._is_async else LicenseGuard
        running.guard = made(
            client=client, store=store.of(name), clock=clock, on_change=note_change, on_error=note_error, **options
        )
        self._guards[name] = running

    def _schedule(self, owner: str, delay_ms: float, task: Callable[[], Any]) -> SimulatedTimer:
        timer = SimulatedTimer(self._real_ms + int(delay_ms), owner, task, self._timers)
        self._timers.append(timer)
        return timer

    async def _fire(self) -> None:
        timer = min(self._timers, key=lambda one: one.due_ms)
        self._timers.remove(timer)
        done = timer.task()
        if self._is_async:
            await done

    async def _call(self, running: Running, operation: str, given: Arguments, client: Any) -> Any:
        method = operation[len("guard_") :]
        arguments = {name: value for name, value in given.items() if name not in ("guard", "calls")}
        if method == "release_device":
            arguments = {"activation_id": given["id"]}
        if method == "refresh" and given.get("calls", 1) > 1:
            return await self._refresh_at_once(running.guard, given["calls"], client)
        answer = getattr(running.guard, method)(**arguments)
        if self._is_async and asyncio.iscoroutine(answer):
            answer = await answer
        if method == "start":
            await self._wait_for_check(running.guard)
            return {"status": answer.status}
        if method == "devices":
            return {"devices": [device["id"] for device in answer]}
        if method == "check_for_update":
            versions = {name: answer[name] and answer[name]["version"] for name in ("release", "newest")}
            return {**versions, "code": answer["code"]}
        if method == "request_file":
            return json.loads(answer)
        return {"status": answer["status"]} if method == "start_trial" else None

    async def _wait_for_check(self, guard: Any) -> None:
        """Waits for the check behind a start."""
        if self._is_async and guard._checking is not None:
            await guard._checking
        elif not self._is_async and guard._behind is not None:
            guard._behind.join()

    async def _refresh_at_once(self, guard: Any, calls: int, client: Any) -> None:
        """Calls that begin before the first one has its answer share its check."""
        if self._is_async:
            await asyncio.gather(*(guard.refresh() for _ in range(calls)))
            return
        gate = threading.Event()
        sharing = threading.Semaphore(0)
        original, join_check = client._call, guard._join_check

        def call(*arguments: Any) -> Any:
            gate.wait()
            return original(*arguments)

        def join() -> Any:
            joined = join_check()
            sharing.release()
            return joined

        client._call, guard._join_check = call, join
        threads = [threading.Thread(target=guard.refresh) for _ in range(calls)]
        for thread in threads:
            thread.start()
        for _ in threads:
            sharing.acquire()
        gate.set()
        for thread in threads:
            thread.join()
        client._call, guard._join_check = original, join_check


def observe(running: Running, codes: List[str]) -> Arguments:
    """Returns the state of a guard in the form of the runner."""
    state: GuardState = running.guard.state
    seen = {
        "status": state.status,
        "reason": state.reason,
        "until_ms": None if state.until is None else round(state.until.timestamp() * 1000),
        "checked_at_ms": None if state.checked_at is None else round(state.checked_at.timestamp() * 1000),
        "entitlements": [one["code"] for one in state.entitlements],
        "license": None if state.license is None else vars(state.license),
        "has": [code for code in codes if running.guard.has(code)],
        "changes": running.changes,
        "errors": running.errors,
    }
    running.changes, running.errors = [], []
    return seen
