"""The fingerprint of the machine that a program runs on."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, List, Mapping, Optional, Union

from ._owners import write_durably
from .errors import LicensingError, configuration_error

PREFIX = "licensing-fingerprint-v1:"
MACHINE_ID_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv")
CONTAINER_GROUPS = re.compile(r"docker|containerd|kubepods|libpod|lxc")


def _read_text(path: str) -> Optional[str]:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return None


def _read_registry(path: str, name: str) -> Optional[str]:
    if sys.platform != "win32":
        return None
    import winreg

    access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path, 0, access) as key:
            return str(winreg.QueryValueEx(key, name)[0])
    except OSError:
        return None


def _read_machine_guid() -> Optional[str]:
    return _read_registry(r"SOFTWARE\Microsoft\Cryptography", "MachineGuid")


def _read_hardware_id() -> Optional[str]:
    return _read_registry(r"SYSTEM\HardwareConfig", "LastConfig")


def _read_cpu_name() -> Optional[str]:
    if sys.platform == "darwin":
        return _run(["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"])
    return _read_registry(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString")


def _run_ioreg() -> Optional[str]:
    return _run(["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"])


def _run(command: List[str]) -> Optional[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None


@dataclass(frozen=True)
class System:
    """What the fingerprint reads from the operating system; the conformance cases pass their own."""

    platform: str = sys.platform
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)
    read_text: Callable[[str], Optional[str]] = _read_text
    """Returns the text of a file, or None if it cannot be read."""
    ioreg: Callable[[], Optional[str]] = _run_ioreg
    machine_guid: Callable[[], Optional[str]] = _read_machine_guid
    hardware_id: Callable[[], Optional[str]] = _read_hardware_id
    """Returns the id that the firmware of a computer with Windows has for it."""
    cpu_name: Callable[[], Optional[str]] = _read_cpu_name
    """Returns the name of the processor, on macOS and Windows."""


def machine_fingerprint(
    *,
    product: str,
    machine_id: Optional[str] = None,
    path: Union[str, "os.PathLike[str]", None] = None,
) -> str:
    """Returns a fingerprint for ``validate`` and ``activate``: 64 hexadecimal characters.

    It is made from the id that the operating system gives the machine, hashed with ``product``, so that it identifies
    the machine to nobody else. Copies of a container image share that id. In containers, and where there is none, a
    random id is stored in ``path`` (default: the user's state directory); keep that file in a volume.
    ``machine_id`` replaces the id, for example with the serial number of a dongle. Raises ``LicensingError`` with
    ``FINGERPRINT.UNAVAILABLE`` if the random id cannot be stored.
    """
    check_product(product)
    key = (own_id(System(), path) if machine_id is None else machine_id).strip()
    if key == "":
        raise configuration_error("machine_id must not be empty.")
    message = (PREFIX + product).encode("utf-8")
    return hmac.new(key.encode("utf-8"), message, hashlib.sha256).hexdigest()


def check_product(product: object) -> None:
    """Raises ``CONFIGURATION.INVALID`` for what is no code of a product."""
    if not isinstance(product, str) or product == "":
        raise configuration_error("product must be the code of the product.")


def own_id(system: System, path: Union[str, "os.PathLike[str]", None]) -> str:
    """Returns the id of a machine, or the random one in ``path``. Raises ``FINGERPRINT.UNAVAILABLE``."""
    found = _system_id(system)
    if found is not None:
        return found
    try:
        return _stored_id(_default_path() if path is None else Path(path))
    except (OSError, RuntimeError, ValueError) as cause:
        message = f"This machine has no id, and none can be stored ({cause}): pass a path that can be written."
        raise LicensingError("FINGERPRINT.UNAVAILABLE", message) from cause


def is_container(system: System) -> bool:
    """Returns whether the system is a container, which shares the parts of its machine."""
    if "KUBERNETES_SERVICE_HOST" in system.variables:
        return True
    if any(system.read_text(path) is not None for path in CONTAINER_FILES):
        return True
    return CONTAINER_GROUPS.search(system.read_text("/proc/1/cgroup") or "") is not None


def _system_id(system: System) -> Optional[str]:
    if system.platform == "win32":
        return (system.machine_guid() or "").strip() or None
    if system.platform == "darwin":
        return mac_property(system, "IOPlatformUUID")
    if is_container(system):
        return None
    for path in MACHINE_ID_FILES:
        text = (system.read_text(path) or "").strip()
        # An image that was not started yet contains `uninitialized`.
        if text not in ("", "uninitialized"):
            return text
    return None


def mac_property(system: System, name: str) -> Optional[str]:
    """Returns a property of a Mac, or None."""
    found = re.search(rf'"{name}"\s*=\s*"([^"]+)"', system.ioreg() or "")
    return None if found is None else found.group(1)


def _default_path() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "licensing-sdk" / "machine-id"


def _stored_id(path: Path) -> str:
    """Returns the id in the file. If there is none, stores a new one; of several processes, the first one wins."""
    for _attempt in range(2):
        try:
            text = path.read_text("utf-8").strip()
            if text != "":
                return text
        except FileNotFoundError:
            pass
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        try:
            write_durably(draft, secrets.token_hex(16) + "\n")
            _publish(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text("utf-8").strip()


def _publish(draft: Path, path: Path) -> None:
    """Gives the draft its name, unless another process was first. An empty file is the rest of a crash: replace it."""
    try:
        if path.exists() and path.read_text("utf-8").strip() == "":
            path.unlink()
        os.link(draft, path)
    except FileExistsError:
        pass
