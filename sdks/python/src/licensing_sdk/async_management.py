"""The client with which a vendor's own backend manages licenses."""

from __future__ import annotations

import ssl
from typing import Optional

from ._async_resources import AsyncResources
from ._options import Options, access_token as credential


class AsyncManagementClient(AsyncResources):
    """Manages the licenses of a vendor from the vendor's own backend, with an access token (``service_…``).

    Each resource is an attribute: ``management.licenses.create({"policy_id": …})``. A list reads one page after the
    other while it is iterated; ``list().page(cursor)`` reads one. Creations, renewals and new keys carry an idempotency
    key, so that a repetition does nothing twice. Every failure is a ``LicensingError``. The module ``api_types`` has
    the shapes. ``AsyncManagementClient`` has the same resources, whose methods are awaited. The other options are those
    of ``LicensingClient``. Keep the token on a server.
    """

    def __init__(
        self,
        *,
        base_url: str,
        access_token: str,
        timeout_seconds: float = 10,
        max_retries: int = 2,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        super().__init__(Options(base_url, credential(access_token), timeout_seconds, max_retries, ssl_context))
