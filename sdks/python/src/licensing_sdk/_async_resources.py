# Generated from openapi.json by packages/sdk/scripts/generate-python-management.ts. Do not edit.
"""The resources of ``AsyncManagementClient``."""

from __future__ import annotations

from typing import List, Literal, Optional, cast

from . import api_types as api
from ._async_caller import AsyncCaller
from ._management import AsyncDownload, AsyncImportContent, AsyncListing, AsyncResource
from ._options import Options
from .types import Timestamp


class AsyncProducts(AsyncResource):
    """The methods of ``products``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        archived: Optional[api.Archived] = None,
        code: Optional[str] = None,
        q: Optional[str] = None,
    ) -> AsyncListing[api.Product]:
        """List products."""
        return AsyncListing(
            self,
            "products",
            (),
            query={"limit": limit, "archived": archived, "code": code, "q": q},
        )

    async def get(self, id: str) -> api.Product:
        """Read a product."""
        return cast(api.Product, await self._send("GET", "products/{}", (id,)))

    async def create(
        self,
        fields: api.CreateProduct,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Product:
        """Create a product."""
        return cast(api.Product, await self._send(
            "POST",
            "products",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateProduct] = None,
    ) -> api.Product:
        """Change a product."""
        return cast(api.Product, await self._send("PUT", "products/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete a product."""
        return cast(api.Deletion, await self._send("DELETE", "products/{}", (id,)))

    async def archive(self, id: str) -> api.Product:
        """Archive a product."""
        return cast(api.Product, await self._send("POST", "products/{}/archive", (id,)))

    async def unarchive(self, id: str) -> api.Product:
        """Unarchive a product."""
        return cast(api.Product, await self._send("POST", "products/{}/unarchive", (id,)))

    async def allow_trial(
        self,
        id: str,
        fields: Optional[api.AllowTrial] = None,
    ) -> api.AllowedTrial:
        """Allow another trial."""
        return cast(api.AllowedTrial, await self._send(
            "POST",
            "products/{}/allow-trial",
            (id,),
            fields=fields,
        ))


class AsyncPolicies(AsyncResource):
    """The methods of ``policies``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        archived: Optional[api.Archived] = None,
        product_id: Optional[str] = None,
        code: Optional[str] = None,
        q: Optional[str] = None,
    ) -> AsyncListing[api.Policy]:
        """List policies."""
        return AsyncListing(
            self,
            "policies",
            (),
            query={
                "limit": limit,
                "archived": archived,
                "product_id": product_id,
                "code": code,
                "q": q,
            },
        )

    async def get(self, id: str) -> api.PolicyDetail:
        """Read a policy."""
        return cast(api.PolicyDetail, await self._send("GET", "policies/{}", (id,)))

    async def create(
        self,
        fields: api.CreatePolicy,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Policy:
        """Create a policy."""
        return cast(api.Policy, await self._send(
            "POST",
            "policies",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdatePolicy] = None,
    ) -> api.Policy:
        """Change a policy."""
        return cast(api.Policy, await self._send("PUT", "policies/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete a policy."""
        return cast(api.Deletion, await self._send("DELETE", "policies/{}", (id,)))

    async def archive(self, id: str) -> api.Policy:
        """Archive a policy."""
        return cast(api.Policy, await self._send("POST", "policies/{}/archive", (id,)))

    async def unarchive(self, id: str) -> api.Policy:
        """Unarchive a policy."""
        return cast(api.Policy, await self._send("POST", "policies/{}/unarchive", (id,)))


