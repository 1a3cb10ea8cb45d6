"""The management clients against a real service: every case runs with both."""

from __future__ import annotations

import asyncio
import io
import json
import time
import unittest
import uuid
from datetime import datetime, timezone
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Optional
from unittest import mock

from licensing_sdk import AsyncManagementClient, LicensingError, ManagementClient
from licensing_sdk import _transport

from .managers import Manager
from .service import demo_service

KINDS = ("sync", "async")


class Management(unittest.TestCase):
    service: Dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        # `enterClassContext` is newer than the oldest Python.
        running = demo_service()
        cls.service = running.__enter__()
        cls.addClassCleanup(running.__exit__, None, None, None)

    def each(self) -> Iterator[Manager]:
        for kind in KINDS:
            with self.subTest(kind):
                manager = self.manager(kind)
                yield manager
                manager.close()

    def manager(self, kind: str, token: Optional[str] = None, **options: Any) -> Manager:
        token = self.service["access_token"] if token is None else token
        return Manager(kind, base_url=self.service["origin"], access_token=token, **options)

    def policy(self, manager: Manager, **fields: Any) -> Dict[str, Any]:
        code = f"p-{uuid.uuid4()}"
        product = manager.call("products.create", {"code": code, "name": "Editor"})
        given = {"product_id": product["id"], "code": code, "name": "Yearly", "duration_days": 365, **fields}
        policy: Dict[str, Any] = manager.call("policies.create", given)
        return policy

    def wait_for(self, read: Callable[[], Any]) -> Any:
        """Returns the result of a job: the service of the demo runs them itself."""
        for _ in range(600):
            answer = read()
            if answer["state"] != "running":
                return answer
            time.sleep(0.05)
        raise AssertionError("The job did not end.")

    def test_a_license_is_created_read_changed_renewed_revoked_and_deleted(self) -> None:
        for manager in self.each():
            policy = self.policy(manager, max_activations=3)
            fields = {"policy_id": policy["id"], "holder": {"name": "Ada"}, "metadata": {"order_id": 7}}
            created = manager.call("licenses.create", fields)
            self.assertEqual((created["status"], created["metadata"]), ("active", {"order_id": 7}))
            read = manager.call("licenses.get", created["id"])
            self.assertEqual(read["key"], created["key"])
            changed = manager.call("licenses.update", created["id"], {"max_activations": None})
            self.assertIsNone(changed["max_activations"])
            at = datetime(2031, 5, 1, tzinfo=timezone.utc)
            self.assertEqual(
                manager.call("licenses.update", created["id"], {"expires_at": at})["expires_at"],
                "2031-05-01T00:00:00.000000Z",
            )
            suspended = manager.call("licenses.suspend", created["id"], {"reason": "Unpaid"})
            self.assertEqual((suspended["status"], suspended["status_reason"]), ("suspended", "Unpaid"))
            self.assertEqual(manager.call("licenses.reinstate", created["id"])["status"], "active")
            renewed = manager.call("licenses.renew", created["id"], {"duration_months": 12})
            self.assertEqual(renewed["expires_at"], "2032-05-01T00:00:00.000000Z")
            self.assertNotEqual(manager.call("licenses.rotate_key", created["id"])["key"], created["key"])
            self.assertEqual(manager.call("licenses.revoke", created["id"])["status"], "revoked")
            self.assertEqual(manager.call("licenses.delete", created["id"]), {"deleted": True, "id": created["id"]})
            with self.assertRaises(LicensingError) as caught:
                manager.call("licenses.get", created["id"])
            self.assertEqual(caught.exception.status, 404)

    def test_a_list_is_read_page_after_page_or_one_page_at_a_time(self) -> None:
        for manager in self.each():
            policy = self.policy(manager)
            ids = [manager.call("licenses.create", {"policy_id": policy["id"]})["id"] for _ in range(5)][::-1]
            listed = manager.call("licenses.list", policy_id=policy["id"], limit=2)
            self.assertEqual([license["id"] for license in listed], ids)
            first = manager.page("licenses.list", policy_id=policy["id"], limit=2)
            second = manager.page("licenses.list", first.next_cursor, policy_id=policy["id"], limit=2)
            last = manager.page("licenses.list", second.next_cursor, policy_id=policy["id"], limit=2)
            self.assertEqual([license["id"] for license in second.data], ids[2:4])
            self.assertIsNone(last.next_cursor)

    def test_a_creation_whose_answer_is_lost_creates_one_license(self) -> None:
        exchange = _transport.Transport._exchange
        for kind in KINDS:
            manager = self.manager(kind)
            policy = self.policy(manager)
            lost: List[str] = []

            def lose(transport: Any, connection: Any, request: Any) -> Any:
                answer = exchange(transport, connection, request)
                if request.method == "POST" and not lost:
                    lost.append(request.path)
                    raise ConnectionResetError("The answer was lost.")
                return answer

            with mock.patch.object(_transport.Transport, "_exchange", lose):
                created = manager.call("licenses.create", {"policy_id": policy["id"]})
            self.assertEqual(lost, ["/api/v1/tenant/licenses"])
            listed = manager.call("licenses.list", policy_id=policy["id"])
            self.assertEqual([license["id"] for license in listed], [created["id"]])
            lost.clear()
            with mock.patch.object(_transport.Transport, "_exchange", lose):
                with self.assertRaises(LicensingError) as caught:
                    manager.call("webhooks.test", str(uuid.uuid4()))
            self.assertEqual(caught.exception.code, "NETWORK.UNREACHABLE")
            manager.close()

    def test_creations_with_one_idempotency_key_create_one_license_and_concurrent_ones_all(self) -> None:
        for manager in self.each():
            policy = self.policy(manager)
            fields = {"policy_id": policy["id"]}
            both = [manager.call("licenses.create", fields, idempotency_key=f"order-{policy['id']}") for _ in range(2)]
            self.assertEqual(both[0]["id"], both[1]["id"])
            created = manager.at_once("licenses.create", [fields] * 30)
            self.assertEqual(len({license["id"] for license in created}), 30)
            self.assertEqual(len(manager.call("licenses.list", policy_id=policy["id"], limit=10)), 31)

    def test_texts_bytes_files_and_pieces_are_imported_and_exported(self) -> None:
        for manager in self.each():
            policy = self.policy(manager)
            row = json.dumps({"policy_id": policy["id"], "holder": {"name": "Ädä"}}) + "\n"
            contents: List[Callable[[], Any]] = [
                lambda: row,
                lambda: row.encode(),
                lambda: io.BytesIO(row.encode() * 2),
                lambda: io.StringIO(row),
                lambda: (row for _ in range(1000)),
            ]
            created = [manager.call("licenses.import_", content())["created"] for content in contents]
            self.assertEqual(created, [1, 1, 2, 1, 1000])
            exported = manager.call("licenses.export", policy_id=policy["id"])
            self.assertEqual(len(exported.splitlines()), 1005)
            table = manager.call("licenses.export", policy_id=policy["id"], format="csv")
            self.assertTrue(table.startswith(b"id,"), table[:40])
            with self.assertRaises(LicensingError) as caught:
                manager.call("licenses.import_", row + '{"policy_id":"x"}\n')
            self.assertEqual(caught.exception.code, "IMPORT.REJECTED")
            csv = f"policy_id\n{policy['id']}\n"
            tried = manager.call("licenses.import_", csv, content_type="text/csv", dry_run=True)
            self.assertEqual(tried["created"], 1)
            started = manager.call("licenses.start_import", row * 3)
            ended = self.wait_for(lambda: manager.call("licenses.get_import", started["id"]))
            self.assertEqual((ended["state"], ended["created"]), ("done", 3))

    def test_pieces_of_the_event_loop_are_imported(self) -> None:
        async def import_pieces() -> int:
            options = {"base_url": self.service["origin"], "access_token": self.service["access_token"]}
            async with AsyncManagementClient(**options) as management:
                policies = [policy async for policy in management.policies.list(limit=1)]

                async def pieces() -> AsyncIterator[str]:
                    for _ in range(3):
                        await asyncio.sleep(0)
                        yield json.dumps({"policy_id": policies[0]["id"]}) + "\n"

                return (await management.licenses.import_(pieces()))["created"]

        self.assertEqual(asyncio.run(import_pieces()), 3)

    def test_a_file_that_is_closed_early_ends_its_connection(self) -> None:
        with ManagementClient(
            base_url=self.service["origin"], access_token=self.service["access_token"]
        ) as management:
            with management.audit_logs.export() as file:
                self.assertNotEqual(next(iter(file)), b"")
            self.assertGreater(len(list(management.products.list())), 0)

    def test_customers_mails_batches_and_bulk_operations_are_managed(self) -> None:
        for manager in self.each():
            policy = self.policy(manager, max_activations=1)
            email = f"{uuid.uuid4()}@example.com"
            license = manager.call("licenses.create", {"policy_id": policy["id"], "holder": {"email": email}})
            device = manager.call("licenses.activate", license["id"], {"fingerprint": "device-1"})
            self.assertEqual(device["status"], "active")
            self.assertEqual(manager.call("licenses.validate", license["id"])["code"], "LICENSE.VALID")
            self.assertEqual(manager.call("licenses.checks", license["id"], limit=10), [])
            self.assertIsNone(manager.call("licenses.get_sale", license["id"]))
            self.assertEqual(manager.call("customers.get", email)["licenses_count"], 1)
            note = manager.call("customers.create_note", email, {"text": "Called."})
            self.assertEqual([one["id"] for one in manager.call("customers.list_notes", email)], [note["id"]])
            self.assertEqual(manager.call("mails.send", {"license_id": license["id"]})["recipient"], email)
            self.assertTrue(manager.call("customers.erase", email)["deleted"])
            batch = manager.call("license_batches.create", {"policy_id": policy["id"], "count": 20, "name": "Reseller"})
            self.wait_for(lambda: manager.call("license_batches.get", batch["id"]))
            keys = manager.call("license_batches.export_keys", batch["id"], format="csv")
            self.assertEqual(len(keys.splitlines()), 21)
            change = {"filter": {"batch_id": batch["id"]}, "action": {"type": "suspend"}}
            self.assertEqual(manager.call("bulk_operations.preview", change)["changed"], 20)
            operation = manager.call("bulk_operations.create", change)
            ended = self.wait_for(lambda: manager.call("bulk_operations.get", operation["id"]))
            self.assertEqual((ended["state"], ended["changed"]), ("done", 20))
            self.assertEqual(manager.call("bulk_operations.undo", operation["id"])["undoes"], operation["id"])
            self.assertIsNotNone(manager.call("policies.archive", policy["id"])["archived_at"])

    def test_bad_arguments_and_tokens_are_refused(self) -> None:
        for manager in self.each():
            for bad in ("", "..", "a/b", "ü" * 200, "%2e"):
                with self.assertRaises(LicensingError, msg=bad) as caught:
                    manager.call("licenses.get", bad)
                self.assertIn(caught.exception.status, (404, 422), bad)
            arguments: List[Any] = [(None,), (7,)]
            for given in arguments:
                with self.assertRaises(LicensingError) as caught:
                    manager.call("licenses.get", *given)
                self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            for fields in ("text", {"metadata": {"x": float("nan")}}, {"expires_at": object()}):
                with self.assertRaises(LicensingError) as caught:
                    manager.call("licenses.create", fields)
                self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            with self.assertRaises(LicensingError) as caught:
                manager.call("licenses.create", {}, idempotency_key="ü")
            self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            with self.assertRaises(LicensingError) as caught:
                manager.call("licenses.create", {"policy_id": "x", "colour": "red"})
            self.assertEqual(caught.exception.code, "VALIDATION.FAILED")
        for kind in KINDS:
            for token in ("", "vx_1", "service_ä", None):
                with self.assertRaises(LicensingError) as caught:
                    Manager(kind, base_url=self.service["origin"], access_token=token)
                self.assertEqual(caught.exception.code, "CONFIGURATION.INVALID")
            manager = self.manager(kind, token=f"service_{'0' * 64}")
            with self.assertRaises(LicensingError) as caught:
                manager.call("products.list")
            self.assertEqual((caught.exception.code, caught.exception.status), ("AUTH.INVALID_TOKEN", 401))
            self.assertNotIn("0" * 64, repr(caught.exception))
            manager.close()
