"""The guard for programs without an event loop."""

from __future__ import annotations

import threading
from typing import Any, Callable, List, Optional, Tuple, Union, cast

from ._clock import start_timer
from ._guard_base import DEVICES_MAX, GuardBase
from ._guard_consult import SEATLESS, Ask
from ._guard_core import Event
from ._guard_state import GuardState
from ._guard_update import no_update, update_of, update_question
from ._sockets import Abort
from ._steps import drive
from .client import LicensingClient
from .errors import LicensingError, configuration_error
from .types import LicensedDevice, PendingTrial, Trial, UpdateCheck


class LicenseGuard(GuardBase[LicensingClient]):
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
        # Held by one check, heartbeat or import at a time.
        self._work = threading.Lock()
        # Held for moments only.
        self._mutex = threading.Lock()
        self._checking: Optional[threading.Event] = None
        # The check behind the last start.
        self._behind: Optional[threading.Thread] = None
        self._abort = Abort()
        self._is_releasing = False
        self._waiting: List[Event] = []
        self._is_delivering = False

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

    def devices(self) -> List[LicensedDevice]:
        """Lists the devices that hold a seat, at most 100 and newest first, so that a user can release one.

        Names are masked. Raises ``LicensingError``.
        """
        options = self._core.options
        key, identity = self._core.memory.license_key, options.identity(options.machine())
        return self._client.list_activations(key, limit=DEVICES_MAX, **identity)["activations"]

    def release_device(self, activation_id: str) -> GuardState:
        """Frees the seat of another device, takes it if this one needs a seat, and returns the new state.

        Raises ``LicensingError``, for example ``ACTIVATION.DEACTIVATION_LIMIT_REACHED``; nothing changes then.
        """
        self._client.deactivate(self._core.memory.license_key, activation_id)
        # A check that already runs may get an answer from before the release.
        with self._work:
            pass
        return self.refresh()

    def import_certificate(self, file: str) -> GuardState:
        """Imports the text of a certificate file, and returns the new state.

        Raises ``LicensingError`` for another file, one of another license key or device, a certificate that does not
        verify, and one from before the last refusal.
        """
        try:
            with self._work:
                self._core.import_file(file)
                self._set_timer(*self._core.schedule_tick())
        finally:
            self._deliver()
        return self._core.state

    def start_trial(self, *, email: Optional[str] = None, name: Optional[str] = None) -> Union[Trial, PendingTrial]:
        """Starts the trial of the product on this machine, or takes up the one that it had.

        Returns the answer of the service; with ``confirmation_required`` the user receives a code by mail, for
        ``confirm_trial``. The store keeps the key of the trial. Raises ``LicensingError``, and nothing changes then.
        """
        options = self._core.options
        product, machine = options.product, options.machine()
        if product is None or machine is None:
            raise configuration_error("Pass the options product and fingerprint to the guard to start a trial.")
        answer = self._client.start_trial(
            product=product, email=email, name=name, device_name=options.device_name, **options.identity(machine)
        )
        if answer["status"] == "started":
            self._adopt(cast(Trial, answer)["license_key"])
        return answer

    def confirm_trial(self, code: str) -> GuardState:
        """Starts the trial with the code from the mail, and returns the new state. Raises ``LicensingError``."""
        return self._adopt(self._client.confirm_trial(code)["license_key"])

    def activate(self, license_key: str) -> GuardState:
        """Continues with a license key that the user entered, which the store keeps, and returns the new state.

        Raises ``LicensingError`` if the service refuses the key: a trial goes on then. A key whose seats are taken is
        not refused.
        """
        options = self._core.options
        identity = options.identity(options.machine())
        verdict = self._client.validate(license_key, product=options.product, **identity)
        if not verdict["valid"] and verdict["code"] not in SEATLESS:
            raise LicensingError(verdict["code"], verdict["detail"])
        return self._adopt(license_key)

    def check_for_update(self, *, current_version: str, channel: Optional[str] = None) -> UpdateCheck:
        """Finds the newest release of the product that the license permits, for this system. Downloads nothing.

        Never raises: ``code`` says why there is no answer. Needs ``product``.
        """
        try:
            if self._core.memory.license_key == "":
                with self._work:
                    self._core.memory.load()
            key = self._core.memory.license_key
            question = update_question(self._core.options, key, current_version, channel)
            return update_of(self._client.latest_release(**question))
        except Exception as error:  # Whatever fails is the answer.
            return no_update(error)
        finally:
            self._deliver()

    def _adopt(self, license_key: str) -> GuardState:
        # A running check is about the former key.
        with self._work:
            self._core.adopt(license_key)
        self._deliver()
        return self.refresh()

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

    def _tick(self, number: int, due: str, delay_ms: float) -> None:
        with self._work:
            # A timer that was stopped while it fired does nothing.
            if number != self._timer_number:
                return
            due = self._core.begin_tick(due, delay_ms)
            if due == "beat" and not drive(self._core.beat(), self._call):
                due = "check"
            elif due != "check":
                self._set_timer(*self._core.schedule_tick())
        self._deliver()
        if due == "check" and self._is_running:
            self.refresh()

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
