"""The guard for programs without an event loop."""

from __future__ import annotations

import threading
from typing import Any, List, Optional, Tuple

from ._clock import start_timer
from ._guard_calls import GuardCalls
from ._guard_consult import Ask
from ._guard_core import Event
from ._guard_state import GuardState
from ._sockets import Abort
from ._steps import drive


class LicenseGuard(GuardCalls):
    """Decides whether an application may be used, and keeps that decision up to date.

    It takes a seat, validates in the background, continues offline with the last certificate, and sends heartbeats for
    a floating license. A refusal of the service counts at once and until the service says otherwise. A failure (no
    network, 5xx, a proof that does not verify) never ends the right to use the application while a certificate runs.
    Threads may share one guard.

    ``license_key`` may be empty: the guard then uses the key of ``start_trial`` or ``activate``, which its store keeps.
    ``fingerprint`` is a text or a function, as ``machine_fingerprint`` is; with it, the guard takes a seat.
    ``components`` are those of ``machine_components``, or a function: they go with the fingerprint, so that a policy
    can recognise the machine after a repair; if the function raises, they are left out. ``jwks``
    are the public keys of the vendor, embedded in the application: every answer must be signed, and the certificate
    lets the application continue offline. ``unsigned=True`` instead believes any server that answers, and works online
    only. ``language`` is the one of ``state.message``: ``en``, ``de`` or ``fr``. ``on_change`` hears of each
    change of the state, and ``on_error`` of failures of the store. Raises ``CONFIGURATION.INVALID`` for a mistake in
    the program; ``start``, ``refresh`` and ``stop`` never raise.
    """

    def _prepare(self) -> None:
        self._schedule = self._clock.schedule or start_timer
        self._lock = threading.Lock()
        # Held for moments only.
        self._mutex = threading.Lock()
        self._checking: Optional[threading.Event] = None
        # The check behind the last start.
        self._behind: Optional[threading.Thread] = None
        self._abort = Abort()
        self._is_releasing = False
        self._waiting: List[Event] = []
        self._is_delivering = False

    @property
    def _work(self) -> threading.Lock:
        return self._lock

    def start(self, *, fresh: bool = False) -> GuardState:
        """Starts the checks.

        If the stored certificate allows the use, returns at once with the status ``offline`` and the reason
        ``GUARD.CHECKING``, and the first check runs behind it. Otherwise, and with ``fresh``, returns the state after
        that check.
        """
        with self._mutex:
            is_first = not self._is_running
            self._is_running = True
        if is_first:
            with self._work:
                self._core.show()
            self._deliver()
        kept = self._core.state
        if fresh or not self._core.may_use_kept():
            return self.refresh()
        ended, is_first = self._join_check()
        if is_first:
            self._behind = threading.Thread(target=self._check, args=(ended, True), daemon=True)
            self._behind.start()
        return kept

    def refresh(self) -> GuardState:
        """Asks the service now, and returns the new state. Concurrent calls share one check."""
        ended, is_first = self._join_check()
        if is_first:
            self._check(ended)
        else:
            ended.wait()
        return self._core.state

    def _join_check(self) -> Tuple[threading.Event, bool]:
        """Returns the end of the running check, and whether this caller must run it."""
        with self._mutex:
            running = self._checking
            if running is not None:
                return running, False
            self._checking = threading.Event()
            return self._checking, True

    def _check(self, ended: threading.Event, is_behind: bool = False) -> None:
        with self._work:
            # stop() may have been called before the thread of a check began.
            if self._is_running or not is_behind:
                self._clear_timer()
                retry_after_ms = drive(self._core.check(), self._call)
                self._set_timer(*self._core.schedule_check(retry_after_ms))
            with self._mutex:
                self._checking = None
        ended.set()
        self._deliver()

    def stop(self) -> None:
        """Ends the checks, and a running request.

        A floating seat is freed if no other guard holds the store, such as one of another process: the state is
        ``unlicensed`` then. Otherwise it does not change.
        """
        with self._mutex:
            self._is_running = False
            # The request of another stop() frees the seat, so it goes on.
            if not self._is_releasing:
                self._core.is_aborted = True
                self._abort.abort()
        with self._work:
            self._clear_timer()
            with self._mutex:
                self._is_releasing = True
                self._core.is_aborted = False
                self._abort = Abort()
            drive(self._core.release_seat(), self._call)
            self._is_releasing = False
        self._deliver()

    def _call(self, asked: Ask) -> Any:
        with self._client._ending_with(self._abort):
            return getattr(self._client, asked.method)(*asked.arguments, **asked.options)

    def _set_timer(self, due: str, delay_ms: float) -> None:
        with self._mutex:
            self._end_timer()
            if not self._is_running:
                return
            number = self._timer_number
            self._timer = self._schedule(delay_ms, lambda: self._tick(number, due, delay_ms))

    def _clear_timer(self) -> None:
        with self._mutex:
            self._end_timer()

    def _deliver(self) -> None:
        """Tells the listeners, one after the other and outside of every lock: they may call the guard."""
        with self._mutex:
            self._waiting += self._core.events
            self._core.events = []
            if self._is_delivering:
                return
            self._is_delivering = True
        while True:
            with self._mutex:
                if not self._waiting:
                    self._is_delivering = False
                    return
                event = self._waiting.pop(0)
            self._tell(event)
