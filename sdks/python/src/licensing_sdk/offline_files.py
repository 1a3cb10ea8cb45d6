"""The files with which a device without a network is activated in the portal of the vendor."""

from __future__ import annotations

import json
import time
from typing import Any, Optional, TypedDict

from ._timestamps import to_timestamp
from .errors import LicensingError, configuration_error

REQUEST_FORMAT = "licensing-offline-request-v1"
CERTIFICATE_FORMAT = "licensing-offline-certificate-v1"


class CertificateFile(TypedDict):
    """The content of a certificate file. ``certificate`` is not verified yet: see ``verify_certificate``."""

    product: str
    license_key: str
    certificate: str
    expires_at: str


def offline_request(
    *,
    product: str,
    fingerprint: str,
    name: Optional[str] = None,
    hostname: Optional[str] = None,
    platform: Optional[str] = None,
    now: Optional[float] = None,
) -> str:
    """Returns the text of a request file, which the holder of a license uploads in the portal of the vendor.

    ``product`` is the code of the product, and ``fingerprint`` identifies the device as in ``activate``; ``name``,
    ``hostname`` and ``platform`` help people recognise it. ``now`` are seconds since 1970. Raises
    ``CONFIGURATION.INVALID`` without a product or a fingerprint.
    """
    for option, value in (("product", product), ("fingerprint", fingerprint)):
        if not isinstance(value, str) or value == "":
            raise configuration_error(f"{option} must not be empty.")
    request = {
        "format": REQUEST_FORMAT,
        "product": product,
        "fingerprint": fingerprint,
        "name": name,
        "hostname": hostname,
        "platform": platform,
        "created_at": to_timestamp(time.time() if now is None else float(now)),
    }
    return json.dumps(request, indent=2, ensure_ascii=False) + "\n"


def read_certificate_file(text: str) -> CertificateFile:
    """Reads the text of a certificate file, which the portal returns for a request file.

    It does not verify the certificate: pass ``certificate`` to ``verify_certificate``. Raises
    ``CERTIFICATE_FILE.INVALID`` for any other text.
    """
    content = _content(text)
    fields = [content.get(name) for name in ("product", "license_key", "certificate", "expires_at")]
    if content.get("format") != CERTIFICATE_FORMAT or not all(isinstance(field, str) and field for field in fields):
        message = "This is not a certificate file. Download it again from the portal, and import it unchanged."
        if content.get("format") == REQUEST_FORMAT:
            message = "This is the request file. Upload it in the portal, and import the file that you download there."
        raise LicensingError("CERTIFICATE_FILE.INVALID", message)
    product, license_key, certificate, expires_at = (str(field) for field in fields)
    return {"product": product, "license_key": license_key, "certificate": certificate, "expires_at": expires_at}


def _content(text: str) -> "dict[str, Any]":
    try:
        content = json.loads(text.lstrip("\ufeff") if isinstance(text, str) else "")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
