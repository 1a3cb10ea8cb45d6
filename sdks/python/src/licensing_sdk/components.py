"""The parts of the machine that a program runs on."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Union

from .fingerprint import System, check_product, is_container, mac_property, own_id

PREFIX = "licensing-component-v1:"
PLACEHOLDERS = re.compile(
    r"none|unknown|default string|not (specified|applicable|available)|to be filled by o\.e\.m\.|"
    r"(system|base board) serial number|123456789|qm[0-9]+|\{?03000200-0400-0500-0006-000700080009\}?"
)
"""What firmware and virtual machines say instead of a serial number."""
BOARD = "/sys/class/dmi/id/board_"


@dataclass(frozen=True)
class _Part:
    name: str
    value: Optional[str]
    is_shared: bool = False
    """Whether the computers of one series have the same value."""


def machine_components(
    *, product: str, path: Union[str, "os.PathLike[str]", None] = None, system: Optional[System] = None
) -> Dict[str, str]:
    """Returns hashes of the parts of this machine, for ``validate`` and ``activate`` beside the fingerprint.

    A policy can recognise the device by them although some of them changed. They are ``machine`` (the id that the
    fingerprint uses), ``board``, ``disk``, ``mac`` and ``cpu``, as far as the user may read them, each hashed with
    ``product``. In a container, only ``machine`` belongs to this machine. Parts that the computers of one series share
    (``cpu``, and a ``board`` without a serial number) are never the majority. ``path`` is the one of
    ``machine_fingerprint``. Raises ``LicensingError`` with ``FINGERPRINT.UNAVAILABLE``.
    """
    check_product(product)
    found = System() if system is None else system
    parts = [_Part("machine", own_id(found, path)), *_parts_of(found)]
    known = [part for part in parts if not _is_placeholder(part.value)]
    own = [part for part in known if not part.is_shared]
    shared = [part for part in known if part.is_shared]
    return {part.name: _hashed(part, product) for part in own + shared[: len(own)]}


def _hashed(part: _Part, product: str) -> str:
    key = (part.value or "").strip().encode("utf-8")
    return hmac.new(key, f"{PREFIX}{part.name}:{product}".encode("utf-8"), hashlib.sha256).hexdigest()


def _is_placeholder(value: Optional[str]) -> bool:
    """Whether a value identifies nothing. One that repeats a single letter or digit does not either."""
    text = (value or "").strip().lower()
    return PLACEHOLDERS.fullmatch(text) is not None or len(set(re.sub(r"[^a-z0-9]", "", text))) < 2


def _parts_of(system: System) -> List[_Part]:
    if system.platform == "linux":
        return [] if is_container(system) else _linux_parts(system)
    if system.platform == "darwin":
        serial = mac_property(system, "IOPlatformSerialNumber")
        return [_Part("board", serial), _Part("cpu", system.cpu_name(), is_shared=True)]
    if system.platform == "win32":
        return [_Part("board", system.hardware_id()), _Part("cpu", system.cpu_name(), is_shared=True)]
    return []


def _linux_parts(system: System) -> List[_Part]:
    # Only root may read the serial number.
    serial = system.read_text(f"{BOARD}serial")
    board = _Part("board", serial)
    if _is_placeholder(serial):
        vendor, model = ((system.read_text(BOARD + name) or "").strip() for name in ("vendor", "name"))
        board = _Part("board", None if _is_placeholder(model) else f"{vendor} {model}", is_shared=True)
    cpu = _found(r"^model name[ \t]*:(.+)$", system.read_text("/proc/cpuinfo"))
    mac = _physical_address(system)
    return [board, _Part("disk", _root_disk(system)), _Part("mac", mac), _Part("cpu", cpu, is_shared=True)]


def _found(pattern: str, text: Optional[str]) -> Optional[str]:
    found = re.search(pattern, text or "", re.MULTILINE)
    return None if found is None else found.group(1)


def _root_disk(system: System) -> Optional[str]:
    """Returns the serial number of the disk with the root folder, or the id of its file system, as udev knows them."""
    mounts = system.read_text("/proc/self/mountinfo") or ""
    root = re.search(r"^\d+ \d+ (\d+:\d+) \S+ / .*? - \S+ (\S+)", mounts, re.MULTILINE)
    if root is None:
        return None
    number, source = root.groups()
    device = re.fullmatch(r"/dev/([^/]+)", source)
    # A file system of several disks has a number of its own.
    if number.startswith("0:") and device is not None:
        number = (system.read_text(f"/sys/class/block/{device.group(1)}/dev") or "").strip()
    facts = system.read_text(f"/run/udev/data/b{number}")
    serial = _found(r"^E:ID_SERIAL_SHORT=(.+)$", facts)
    return _found(r"^E:ID_FS_UUID=(.+)$", facts) if _is_placeholder(serial) else serial


def _physical_address(system: System) -> Optional[str]:
    """Returns the permanent address of the first network interface, by name, that is hardware."""
    for name in sorted(re.findall(r"^[ \t]*([^\s:]+):", system.read_text("/proc/net/dev") or "", re.MULTILINE)):
        folder = f"/sys/class/net/{name}"
        is_hardware = bool(system.read_text(f"{folder}/device/uevent"))
        if not is_hardware or (system.read_text(f"{folder}/addr_assign_type") or "").strip() != "0":
            continue
        address = system.read_text(f"{folder}/address")
        if not _is_placeholder(address):
            return address
    return None
