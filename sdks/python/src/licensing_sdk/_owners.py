"""Files that name a process: the lock of a store, and its holders. The SDKs of all languages share them."""

from __future__ import annotations

import json
import os
import secrets
import socket
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional


def this_process(token: str) -> str:
    """Returns the text of a file that belongs to this process."""
    pid = os.getpid()
    return json.dumps({"token": token, "pid": pid, "host": socket.gethostname(), "startedAt": _start_of(pid)})


def hold_file(path: Path) -> Callable[[], bool]:
    """Writes ``<path>.<token>.holder``, which counts a user of the path on this machine.

    Returns the function that removes it and says whether no other living process of this machine has one.
    """
    token = secrets.token_hex(16)
    mine = path.with_name(f"{path.name}.{token}.holder")
    draft = path.with_name(f"{path.name}.{token}.tmp")
    write_durably(draft, this_process(token))
    # Another process never sees half of the text.
    os.replace(draft, mine)

    def release() -> bool:
        mine.unlink(missing_ok=True)
        return not any(_is_held(file) for file in _holder_files(path))

    return release


def _holder_files(path: Path) -> List[Path]:
    """Returns the files of all holders. A token has no dot; with one, the file belongs to another store."""
    prefix, suffix = f"{path.name}.", ".holder"
    names = [name for name in os.listdir(path.parent) if name.startswith(prefix) and name.endswith(suffix)]
    return [path.with_name(name) for name in names if "." not in name[len(prefix) : -len(suffix)]]


def _is_held(file: Path) -> bool:
    """Returns whether a living process of this machine has the file. The file of an ended one is removed."""
    owner = owner_of(file)
    # Another machine has a seat of its own.
    if owner is None or owner.get("host") != socket.gethostname():
        return False
    if is_alive(owner):
        return True
    file.unlink(missing_ok=True)
    return False


def write_durably(path: Path, text: str) -> None:
    """Creates a file that only its owner can read, and returns when the disk has its text."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def owner_of(path: Path) -> Optional[Dict[str, Any]]:
    """Returns the owner that a file names, or None."""
    try:
        owner = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        # A file without an owner was not written by an SDK.
        return None
    return owner if isinstance(owner, dict) else None


def is_alive(owner: Dict[str, Any]) -> bool:
    """Returns whether a process still runs. One on another host counts as alive: it cannot be seen from here."""
    pid = owner.get("pid")
    if owner.get("host") != socket.gethostname() or not isinstance(pid, int):
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # The process exists and belongs to another user, or the system cannot say it.
        pass
    now = _start_of(pid)
    return owner.get("startedAt") is None or now is None or owner["startedAt"] == now


def _start_of(pid: int) -> Optional[str]:
    """Returns when a process started, in ticks since the boot (proc(5), field 22), or None where there is no /proc."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The second field, the program's name, is in parentheses and may contain spaces.
    fields = text[text.rfind(")") + 2 :].split(" ")
    return fields[19] if len(fields) > 19 else None
