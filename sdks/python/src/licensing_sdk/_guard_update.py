"""What a guard asks about updates."""

from __future__ import annotations

import platform
import sys
from typing import Any, Dict, Optional, cast

from ._guard_consult import GuardOptions
from ._guard_core import failed
from .errors import LicensingError, configuration_error
from .types import LatestRelease, UpdateCheck

PLATFORMS = {"win32": "windows", "darwin": "macos", "linux": "linux"}
ARCHS = {
    **{"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"},
    **{"i386": "x86", "i686": "x86", "x86": "x86", "armv6l": "arm", "armv7l": "arm"},
}


def update_question(
    options: GuardOptions, license_key: str, current_version: str, channel: Optional[str]
) -> Dict[str, Any]:
    """Returns the arguments of ``latest_release``. Raises ``CONFIGURATION.INVALID`` without a product."""
    if options.product is None:
        raise configuration_error("Pass the option product to the guard to find updates.")
    return {
        "product": options.product,
        "license_key": license_key or None,
        "channel": channel,
        "platform": PLATFORMS.get(sys.platform, "any"),
        "arch": ARCHS.get(platform.machine().lower(), "any"),
        "current_version": current_version,
    }


def update_of(answer: LatestRelease) -> UpdateCheck:
    """Returns what the service said about updates."""
    newest = answer["newest"]
    code, detail = (None, None) if newest is None else (newest["code"], newest["detail"])
    return cast(UpdateCheck, {**answer, "code": code, "detail": detail})


def no_update(error: Exception) -> UpdateCheck:
    """Returns why the service gave no answer about updates."""
    failure = error if isinstance(error, LicensingError) else failed(error)
    code, detail = failure.code, failure.message
    return {"release": None, "newest": None, "newest_permitted": None, "code": code, "detail": detail}