class AsyncReleases(AsyncResource):
    """The methods of ``releases``."""

    def list(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        status: Optional[api.ReleaseStatus] = None,
        channel: Optional[str] = None,
    ) -> AsyncListing[api.Release]:
        """List the releases of a product, newest version first."""
        return AsyncListing(
            self,
            "products/{}/releases",
            (id,),
            query={"limit": limit, "status": status, "channel": channel},
        )

    async def get(self, id: str, release_id: str) -> api.Release:
        """Read a release."""
        return cast(api.Release, await self._send("GET", "products/{}/releases/{}", (id, release_id)))

    async def create(
        self,
        id: str,
        fields: api.CreateRelease,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Release:
        """Create a draft of a release."""
        return cast(api.Release, await self._send(
            "POST",
            "products/{}/releases",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        release_id: str,
        fields: Optional[api.UpdateRelease] = None,
    ) -> api.Release:
        """Change a draft."""
        return cast(api.Release, await self._send(
            "PUT",
            "products/{}/releases/{}",
            (id, release_id),
            fields=fields,
        ))

    async def delete(self, id: str, release_id: str) -> api.Deletion:
        """Delete a draft."""
        return cast(api.Deletion, await self._send("DELETE", "products/{}/releases/{}", (id, release_id)))

    async def publish(self, id: str, release_id: str) -> api.Release:
        """Publish a release."""
        return cast(api.Release, await self._send(
            "POST",
            "products/{}/releases/{}/publish",
            (id, release_id),
        ))

    async def yank(
        self,
        id: str,
        release_id: str,
        fields: api.YankRelease,
    ) -> api.Release:
        """Withdraw a published release."""
        return cast(api.Release, await self._send(
            "POST",
            "products/{}/releases/{}/yank",
            (id, release_id),
            fields=fields,
        ))

    async def downloads(
        self,
        id: str,
        release_id: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
    ) -> List[api.ReleaseDownloads]:
        """Read the downloads of a release by day."""
        return cast("List[api.ReleaseDownloads]", await self._send(
            "GET",
            "products/{}/releases/{}/downloads",
            (id, release_id),
            query={"from": from_, "to": to},
        ))


class AsyncLicenses(AsyncResource):
    """The methods of ``licenses``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        status: Optional[api.LicenseStatus] = None,
        product_id: Optional[str] = None,
        policy_id: Optional[str] = None,
        batch_id: Optional[str] = None,
        key: Optional[str] = None,
        holder_email: Optional[str] = None,
        holder_reference: Optional[str] = None,
        order_number: Optional[str] = None,
        expires_before: Optional[Timestamp] = None,
        expires_after: Optional[Timestamp] = None,
        expires_within_days: Optional[int] = None,
        metadata_key: Optional[str] = None,
        metadata_value: Optional[str] = None,
        q: Optional[str] = None,
        include: Optional[Literal["details"]] = None,
        sort: Optional[api.LicenseSort] = None,
    ) -> AsyncListing[api.LicenseDetails]:
        """List licenses."""
        return AsyncListing(
            self,
            "licenses",
            (),
            query={
                "limit": limit,
                "status": status,
                "product_id": product_id,
                "policy_id": policy_id,
                "batch_id": batch_id,
                "key": key,
                "holder_email": holder_email,
                "holder_reference": holder_reference,
                "order_number": order_number,
                "expires_before": expires_before,
                "expires_after": expires_after,
                "expires_within_days": expires_within_days,
                "metadata_key": metadata_key,
                "metadata_value": metadata_value,
                "q": q,
                "include": include,
                "sort": sort,
            },
        )

    async def get(
        self,
        id: str,
        *,
        include: Optional[Literal["details"]] = None,
    ) -> api.LicenseDetails:
        """Read a license."""
        return cast(api.LicenseDetails, await self._send(
            "GET",
            "licenses/{}",
            (id,),
            query={"include": include},
        ))

    async def create(
        self,
        fields: api.CreateLicense,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.License:
        """Issue a license."""
        return cast(api.License, await self._send(
            "POST",
            "licenses",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateLicense] = None,
    ) -> api.License:
        """Change a license."""
        return cast(api.License, await self._send("PUT", "licenses/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete a license."""
        return cast(api.Deletion, await self._send("DELETE", "licenses/{}", (id,)))

    async def suspend(
        self,
        id: str,
        fields: Optional[api.LicenseTransition] = None,
    ) -> api.License:
        """Suspend a license."""
        return cast(api.License, await self._send("POST", "licenses/{}/suspend", (id,), fields=fields))

    async def reinstate(
        self,
        id: str,
        fields: Optional[api.LicenseTransition] = None,
    ) -> api.License:
        """Reinstate a suspended license."""
        return cast(api.License, await self._send("POST", "licenses/{}/reinstate", (id,), fields=fields))

    async def revoke(
        self,
        id: str,
        fields: Optional[api.LicenseRevocation] = None,
    ) -> api.License:
        """Revoke a license permanently."""
        return cast(api.License, await self._send("POST", "licenses/{}/revoke", (id,), fields=fields))

    async def renew(
        self,
        id: str,
        fields: Optional[api.LicenseRenewal] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.License:
        """Renew a license."""
        return cast(api.License, await self._send(
            "POST",
            "licenses/{}/renew",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def rotate_key(
        self,
        id: str,
        fields: Optional[api.LicenseAction] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.License:
        """Replace the key of a license."""
        return cast(api.License, await self._send(
            "POST",
            "licenses/{}/rotate-key",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def convert(
        self,
        id: str,
        fields: api.ConvertLicense,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.License:
        """Convert a trial."""
        return cast(api.License, await self._send(
            "POST",
            "licenses/{}/convert",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def validate(
        self,
        id: str,
        fields: Optional[api.ValidateLicense] = None,
    ) -> api.Verdict:
        """Validate a license by its id."""
        return cast(api.Verdict, await self._send("POST", "licenses/{}/validate", (id,), fields=fields))

    async def activate(
        self,
        id: str,
        fields: Optional[api.CreateActivation] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Activation:
        """Activate a device by the id of the license."""
        return cast(api.Activation, await self._send(
            "POST",
            "licenses/{}/activations",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def checks(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        is_allowed: Optional[bool] = None,
    ) -> List[api.LicenseCheck]:
        """List the checks of a license."""
        return cast("List[api.LicenseCheck]", await self._send(
            "GET",
            "licenses/{}/checks",
            (id,),
            query={"limit": limit, "is_allowed": is_allowed},
        ))

    async def check_entitlements(self, id: str) -> api.EntitlementChecks:
        """Read the effective entitlements of a license."""
        return cast(api.EntitlementChecks, await self._send("GET", "licenses/{}/entitlements", (id,)))

    async def issue_certificate(
        self,
        id: str,
        fields: Optional[api.IssueCertificate] = None,
    ) -> api.Certificate:
        """Issue an offline certificate by the id of the license."""
        return cast(api.Certificate, await self._send(
            "POST",
            "licenses/{}/certificate",
            (id,),
            fields=fields,
        ))

    async def create_portal_link(self, id: str) -> api.PortalLink:
        """Create a link to the portal for the holder of a license."""
        return cast(api.PortalLink, await self._send("POST", "licenses/{}/portal-link", (id,)))

    async def get_sale(self, id: str) -> Optional[api.LicenseSale]:
        """Read the sale of a license."""
        return cast("Optional[api.LicenseSale]", await self._send("GET", "licenses/{}/sale", (id,), is_nullable=True))

    async def import_(
        self,
        content: AsyncImportContent,
        *,
        content_type: str = "application/x-ndjson",
        partial: Optional[bool] = None,
        notify_holder: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> api.ImportResult:
        """Import licenses from a file."""
        return cast(api.ImportResult, await self._import(
            "licenses/import",
            (),
            content,
            content_type,
            query={
                "partial": partial,
                "notify_holder": notify_holder,
                "dry_run": dry_run,
            },
            background=False,
            idempotency_key=idempotency_key,
        ))

    async def start_import(
        self,
        content: AsyncImportContent,
        *,
        content_type: str = "application/x-ndjson",
        partial: Optional[bool] = None,
        notify_holder: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> api.LicenseImport:
        """Import licenses from a file."""
        return cast(api.LicenseImport, await self._import(
            "licenses/import",
            (),
            content,
            content_type,
            query={
                "partial": partial,
                "notify_holder": notify_holder,
                "dry_run": dry_run,
            },
            background=True,
            idempotency_key=idempotency_key,
        ))

    async def get_import(self, id: str) -> api.LicenseImport:
        """Read the progress of an import."""
        return cast(api.LicenseImport, await self._send("GET", "licenses/imports/{}", (id,)))

    async def cancel_import(self, id: str) -> api.LicenseImport:
        """Cancel a running import."""
        return cast(api.LicenseImport, await self._send("POST", "licenses/imports/{}/cancel", (id,)))

    async def export(
        self,
        *,
        format: Optional[Literal["csv", "ndjson"]] = None,
        bom: Optional[bool] = None,
        ids: Optional[List[str]] = None,
        status: Optional[api.LicenseStatus] = None,
        product_id: Optional[str] = None,
        policy_id: Optional[str] = None,
        batch_id: Optional[str] = None,
        key: Optional[str] = None,
        holder_email: Optional[str] = None,
        holder_reference: Optional[str] = None,
        order_number: Optional[str] = None,
        expires_before: Optional[Timestamp] = None,
        expires_after: Optional[Timestamp] = None,
        expires_within_days: Optional[int] = None,
        metadata_key: Optional[str] = None,
        metadata_value: Optional[str] = None,
        q: Optional[str] = None,
        sort: Optional[api.LicenseSort] = None,
    ) -> AsyncDownload:
        """Export licenses to a file."""
        return await self._download(
            "licenses/export",
            (),
            query={
                "format": format,
                "bom": bom,
                "ids": ids,
                "status": status,
                "product_id": product_id,
                "policy_id": policy_id,
                "batch_id": batch_id,
                "key": key,
                "holder_email": holder_email,
                "holder_reference": holder_reference,
                "order_number": order_number,
                "expires_before": expires_before,
                "expires_after": expires_after,
                "expires_within_days": expires_within_days,
                "metadata_key": metadata_key,
                "metadata_value": metadata_value,
                "q": q,
                "sort": sort,
            },
        )


class AsyncLicenseBatches(AsyncResource):
    """The methods of ``license_batches``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.LicenseBatch]:
        """List batches of licenses."""
        return AsyncListing(self, "license-batches", (), query={"limit": limit})

    async def get(
        self,
        id: str,
        *,
        include: Optional[Literal["details"]] = None,
    ) -> api.LicenseBatch:
        """Read a batch of licenses."""
        return cast(api.LicenseBatch, await self._send(
            "GET",
            "license-batches/{}",
            (id,),
            query={"include": include},
        ))

    async def create(
        self,
        fields: api.CreateLicenseBatch,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.LicenseBatch:
        """Issue many licenses."""
        return cast(api.LicenseBatch, await self._send(
            "POST",
            "license-batches",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def export_keys(
        self,
        id: str,
        *,
        format: Optional[Literal["csv", "ndjson"]] = None,
        bom: Optional[bool] = None,
    ) -> AsyncDownload:
        """Export the keys of a batch."""
        return await self._download(
            "license-batches/{}/keys",
            (id,),
            query={"format": format, "bom": bom},
        )


class AsyncBulkOperations(AsyncResource):
    """The methods of ``bulk_operations``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.BulkOperation]:
        """List changes of many licenses."""
        return AsyncListing(self, "bulk-operations", (), query={"limit": limit})

    async def get(self, id: str) -> api.BulkOperation:
        """Read a change of many licenses."""
        return cast(api.BulkOperation, await self._send("GET", "bulk-operations/{}", (id,)))

    async def create(
        self,
        fields: api.CreateBulkOperation,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.BulkOperation:
        """Change many licenses."""
        return cast(api.BulkOperation, await self._send(
            "POST",
            "bulk-operations",
            (),
            fields=fields,
            fixed={"dry_run": False},
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def preview(
        self,
        fields: api.CreateBulkOperation,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.BulkPreview:
        """Change many licenses."""
        return cast(api.BulkPreview, await self._send(
            "POST",
            "bulk-operations",
            (),
            fields=fields,
            fixed={"dry_run": True},
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def cancel(self, id: str) -> api.BulkOperation:
        """Cancel a running operation."""
        return cast(api.BulkOperation, await self._send("POST", "bulk-operations/{}/cancel", (id,)))

    async def undo(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.BulkOperation:
        """Undo an operation."""
        return cast(api.BulkOperation, await self._send(
            "POST",
            "bulk-operations/{}/undo",
            (id,),
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def export_changes(
        self,
        id: str,
        *,
        format: Optional[Literal["csv", "ndjson"]] = None,
        bom: Optional[bool] = None,
    ) -> AsyncDownload:
        """Export what an operation changed."""
        return await self._download(
            "bulk-operations/{}/changes",
            (id,),
            query={"format": format, "bom": bom},
        )


class AsyncActivations(AsyncResource):
    """The methods of ``activations``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        include: Optional[Literal["details"]] = None,
        license_id: Optional[str] = None,
        status: Optional[api.ActivationStatus] = None,
        fingerprint: Optional[str] = None,
        q: Optional[str] = None,
    ) -> AsyncListing[api.ActivationDetails]:
        """List activations."""
        return AsyncListing(
            self,
            "activations",
            (),
            query={
                "limit": limit,
                "include": include,
                "license_id": license_id,
                "status": status,
                "fingerprint": fingerprint,
                "q": q,
            },
        )

    async def get(
        self,
        id: str,
        *,
        include: Optional[Literal["details"]] = None,
    ) -> api.ActivationDetails:
        """Read an activation."""
        return cast(api.ActivationDetails, await self._send(
            "GET",
            "activations/{}",
            (id,),
            query={"include": include},
        ))

    async def delete(self, id: str) -> api.Deletion:
        """Deactivate a device."""
        return cast(api.Deletion, await self._send("DELETE", "activations/{}", (id,)))


class AsyncCustomers(AsyncResource):
    """The methods of ``customers``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        q: Optional[str] = None,
    ) -> AsyncListing[api.Customer]:
        """List customers."""
        return AsyncListing(self, "customers", (), query={"limit": limit, "q": q})

    async def get(self, email: str) -> api.CustomerDetails:
        """Read a customer."""
        return cast(api.CustomerDetails, await self._send("GET", "customers/{}", (email,)))

    async def update(
        self,
        email: str,
        fields: Optional[api.UpdateCustomer] = None,
    ) -> api.CustomerDetails:
        """Change a customer."""
        return cast(api.CustomerDetails, await self._send("PUT", "customers/{}", (email,), fields=fields))

    async def erase(self, email: str) -> api.Deletion:
        """Erase the personal data of a customer."""
        return cast(api.Deletion, await self._send("DELETE", "customers/{}", (email,)))

    async def export(self, email: str) -> api.CustomerExport:
        """Export the personal data of a customer."""
        return cast(api.CustomerExport, await self._send("GET", "customers/{}/export", (email,)))

    def list_notes(
        self,
        email: str,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.CustomerNote]:
        """List the notes about a customer."""
        return AsyncListing(
            self,
            "customers/{}/notes",
            (email,),
            query={"limit": limit},
        )

    async def create_note(
        self,
        email: str,
        fields: api.CreateCustomerNote,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.CustomerNote:
        """Write a note about a customer."""
        return cast(api.CustomerNote, await self._send(
            "POST",
            "customers/{}/notes",
            (email,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def delete_note(self, email: str, note_id: str) -> api.Deletion:
        """Delete a note about a customer."""
        return cast(api.Deletion, await self._send("DELETE", "customers/{}/notes/{}", (email, note_id)))


class AsyncEntitlements(AsyncResource):
    """The methods of ``entitlements``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        code: Optional[str] = None,
        type: Optional[api.EntitlementType] = None,
    ) -> AsyncListing[api.Entitlement]:
        """List entitlements."""
        return AsyncListing(
            self,
            "entitlements",
            (),
            query={"limit": limit, "code": code, "type": type},
        )

    async def get(self, id: str) -> api.Entitlement:
        """Read an entitlement."""
        return cast(api.Entitlement, await self._send("GET", "entitlements/{}", (id,)))

    async def create(
        self,
        fields: api.CreateEntitlement,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Entitlement:
        """Create an entitlement."""
        return cast(api.Entitlement, await self._send(
            "POST",
            "entitlements",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateEntitlement] = None,
    ) -> api.Entitlement:
        """Change an entitlement."""
        return cast(api.Entitlement, await self._send("PUT", "entitlements/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete an entitlement."""
        return cast(api.Deletion, await self._send("DELETE", "entitlements/{}", (id,)))


class AsyncUsage(AsyncResource):
    """The methods of ``usage``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        license_id: Optional[str] = None,
        entitlement: Optional[str] = None,
        from_: Optional[Timestamp] = None,
        to: Optional[Timestamp] = None,
        interval: Optional[api.UsageInterval] = None,
    ) -> AsyncListing[api.UsageBucket]:
        """List usage."""
        return AsyncListing(
            self,
            "usage",
            (),
            query={
                "limit": limit,
                "license_id": license_id,
                "entitlement": entitlement,
                "from": from_,
                "to": to,
                "interval": interval,
            },
        )

    async def series(
        self,
        *,
        license_id: Optional[str] = None,
        entitlement: Optional[str] = None,
        from_: Optional[Timestamp] = None,
        to: Optional[Timestamp] = None,
        interval: Optional[api.UsageInterval] = None,
    ) -> List[api.UsagePoint]:
        """Sum usage over time."""
        return cast("List[api.UsagePoint]", await self._send(
            "GET",
            "usage/series",
            (),
            query={
                "license_id": license_id,
                "entitlement": entitlement,
                "from": from_,
                "to": to,
                "interval": interval,
            },
        ))


class AsyncMails(AsyncResource):
    """The methods of ``mails``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        type: Optional[api.HolderMailType] = None,
        state: Optional[api.HolderMailState] = None,
        license_id: Optional[str] = None,
        recipient: Optional[str] = None,
    ) -> AsyncListing[api.HolderMail]:
        """List mails to license holders."""
        return AsyncListing(
            self,
            "mails",
            (),
            query={
                "limit": limit,
                "type": type,
                "state": state,
                "license_id": license_id,
                "recipient": recipient,
            },
        )

    async def get(self, id: str) -> api.HolderMail:
        """Read a mail to a license holder."""
        return cast(api.HolderMail, await self._send("GET", "mails/{}", (id,)))

    async def send(
        self,
        fields: api.SendHolderMail,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.HolderMail:
        """Send a license to its holder."""
        return cast(api.HolderMail, await self._send(
            "POST",
            "mails",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def resend(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.HolderMail:
        """Send a mail again."""
        return cast(api.HolderMail, await self._send(
            "POST",
            "mails/{}/resend",
            (id,),
            once=True,
            idempotency_key=idempotency_key,
        ))


class AsyncApiKeys(AsyncResource):
    """The methods of ``api_keys``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        include: Optional[Literal["details"]] = None,
        status: Optional[api.ApiKeyStatus] = None,
    ) -> AsyncListing[api.ApiKey]:
        """List API keys."""
        return AsyncListing(
            self,
            "api-keys",
            (),
            query={"limit": limit, "include": include, "status": status},
        )

    async def get(self, id: str) -> api.ApiKey:
        """Read an API key."""
        return cast(api.ApiKey, await self._send("GET", "api-keys/{}", (id,)))

    async def create(
        self,
        fields: api.CreateApiKey,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.CreatedApiKey:
        """Create an API key."""
        return cast(api.CreatedApiKey, await self._send(
            "POST",
            "api-keys",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateApiKey] = None,
    ) -> api.ApiKey:
        """Change an API key."""
        return cast(api.ApiKey, await self._send("PUT", "api-keys/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Revoke an API key."""
        return cast(api.Deletion, await self._send("DELETE", "api-keys/{}", (id,)))

    async def rotate(
        self,
        id: str,
        fields: Optional[api.RotateApiKey] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.CreatedApiKey:
        """Replace an API key."""
        return cast(api.CreatedApiKey, await self._send(
            "POST",
            "api-keys/{}/rotate",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))


class AsyncSettings(AsyncResource):
    """The methods of ``settings``."""

    async def get(self) -> api.Settings:
        """Read the settings."""
        return cast(api.Settings, await self._send("GET", "settings", ()))

    async def update(
        self,
        fields: Optional[api.UpdateSettings] = None,
    ) -> api.Settings:
        """Change the settings."""
        return cast(api.Settings, await self._send("PUT", "settings", (), fields=fields))


class AsyncWebhooks(AsyncResource):
    """The methods of ``webhooks``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        include: Optional[Literal["details"]] = None,
        status: Optional[api.WebhookStatus] = None,
    ) -> AsyncListing[api.WebhookEndpoint]:
        """List webhook endpoints."""
        return AsyncListing(
            self,
            "webhooks",
            (),
            query={"limit": limit, "include": include, "status": status},
        )

    async def get(
        self,
        id: str,
        *,
        include: Optional[Literal["details"]] = None,
    ) -> api.WebhookEndpoint:
        """Read a webhook endpoint."""
        return cast(api.WebhookEndpoint, await self._send(
            "GET",
            "webhooks/{}",
            (id,),
            query={"include": include},
        ))

    async def create(
        self,
        fields: api.CreateWebhookEndpoint,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.WebhookEndpointWithSecret:
        """Create a webhook endpoint."""
        return cast(api.WebhookEndpointWithSecret, await self._send(
            "POST",
            "webhooks",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateWebhookEndpoint] = None,
    ) -> api.WebhookEndpoint:
        """Change a webhook endpoint."""
        return cast(api.WebhookEndpoint, await self._send("PUT", "webhooks/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete a webhook endpoint."""
        return cast(api.Deletion, await self._send("DELETE", "webhooks/{}", (id,)))

    async def test(self, id: str) -> api.WebhookDelivery:
        """Send a test event."""
        return cast(api.WebhookDelivery, await self._send("POST", "webhooks/{}/test", (id,), acts_again=True))

    async def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.WebhookEndpointWithSecret:
        """Replace the secret."""
        return cast(api.WebhookEndpointWithSecret, await self._send(
            "POST",
            "webhooks/{}/rotate-secret",
            (id,),
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def recover(
        self,
        id: str,
        fields: api.RecoverWebhook,
    ) -> api.RecoveredWebhook:
        """Send missed events again."""
        return cast(api.RecoveredWebhook, await self._send(
            "POST",
            "webhooks/{}/recover",
            (id,),
            fields=fields,
            acts_again=True,
        ))


class AsyncWebhookDeliveries(AsyncResource):
    """The methods of ``webhook_deliveries``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        webhook_id: Optional[str] = None,
        status: Optional[api.WebhookDeliveryStatus] = None,
        event_type: Optional[api.EventType] = None,
        from_: Optional[Timestamp] = None,
        to: Optional[Timestamp] = None,
    ) -> AsyncListing[api.WebhookDeliverySummary]:
        """List webhook deliveries."""
        return AsyncListing(
            self,
            "webhook-deliveries",
            (),
            query={
                "limit": limit,
                "webhook_id": webhook_id,
                "status": status,
                "event_type": event_type,
                "from": from_,
                "to": to,
            },
        )

    async def get(self, id: str) -> api.WebhookDelivery:
        """Read a webhook delivery with its attempts."""
        return cast(api.WebhookDelivery, await self._send("GET", "webhook-deliveries/{}", (id,)))

    async def resend(self, id: str) -> api.WebhookDelivery:
        """Send a delivery again."""
        return cast(api.WebhookDelivery, await self._send(
            "POST",
            "webhook-deliveries/{}/resend",
            (id,),
            acts_again=True,
        ))


class AsyncNotifications(AsyncResource):
    """The methods of ``notifications``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        type: Optional[str] = None,
        severity: Optional[api.Severity] = None,
        unread: Optional[bool] = None,
    ) -> AsyncListing[api.Notification]:
        """List notifications."""
        return AsyncListing(
            self,
            "notifications",
            (),
            query={
                "limit": limit,
                "type": type,
                "severity": severity,
                "unread": unread,
            },
        )

    async def create(
        self,
        fields: api.CreateNotification,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Notification:
        """Create a notification."""
        return cast(api.Notification, await self._send(
            "POST",
            "notifications",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def count_unread(self) -> api.UnreadNotificationCount:
        """Count the unread notifications."""
        return cast(api.UnreadNotificationCount, await self._send("GET", "notifications/unread-count", ()))

    async def mark_read(self, id: str) -> api.Notification:
        """Mark a notification as read."""
        return cast(api.Notification, await self._send("POST", "notifications/{}/read", (id,)))

    async def mark_all_read(self) -> api.ReadCount:
        """Mark all notifications as read."""
        return cast(api.ReadCount, await self._send("POST", "notifications/read-all", ()))


class AsyncAuditLogs(AsyncResource):
    """The methods of ``audit_logs``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        event: Optional[str] = None,
        actor_type: Optional[api.ActorType] = None,
        actor_id: Optional[str] = None,
        resource_type: Optional[str] = None,
        resource_id: Optional[str] = None,
        request_id: Optional[str] = None,
        from_: Optional[Timestamp] = None,
        to: Optional[Timestamp] = None,
    ) -> AsyncListing[api.AuditRecord]:
        """List audit records."""
        return AsyncListing(
            self,
            "audit-logs",
            (),
            query={
                "limit": limit,
                "event": event,
                "actor_type": actor_type,
                "actor_id": actor_id,
                "resource_type": resource_type,
                "resource_id": resource_id,
                "request_id": request_id,
                "from": from_,
                "to": to,
            },
        )

    async def export(
        self,
        *,
        format: Optional[Literal["csv", "ndjson"]] = None,
        bom: Optional[bool] = None,
        event: Optional[str] = None,
        actor_type: Optional[api.ActorType] = None,
        actor_id: Optional[str] = None,
        resource_type: Optional[str] = None,
        resource_id: Optional[str] = None,
        request_id: Optional[str] = None,
        from_: Optional[Timestamp] = None,
        to: Optional[Timestamp] = None,
    ) -> AsyncDownload:
        """Export audit records to a file."""
        return await self._download(
            "audit-logs/export",
            (),
            query={
                "format": format,
                "bom": bom,
                "event": event,
                "actor_type": actor_type,
                "actor_id": actor_id,
                "resource_type": resource_type,
                "resource_id": resource_id,
                "request_id": request_id,
                "from": from_,
                "to": to,
            },
        )


class AsyncConnections(AsyncResource):
    """The methods of ``connections``."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.Connection]:
        """List connections to shops."""
        return AsyncListing(self, "connections", (), query={"limit": limit})

    async def get(self, id: str) -> api.Connection:
        """Read a connection."""
        return cast(api.Connection, await self._send("GET", "connections/{}", (id,)))

    async def create(
        self,
        fields: api.CreateConnection,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.ConnectionWithSecret:
        """Connect a shop."""
        return cast(api.ConnectionWithSecret, await self._send(
            "POST",
            "connections",
            (),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update(
        self,
        id: str,
        fields: Optional[api.UpdateConnection] = None,
    ) -> api.Connection:
        """Change a connection."""
        return cast(api.Connection, await self._send("PUT", "connections/{}", (id,), fields=fields))

    async def delete(self, id: str) -> api.Deletion:
        """Delete a connection."""
        return cast(api.Deletion, await self._send("DELETE", "connections/{}", (id,)))

    async def catalog(self, id: str) -> api.ShopCatalog:
        """List what the shop sells."""
        return cast(api.ShopCatalog, await self._send("GET", "connections/{}/catalog", (id,)))

    async def send_test_sale(
        self,
        id: str,
        fields: Optional[api.SendTestSale] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.TestSale:
        """Send a test sale."""
        return cast(api.TestSale, await self._send(
            "POST",
            "connections/{}/test-sale",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    def list_offers(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.Offer]:
        """List the offers of a connection."""
        return AsyncListing(
            self,
            "connections/{}/offers",
            (id,),
            query={"limit": limit},
        )

    async def create_offer(
        self,
        id: str,
        fields: api.CreateOffer,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Offer:
        """Say what an item of the shop becomes."""
        return cast(api.Offer, await self._send(
            "POST",
            "connections/{}/offers",
            (id,),
            fields=fields,
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def update_offer(
        self,
        id: str,
        offer_id: str,
        fields: Optional[api.UpdateOffer] = None,
    ) -> api.Offer:
        """Change an offer."""
        return cast(api.Offer, await self._send(
            "PUT",
            "connections/{}/offers/{}",
            (id, offer_id),
            fields=fields,
        ))

    async def delete_offer(self, id: str, offer_id: str) -> api.Deletion:
        """Delete an offer."""
        return cast(api.Deletion, await self._send("DELETE", "connections/{}/offers/{}", (id, offer_id)))

    def list_events(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        state: Optional[api.SaleEventState] = None,
        sale_id: Optional[str] = None,
    ) -> AsyncListing[api.SaleEvent]:
        """List the messages of a shop."""
        return AsyncListing(
            self,
            "connections/{}/events",
            (id,),
            query={"limit": limit, "state": state, "sale_id": sale_id},
        )

    async def get_event(self, id: str, event_id: str) -> api.SaleEvent:
        """Read a message of a shop."""
        return cast(api.SaleEvent, await self._send("GET", "connections/{}/events/{}", (id, event_id)))

    async def retry_event(self, id: str, event_id: str) -> api.SaleEvent:
        """Apply a message again."""
        return cast(api.SaleEvent, await self._send(
            "POST",
            "connections/{}/events/{}/retry",
            (id, event_id),
            acts_again=True,
        ))

    def list_sales(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        state: Optional[api.SaleState] = None,
        problem: Optional[Literal["any", "unmapped", "too_many", "limit_reached", "refused", "unusable"]] = None,
        q: Optional[str] = None,
    ) -> AsyncListing[api.Sale]:
        """List what was sold."""
        return AsyncListing(
            self,
            "connections/{}/sales",
            (id,),
            query={"limit": limit, "state": state, "problem": problem, "q": q},
        )

    async def get_sale(self, id: str, sale_id: str) -> api.Sale:
        """Read a sale."""
        return cast(api.Sale, await self._send("GET", "connections/{}/sales/{}", (id, sale_id)))

    async def apply_sale(self, id: str, sale_id: str) -> api.Sale:
        """Apply a sale."""
        return cast(api.Sale, await self._send(
            "POST",
            "connections/{}/sales/{}/apply",
            (id, sale_id),
            acts_again=True,
        ))

    def list_comparisons(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
    ) -> AsyncListing[api.Comparison]:
        """List the comparisons of a connection."""
        return AsyncListing(
            self,
            "connections/{}/comparisons",
            (id,),
            query={"limit": limit},
        )

    async def create_comparison(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.Comparison:
        """Compare a shop with the licenses here."""
        return cast(api.Comparison, await self._send(
            "POST",
            "connections/{}/comparisons",
            (id,),
            once=True,
            idempotency_key=idempotency_key,
        ))

    async def get_comparison(
        self,
        id: str,
        comparison_id: str,
    ) -> api.Comparison:
        """Read a comparison."""
        return cast(api.Comparison, await self._send(
            "GET",
            "connections/{}/comparisons/{}",
            (id, comparison_id),
        ))

    async def apply_comparison(
        self,
        id: str,
        comparison_id: str,
    ) -> api.Comparison:
        """Apply everything that a comparison has found."""
        return cast(api.Comparison, await self._send(
            "POST",
            "connections/{}/comparisons/{}/apply",
            (id, comparison_id),
            acts_again=True,
        ))

    def list_differences(
        self,
        id: str,
        comparison_id: str,
        *,
        limit: Optional[int] = None,
        state: Optional[api.ComparisonDifferenceState] = None,
    ) -> AsyncListing[api.ComparisonDifference]:
        """List what a comparison has found."""
        return AsyncListing(
            self,
            "connections/{}/comparisons/{}/differences",
            (id, comparison_id),
            query={"limit": limit, "state": state},
        )

    async def apply_difference(
        self,
        id: str,
        comparison_id: str,
        difference_id: str,
    ) -> api.ComparisonDifference:
        """Apply a difference."""
        return cast(api.ComparisonDifference, await self._send(
            "POST",
            "connections/{}/comparisons/{}/differences/{}/apply",
            (id, comparison_id, difference_id),
            acts_again=True,
        ))


class AsyncResources(AsyncCaller):
    """The resources of a tenant."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.products = AsyncProducts(self)
        self.policies = AsyncPolicies(self)
        self.releases = AsyncReleases(self)
        self.licenses = AsyncLicenses(self)
        self.license_batches = AsyncLicenseBatches(self)
        self.bulk_operations = AsyncBulkOperations(self)
        self.activations = AsyncActivations(self)
        self.customers = AsyncCustomers(self)
        self.entitlements = AsyncEntitlements(self)
        self.usage = AsyncUsage(self)
        self.mails = AsyncMails(self)
        self.api_keys = AsyncApiKeys(self)
        self.settings = AsyncSettings(self)
        self.webhooks = AsyncWebhooks(self)
        self.webhook_deliveries = AsyncWebhookDeliveries(self)
        self.notifications = AsyncNotifications(self)
        self.audit_logs = AsyncAuditLogs(self)
        self.connections = AsyncConnections(self)
