"""Stores: one text between the runs of an application."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Protocol, Set, Union

from ._owners import hold_file, is_alive, owner_of, this_process, write_durably
from .errors import LicensingError

ABANDONED_AFTER_SECONDS = 600.0


class Store(Protocol):
    """Keeps one text. A write must replace the text completely or not at all."""

    def read(self) -> Optional[str]:
        """Returns the text; None before the first write."""

    def write(self, text: str) -> None:
        """Replaces the text."""


class LockingStore(Store, Protocol):
    """A store that one writer can have alone. ``UsageRecorder`` locks its store; guards share theirs."""

    def lock(self) -> Callable[[], None]:
        """Returns the function that frees the store. Raises ``STORE.IN_USE`` while another writer has it."""


class HoldingStore(Store, Protocol):
    """A store that counts its users on this machine, so that the last guard to stop frees a floating seat."""

    def hold(self) -> Callable[[], bool]:
        """Counts one user until the returned function is called, or the process ends in any way.

        That function returns whether no other user is left.
        """


def store_in_use(where: str) -> LicensingError:
    """Returns the error of a store that has another writer."""
    message = f"Another process or recorder writes to {where}. Give each UsageRecorder a store of its own."
    return LicensingError("STORE.IN_USE", message)


def parse_stored(text: Optional[str], kind: str) -> Optional[Dict[str, Any]]:
    """Returns the object in the text of a store, or None for an empty store.

    Each owner's text has a ``kind``, so that a guard and a recorder with the same store do not overwrite each other:
    raises ``STORE.FOREIGN`` for another kind, and ``STORE.UNREADABLE`` for a text that is not JSON.
    """
    if not text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:
        message = "The store holds no JSON, so its state is lost. Let nothing else write to it."
        raise LicensingError("STORE.UNREADABLE", message) from cause
    if isinstance(value, dict) and value.get("kind") == kind:
        return value
    message = f"The store belongs to something other than a {kind}. Give the {kind} a store of its own."
    raise LicensingError("STORE.FOREIGN", message)


class MemoryStore:
    """A store that lasts as long as the process: for tests, and for applications that are always online."""

    def __init__(self) -> None:
        self._text: Optional[str] = None
        self._lock = threading.Lock()
        self._holders: Set[object] = set()

    def read(self) -> Optional[str]:
        """Returns the text; None before the first write."""
        return self._text

    def write(self, text: str) -> None:
        """Replaces the text."""
        self._text = text

    def lock(self) -> Callable[[], None]:
        """Returns the function that frees the store. Raises ``STORE.IN_USE`` while another writer has it."""
        if not self._lock.acquire(blocking=False):
            raise store_in_use("the memory store")
        return self._lock.release

    def hold(self) -> Callable[[], bool]:
        """Counts one user. Returns the function that ends that and says whether no other user is left."""
        holder = object()
        self._holders.add(holder)

        def release() -> bool:
            self._holders.discard(holder)
            return not self._holders

        return release


class FileStore:
    """A store in a file that only its owner can read (mode 0600; a new folder gets 0700).

    A write replaces the file at once and is on the disk when it returns, so after a crash or a power failure the file
    has its old or its new text. Several processes may read and write; ``lock`` makes one process the only writer and
    writes ``<path>.lock``. ``hold`` counts the users on this machine with one file ``<path>.<token>.holder`` for each.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = Path(path).absolute()
        self._is_tidy = False
        self._writing = threading.Lock()

    def read(self) -> Optional[str]:
        """Returns the text; None before the first write."""
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Replaces the text."""
        with self._writing:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_tidy:
                _remove_abandoned(self._path)
                self._is_tidy = True
            draft = self._path.with_name(f"{self._path.name}.{secrets.token_hex(8)}.tmp")
            try:
                write_durably(draft, text)
                _rename_over(draft, self._path)
            except OSError:
                draft.unlink(missing_ok=True)
                raise
            _sync_folder(self._path.parent)

    def lock(self) -> Callable[[], None]:
        """Returns the function that frees the store. Raises ``STORE.IN_USE`` while another writer has it."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _take_lock(self._path)

    def hold(self) -> Callable[[], bool]:
        """Counts one user. Returns the function that ends that and says whether no other user is left."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return hold_file(self._path)


def _rename_over(draft: Path, target: Path) -> None:
    """Replaces a file. Windows refuses that while another process reads it."""
    for attempt in range(1, 11):
        try:
            os.replace(draft, target)
            return
        except PermissionError:
            if attempt == 10:
                raise
            time.sleep(attempt * 0.01)


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable after a rename. Windows cannot open a folder, and needs no such step."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _remove_abandoned(target: Path) -> None:
    """Removes the temporary files of processes that ended while they wrote."""
    for path in target.parent.glob(f"{target.name}.*.tmp"):
        try:
            if path.stat().st_mtime < time.time() - ABANDONED_AFTER_SECONDS:
                path.unlink()
        except OSError:
            continue


_held_here: Set[Path] = set()
"""The locks of this process, because its id does not tell one from another."""


def _take_lock(path: Path) -> Callable[[], None]:
    """Takes the lock file of a path. The lock of a process that ended in any way is taken over.

    Raises ``STORE.IN_USE`` while its owner lives; an owner on another host counts as alive, because its process cannot
    be seen from here. The other SDKs write the same file.
    """
    lock = path.with_name(f"{path.name}.lock")
    if lock in _held_here:
        raise store_in_use(str(path))
    token = secrets.token_hex(16)
    for _attempt in range(5):
        if _create_lock(lock, this_process(token), token):
            break
        owner = owner_of(lock)
        if owner is not None and is_alive(owner):
            raise store_in_use(str(path))
        _remove_stale(lock, owner)
    else:
        raise store_in_use(str(path))
    _held_here.add(lock)

    def unlock() -> None:
        _held_here.discard(lock)
        if (owner_of(lock) or {}).get("token") == token:
            lock.unlink(missing_ok=True)

    return unlock


def _create_lock(lock: Path, text: str, token: str) -> bool:
    """Creates the lock with its text in one step, so that no process sees an empty lock."""
    draft = lock.with_name(f"{lock.name}.{token}.tmp")
    try:
        write_durably(draft, text)
        os.link(draft, lock)
        return True
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)


def _remove_stale(lock: Path, seen: Optional[Dict[str, Any]]) -> None:
    """Removes the lock of an ended process. If another process took the lock meanwhile, puts its lock back."""
    aside = lock.with_name(f"{lock.name}.{secrets.token_hex(8)}.stale")
    try:
        os.rename(lock, aside)
        if (owner_of(aside) or {}).get("token") != (seen or {}).get("token"):
            os.link(aside, lock)
    except (FileNotFoundError, FileExistsError):
        pass
    finally:
        aside.unlink(missing_ok=True)
