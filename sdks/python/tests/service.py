"""A real service for the tests."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator

REPOSITORY = Path(__file__).resolve().parents[3]
PUBLIC_URL = "https://licensing.example.com"


def _access_token(origin: str, demo: Dict[str, Any]) -> str:
    """Returns the token of a backend, which the owner of the tenant creates."""

    def post(path: str, fields: Dict[str, Any], token: str = "") -> Dict[str, Any]:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        request = urllib.request.Request(origin + path, json.dumps(fields).encode(), headers)
        with urllib.request.urlopen(request) as response:
            answer: Dict[str, Any] = json.load(response)["data"]
            return answer

    owner = {"email": demo["user"]["email"], "password": demo["user"]["password"]}
    login = post("/api/v1/auth/login", owner)
    token = post("/api/v1/tenant/access-tokens", {"name": "Tests", "role": "admin"}, login["access_token"])
    return str(token["token"])


@contextmanager
def demo_service() -> Iterator[Dict[str, Any]]:
    """Runs the service with its demo data. Yields its address, its tenant, its license key and its API key."""
    with tempfile.TemporaryDirectory() as folder:
        node = REPOSITORY / "node_modules" / ".bin" / "node"
        command = [str(node), str(REPOSITORY / "packages" / "server" / "bin" / "licensing.mjs"), "serve", "--demo"]
        settings = {"DATA_DIR": folder, "HOST": "127.0.0.1", "PORT": "0", "PUBLIC_URL": PUBLIC_URL}
        settings["DRAIN_SECONDS"] = "0"
        process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)
        try:
            if process.stdout is None:
                raise AssertionError("The service has no output.")
            addresses = (re.search(r"runs on (http://[^\s,]+)", line) for line in process.stdout)
            origin = next(found[1] for found in addresses if found is not None)
            demo = json.loads((Path(folder) / "demo.json").read_text("utf-8"))
            yield {
                "origin": origin,
                "tenant_id": demo["tenant"]["id"],
                "license_key": demo["tenant"]["licenseKey"],
                "api_key": demo["apiKey"],
                "access_token": _access_token(origin, demo),
            }
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()
