"""The files of releases."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Union

from .errors import configuration_error

PIECE_BYTES = 1 << 20


def verify_artifact(file: Union[str, "os.PathLike[str]"], sha256: str) -> bool:
    """Returns whether a downloaded file is the one that the vendor published: whether its SHA-256 is ``sha256``.

    ``download_release`` and the files of a release state it. The file is read piece by piece. Raises ``OSError`` if it
    cannot be read, and ``CONFIGURATION.INVALID`` for what is no hash.
    """
    if not isinstance(sha256, str) or re.fullmatch("[0-9a-fA-F]{64}", sha256) is None:
        raise configuration_error("sha256 must be 64 hexadecimal characters.")
    digest = hashlib.sha256()
    with open(file, "rb") as opened:
        while True:
            piece = opened.read(PIECE_BYTES)
            if piece == b"":
                return digest.hexdigest() == sha256.lower()
            digest.update(piece)
