"""What both guards have: their options, what they know, and whom they tell."""

from __future__ import annotations

from typing import Any, Callable, Generic, Mapping, Optional, Sequence, TypeVar, cast

from ._clock import Clock, Timer
from ._guard_consult import Components, Fingerprint, GuardOptions
from ._guard_core import Event, GuardCore
from ._guard_state import GuardState
from .errors import LicensingError, configuration_error
from .offline_files import offline_request
from .stores import Store
from .types import Timestamp

Client = TypeVar("Client")


def _milliseconds(name: str, seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise configuration_error(f"{name} must be a positive number.")
    return seconds * 1000


class GuardBase(Generic[Client]):
    """The part of a guard that neither waits nor calls the service."""

    def __init__(
        self,
        *,
        client: Client,
        license_key: str,
        store: Store,
        product: Optional[str] = None,
        fingerprint: Fingerprint = None,
        components: Components = None,
        device_name: Optional[str] = None,
        app_version: Optional[str] = None,
        entitlements: Sequence[str] = (),
        version_released_at: Optional[Timestamp] = None,
        jwks: Optional[Mapping[str, Any]] = None,
        issuer: Optional[str] = None,
        audience: Optional[str] = None,
        unsigned: bool = False,
        language: str = "en",
        check_interval_seconds: float = 3600,
        retry_interval_seconds: float = 30,
        clock_tolerance_seconds: float = 300,
        on_change: Optional[Callable[[GuardState], None]] = None,
        on_error: Optional[Callable[[LicensingError], None]] = None,
        clock: Optional[Clock] = None,
    ) -> None:
        options = GuardOptions(
            store=store,
            product=product,
            fingerprint=fingerprint,
            components=components,
            device_name=device_name,
            app_version=app_version,
            entitlements=entitlements,
            version_released_at=version_released_at,
            jwks=jwks,
            issuer=issuer,
            audience=audience,
            unsigned=unsigned,
            language=language,
            check_interval_ms=_milliseconds("check_interval_seconds", check_interval_seconds),
            retry_interval_ms=_milliseconds("retry_interval_seconds", retry_interval_seconds),
            clock_tolerance_ms=_milliseconds("clock_tolerance_seconds", clock_tolerance_seconds),
        )
        self._clock = Clock() if clock is None else clock
        self._client = client
        self._on_change = on_change
        self._on_error = on_error
        self._core = GuardCore(options, license_key, self._clock)
        self._is_running = False
        self._timer: Optional[Timer] = None
        self._timer_number = 0
        self._prepare()

    def _prepare(self) -> None:
        """Makes what only this kind of guard has."""

    @property
    def state(self) -> GuardState:
        """What the guard knows now."""
        return self._core.state

    def has(self, entitlement: str) -> bool:
        """Returns whether the application may be used and the license grants an entitlement."""
        return self._core.state.grants(entitlement, self._core.clock.read()[0])

    def request_file(self) -> str:
        """Returns the text of a request file for a machine without a network. Raises ``LicensingError``."""
        options = self._core.options
        return offline_request(
            product=options.product or "", fingerprint=options.machine() or "", name=options.device_name
        )

    def _end_timer(self) -> None:
        self._timer_number += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell(self, event: Event) -> None:
        """Calls the listener of an event. A listener that raises stops nothing."""
        name, value = event
        listener = cast(Optional[Callable[[Any], None]], self._on_change if name == "change" else self._on_error)
        try:
            if listener is not None:
                listener(value)
        except Exception:
            pass
