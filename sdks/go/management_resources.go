// Code generated from openapi.json by packages/sdk/scripts/generate-go-management.ts. DO NOT EDIT.

package licensing

import (
	"context"
	"io"

	"licensing.example.com/sdk/api"
)

// ManagementClient manages the licenses of a vendor from the vendor's own backend. Each resource is a field:
// management.Licenses.Create(ctx, api.CreateLicense{…}). Package api has the shapes. Creations, renewals and new keys carry
// an idempotency key, so that a repetition does nothing twice. Goroutines may share one client.
type ManagementClient struct {
	Products          ProductsResource
	Policies          PoliciesResource
	Releases          ReleasesResource
	Licenses          LicensesResource
	LicenseBatches    LicenseBatchesResource
	BulkOperations    BulkOperationsResource
	Activations       ActivationsResource
	Customers         CustomersResource
	Entitlements      EntitlementsResource
	Usage             UsageResource
	Mails             MailsResource
	APIKeys           APIKeysResource
	Settings          SettingsResource
	Webhooks          WebhooksResource
	WebhookDeliveries WebhookDeliveriesResource
	Notifications     NotificationsResource
	AuditLogs         AuditLogsResource
	Connections       ConnectionsResource
}

func managementOf(connection *connection) *ManagementClient {
	return &ManagementClient{
		Products:          ProductsResource{connection},
		Policies:          PoliciesResource{connection},
		Releases:          ReleasesResource{connection},
		Licenses:          LicensesResource{connection},
		LicenseBatches:    LicenseBatchesResource{connection},
		BulkOperations:    BulkOperationsResource{connection},
		Activations:       ActivationsResource{connection},
		Customers:         CustomersResource{connection},
		Entitlements:      EntitlementsResource{connection},
		Usage:             UsageResource{connection},
		Mails:             MailsResource{connection},
		APIKeys:           APIKeysResource{connection},
		Settings:          SettingsResource{connection},
		Webhooks:          WebhooksResource{connection},
		WebhookDeliveries: WebhookDeliveriesResource{connection},
		Notifications:     NotificationsResource{connection},
		AuditLogs:         AuditLogsResource{connection},
		Connections:       ConnectionsResource{connection},
	}
}

// ProductsResource has the methods of ManagementClient.Products.
type ProductsResource struct{ connection *connection }

// List performs listProducts: List products.
func (r ProductsResource) List(query api.ListProductsQuery) *Listing[api.Product] {
	return list[api.Product](r.connection, tenantRequest{method: "GET", path: tenantPath("products"), query: query})
}

// Get performs getProduct: Read a product.
func (r ProductsResource) Get(ctx context.Context, id string) (*api.Product, error) {
	return manage[api.Product](ctx, r.connection, tenantRequest{method: "GET", path: tenantPath("products/{}", id)})
}

// Create performs createProduct: Create a product.
func (r ProductsResource) Create(
	ctx context.Context, fields api.CreateProduct, options ...CallOption,
) (*api.Product, error) {
	return manage[api.Product](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateProduct: Change a product.
func (r ProductsResource) Update(ctx context.Context, id string, fields api.UpdateProduct) (*api.Product, error) {
	return manage[api.Product](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("products/{}", id), fields: fields,
	})
}

// Delete performs deleteProduct: Delete a product.
func (r ProductsResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("products/{}", id),
	})
}

// Archive performs archiveProduct: Archive a product.
func (r ProductsResource) Archive(ctx context.Context, id string) (*api.Product, error) {
	return manage[api.Product](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/archive", id),
	})
}

// Unarchive performs unarchiveProduct: Unarchive a product.
func (r ProductsResource) Unarchive(ctx context.Context, id string) (*api.Product, error) {
	return manage[api.Product](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/unarchive", id),
	})
}

// AllowTrial performs allowTrial: Allow another trial.
func (r ProductsResource) AllowTrial(
	ctx context.Context, id string, fields api.AllowTrial,
) (*api.AllowedTrial, error) {
	return manage[api.AllowedTrial](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/allow-trial", id), fields: fields,
	})
}

// PoliciesResource has the methods of ManagementClient.Policies.
type PoliciesResource struct{ connection *connection }

// List performs listPolicies: List policies.
func (r PoliciesResource) List(query api.ListPoliciesQuery) *Listing[api.Policy] {
	return list[api.Policy](r.connection, tenantRequest{method: "GET", path: tenantPath("policies"), query: query})
}

// Get performs getPolicy: Read a policy.
func (r PoliciesResource) Get(ctx context.Context, id string) (*api.PolicyDetail, error) {
	return manage[api.PolicyDetail](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("policies/{}", id),
	})
}

// Create performs createPolicy: Create a policy.
func (r PoliciesResource) Create(
	ctx context.Context, fields api.CreatePolicy, options ...CallOption,
) (*api.Policy, error) {
	return manage[api.Policy](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("policies"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updatePolicy: Change a policy.
func (r PoliciesResource) Update(ctx context.Context, id string, fields api.UpdatePolicy) (*api.Policy, error) {
	return manage[api.Policy](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("policies/{}", id), fields: fields,
	})
}

// Delete performs deletePolicy: Delete a policy.
func (r PoliciesResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("policies/{}", id),
	})
}

// Archive performs archivePolicy: Archive a policy.
func (r PoliciesResource) Archive(ctx context.Context, id string) (*api.Policy, error) {
	return manage[api.Policy](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("policies/{}/archive", id),
	})
}

// Unarchive performs unarchivePolicy: Unarchive a policy.
func (r PoliciesResource) Unarchive(ctx context.Context, id string) (*api.Policy, error) {
	return manage[api.Policy](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("policies/{}/unarchive", id),
	})
}

// ReleasesResource has the methods of ManagementClient.Releases.
type ReleasesResource struct{ connection *connection }

// List performs listReleases: List the releases of a product, newest version first.
func (r ReleasesResource) List(id string, query api.ListReleasesQuery) *Listing[api.Release] {
	return list[api.Release](r.connection, tenantRequest{
		method: "GET", path: tenantPath("products/{}/releases", id), query: query,
	})
}

// Get performs getRelease: Read a release.
func (r ReleasesResource) Get(ctx context.Context, id, releaseID string) (*api.Release, error) {
	return manage[api.Release](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("products/{}/releases/{}", id, releaseID),
	})
}

// Create performs createRelease: Create a draft of a release.
func (r ReleasesResource) Create(
	ctx context.Context, id string, fields api.CreateRelease, options ...CallOption,
) (*api.Release, error) {
	return manage[api.Release](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/releases", id), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateRelease: Change a draft.
func (r ReleasesResource) Update(
	ctx context.Context, id, releaseID string, fields api.UpdateRelease,
) (*api.Release, error) {
	return manage[api.Release](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("products/{}/releases/{}", id, releaseID), fields: fields,
	})
}

// Delete performs deleteRelease: Delete a draft.
func (r ReleasesResource) Delete(ctx context.Context, id, releaseID string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("products/{}/releases/{}", id, releaseID),
	})
}

// Publish performs publishRelease: Publish a release.
func (r ReleasesResource) Publish(ctx context.Context, id, releaseID string) (*api.Release, error) {
	return manage[api.Release](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/releases/{}/publish", id, releaseID),
	})
}

// Yank performs yankRelease: Withdraw a published release.
func (r ReleasesResource) Yank(
	ctx context.Context, id, releaseID string, fields api.YankRelease,
) (*api.Release, error) {
	return manage[api.Release](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("products/{}/releases/{}/yank", id, releaseID), fields: fields,
	})
}

// Downloads performs listReleaseDownloads: Read the downloads of a release by day.
func (r ReleasesResource) Downloads(
	ctx context.Context, id, releaseID string, query ...api.ListReleaseDownloadsQuery,
) ([]*api.ReleaseDownloads, error) {
	return manageAll[api.ReleaseDownloads](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("products/{}/releases/{}/downloads", id, releaseID), query: first(query),
	})
}

// LicensesResource has the methods of ManagementClient.Licenses.
type LicensesResource struct{ connection *connection }

// List performs listLicenses: List licenses.
func (r LicensesResource) List(query api.ListLicensesQuery) *Listing[api.LicenseDetails] {
	return list[api.LicenseDetails](r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses"), query: query,
	})
}

// Get performs getLicense: Read a license.
func (r LicensesResource) Get(
	ctx context.Context, id string, query ...api.GetLicenseQuery,
) (*api.LicenseDetails, error) {
	return manage[api.LicenseDetails](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses/{}", id), query: first(query),
	})
}

// Create performs createLicense: Issue a license.
func (r LicensesResource) Create(
	ctx context.Context, fields api.CreateLicense, options ...CallOption,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateLicense: Change a license.
func (r LicensesResource) Update(ctx context.Context, id string, fields api.UpdateLicense) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("licenses/{}", id), fields: fields,
	})
}

// Delete performs deleteLicense: Delete a license.
func (r LicensesResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("licenses/{}", id),
	})
}

// Suspend performs suspendLicense: Suspend a license.
func (r LicensesResource) Suspend(
	ctx context.Context, id string, fields api.LicenseTransition,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/suspend", id), fields: fields,
	})
}

// Reinstate performs reinstateLicense: Reinstate a suspended license.
func (r LicensesResource) Reinstate(
	ctx context.Context, id string, fields api.LicenseTransition,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/reinstate", id), fields: fields,
	})
}

// Revoke performs revokeLicense: Revoke a license permanently.
func (r LicensesResource) Revoke(
	ctx context.Context, id string, fields api.LicenseRevocation,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/revoke", id), fields: fields,
	})
}

// Renew performs renewLicense: Renew a license.
func (r LicensesResource) Renew(
	ctx context.Context, id string, fields api.LicenseRenewal, options ...CallOption,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/renew", id), fields: fields, isOnce: true, options: options,
	})
}

// RotateKey performs rotateLicenseKey: Replace the key of a license.
func (r LicensesResource) RotateKey(
	ctx context.Context, id string, fields api.LicenseAction, options ...CallOption,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/rotate-key", id), fields: fields, isOnce: true, options: options,
	})
}

// Convert performs convertLicense: Convert a trial.
func (r LicensesResource) Convert(
	ctx context.Context, id string, fields api.ConvertLicense, options ...CallOption,
) (*api.License, error) {
	return manage[api.License](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/convert", id), fields: fields, isOnce: true, options: options,
	})
}

// Validate performs tryLicense: Validate a license by its id.
func (r LicensesResource) Validate(
	ctx context.Context, id string, fields api.ValidateLicense,
) (*api.Verdict, error) {
	return manage[api.Verdict](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/validate", id), fields: fields,
	})
}

// Activate performs activateDevice: Activate a device by the id of the license.
func (r LicensesResource) Activate(
	ctx context.Context, id string, fields api.CreateActivation, options ...CallOption,
) (*api.Activation, error) {
	return manage[api.Activation](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/activations", id), fields: fields, isOnce: true, options: options,
	})
}

// Checks performs listLicenseChecks: List the checks of a license.
func (r LicensesResource) Checks(
	ctx context.Context, id string, query ...api.ListLicenseChecksQuery,
) ([]*api.LicenseCheck, error) {
	return manageAll[api.LicenseCheck](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses/{}/checks", id), query: first(query),
	})
}

// CheckEntitlements performs listLicenseEntitlements: Read the effective entitlements of a license.
func (r LicensesResource) CheckEntitlements(ctx context.Context, id string) (*api.EntitlementChecks, error) {
	return manage[api.EntitlementChecks](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses/{}/entitlements", id),
	})
}

// IssueCertificate performs issueLicenseCertificate: Issue an offline certificate by the id of the license.
func (r LicensesResource) IssueCertificate(
	ctx context.Context, id string, fields api.IssueCertificate,
) (*api.Certificate, error) {
	return manage[api.Certificate](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/certificate", id), fields: fields,
	})
}

// CreatePortalLink performs createPortalLink: Create a link to the portal for the holder of a license.
func (r LicensesResource) CreatePortalLink(ctx context.Context, id string) (*api.PortalLink, error) {
	return manage[api.PortalLink](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/{}/portal-link", id),
	})
}

// GetSale performs getLicenseSale: Read the sale of a license.
func (r LicensesResource) GetSale(ctx context.Context, id string) (*api.LicenseSale, error) {
	return manage[api.LicenseSale](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses/{}/sale", id), isNullable: true,
	})
}

// Import performs importLicenses: Import licenses from a file.
func (r LicensesResource) Import(
	ctx context.Context, content ImportContent, query api.ImportLicensesQuery, options ...CallOption,
) (*api.ImportResult, error) {
	return manage[api.ImportResult](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/import"), query: query, content: &content, isOnce: true, options: options,
	})
}

// StartImport performs importLicenses: Import licenses from a file.
func (r LicensesResource) StartImport(
	ctx context.Context, content ImportContent, query api.ImportLicensesQuery, options ...CallOption,
) (*api.LicenseImport, error) {
	return manage[api.LicenseImport](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/import"), query: query, content: &content, isBackground: true, isOnce: true, options: options,
	})
}

// GetImport performs getLicenseImport: Read the progress of an import.
func (r LicensesResource) GetImport(ctx context.Context, id string) (*api.LicenseImport, error) {
	return manage[api.LicenseImport](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("licenses/imports/{}", id),
	})
}

// CancelImport performs cancelLicenseImport: Cancel a running import.
func (r LicensesResource) CancelImport(ctx context.Context, id string) (*api.LicenseImport, error) {
	return manage[api.LicenseImport](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("licenses/imports/{}/cancel", id),
	})
}

// Export performs exportLicenses: Export licenses to a file.
func (r LicensesResource) Export(ctx context.Context, query api.ExportLicensesQuery) (io.ReadCloser, error) {
	return r.connection.download(ctx, tenantRequest{method: "GET", path: tenantPath("licenses/export"), query: query})
}

// LicenseBatchesResource has the methods of ManagementClient.LicenseBatches.
type LicenseBatchesResource struct{ connection *connection }

// List performs listLicenseBatches: List batches of licenses.
func (r LicenseBatchesResource) List(query api.ListLicenseBatchesQuery) *Listing[api.LicenseBatch] {
	return list[api.LicenseBatch](r.connection, tenantRequest{
		method: "GET", path: tenantPath("license-batches"), query: query,
	})
}

// Get performs getLicenseBatch: Read a batch of licenses.
func (r LicenseBatchesResource) Get(
	ctx context.Context, id string, query ...api.GetLicenseBatchQuery,
) (*api.LicenseBatch, error) {
	return manage[api.LicenseBatch](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("license-batches/{}", id), query: first(query),
	})
}

// Create performs createLicenseBatch: Issue many licenses.
func (r LicenseBatchesResource) Create(
	ctx context.Context, fields api.CreateLicenseBatch, options ...CallOption,
) (*api.LicenseBatch, error) {
	return manage[api.LicenseBatch](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("license-batches"), fields: fields, isOnce: true, options: options,
	})
}

// ExportKeys performs exportBatchKeys: Export the keys of a batch.
func (r LicenseBatchesResource) ExportKeys(
	ctx context.Context, id string, query api.ExportBatchKeysQuery,
) (io.ReadCloser, error) {
	return r.connection.download(ctx, tenantRequest{
		method: "GET", path: tenantPath("license-batches/{}/keys", id), query: query,
	})
}

// BulkOperationsResource has the methods of ManagementClient.BulkOperations.
type BulkOperationsResource struct{ connection *connection }

// List performs listBulkOperations: List changes of many licenses.
func (r BulkOperationsResource) List(query api.ListBulkOperationsQuery) *Listing[api.BulkOperation] {
	return list[api.BulkOperation](r.connection, tenantRequest{
		method: "GET", path: tenantPath("bulk-operations"), query: query,
	})
}

// Get performs getBulkOperation: Read a change of many licenses.
func (r BulkOperationsResource) Get(ctx context.Context, id string) (*api.BulkOperation, error) {
	return manage[api.BulkOperation](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("bulk-operations/{}", id),
	})
}

// Create performs createBulkOperation: Change many licenses.
func (r BulkOperationsResource) Create(
	ctx context.Context, fields api.CreateBulkOperation, options ...CallOption,
) (*api.BulkOperation, error) {
	return manage[api.BulkOperation](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("bulk-operations"), fields: fields, fixed: map[string]any{"dry_run": false}, isOnce: true, options: options,
	})
}

// Preview performs createBulkOperation: Change many licenses.
func (r BulkOperationsResource) Preview(
	ctx context.Context, fields api.CreateBulkOperation, options ...CallOption,
) (*api.BulkPreview, error) {
	return manage[api.BulkPreview](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("bulk-operations"), fields: fields, fixed: map[string]any{"dry_run": true}, isOnce: true, options: options,
	})
}

// Cancel performs cancelBulkOperation: Cancel a running operation.
func (r BulkOperationsResource) Cancel(ctx context.Context, id string) (*api.BulkOperation, error) {
	return manage[api.BulkOperation](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("bulk-operations/{}/cancel", id),
	})
}

// Undo performs undoBulkOperation: Undo an operation.
func (r BulkOperationsResource) Undo(
	ctx context.Context, id string, options ...CallOption,
) (*api.BulkOperation, error) {
	return manage[api.BulkOperation](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("bulk-operations/{}/undo", id), isOnce: true, options: options,
	})
}

// ExportChanges performs exportBulkChanges: Export what an operation changed.
func (r BulkOperationsResource) ExportChanges(
	ctx context.Context, id string, query api.ExportBulkChangesQuery,
) (io.ReadCloser, error) {
	return r.connection.download(ctx, tenantRequest{
		method: "GET", path: tenantPath("bulk-operations/{}/changes", id), query: query,
	})
}

// ActivationsResource has the methods of ManagementClient.Activations.
type ActivationsResource struct{ connection *connection }

// List performs listActivations: List activations.
func (r ActivationsResource) List(query api.ListActivationsQuery) *Listing[api.ActivationDetails] {
	return list[api.ActivationDetails](r.connection, tenantRequest{
		method: "GET", path: tenantPath("activations"), query: query,
	})
}

// Get performs getActivation: Read an activation.
func (r ActivationsResource) Get(
	ctx context.Context, id string, query ...api.GetActivationQuery,
) (*api.ActivationDetails, error) {
	return manage[api.ActivationDetails](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("activations/{}", id), query: first(query),
	})
}

// Delete performs releaseActivation: Deactivate a device.
func (r ActivationsResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("activations/{}", id),
	})
}

// CustomersResource has the methods of ManagementClient.Customers.
type CustomersResource struct{ connection *connection }

// List performs listCustomers: List customers.
func (r CustomersResource) List(query api.ListCustomersQuery) *Listing[api.Customer] {
	return list[api.Customer](r.connection, tenantRequest{method: "GET", path: tenantPath("customers"), query: query})
}

// Get performs getCustomer: Read a customer.
func (r CustomersResource) Get(ctx context.Context, email string) (*api.CustomerDetails, error) {
	return manage[api.CustomerDetails](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("customers/{}", email),
	})
}

// Update performs updateCustomer: Change a customer.
func (r CustomersResource) Update(
	ctx context.Context, email string, fields api.UpdateCustomer,
) (*api.CustomerDetails, error) {
	return manage[api.CustomerDetails](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("customers/{}", email), fields: fields,
	})
}

// Erase performs eraseCustomer: Erase the personal data of a customer.
func (r CustomersResource) Erase(ctx context.Context, email string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("customers/{}", email),
	})
}

// Export performs exportCustomer: Export the personal data of a customer.
func (r CustomersResource) Export(ctx context.Context, email string) (*api.CustomerExport, error) {
	return manage[api.CustomerExport](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("customers/{}/export", email),
	})
}

// ListNotes performs listCustomerNotes: List the notes about a customer.
func (r CustomersResource) ListNotes(email string, query api.ListCustomerNotesQuery) *Listing[api.CustomerNote] {
	return list[api.CustomerNote](r.connection, tenantRequest{
		method: "GET", path: tenantPath("customers/{}/notes", email), query: query,
	})
}

// CreateNote performs createCustomerNote: Write a note about a customer.
func (r CustomersResource) CreateNote(
	ctx context.Context, email string, fields api.CreateCustomerNote, options ...CallOption,
) (*api.CustomerNote, error) {
	return manage[api.CustomerNote](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("customers/{}/notes", email), fields: fields, isOnce: true, options: options,
	})
}

// DeleteNote performs deleteCustomerNote: Delete a note about a customer.
func (r CustomersResource) DeleteNote(ctx context.Context, email, noteID string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("customers/{}/notes/{}", email, noteID),
	})
}

// EntitlementsResource has the methods of ManagementClient.Entitlements.
type EntitlementsResource struct{ connection *connection }

// List performs listEntitlements: List entitlements.
func (r EntitlementsResource) List(query api.ListEntitlementsQuery) *Listing[api.Entitlement] {
	return list[api.Entitlement](r.connection, tenantRequest{
		method: "GET", path: tenantPath("entitlements"), query: query,
	})
}

// Get performs getEntitlement: Read an entitlement.
func (r EntitlementsResource) Get(ctx context.Context, id string) (*api.Entitlement, error) {
	return manage[api.Entitlement](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("entitlements/{}", id),
	})
}

// Create performs createEntitlement: Create an entitlement.
func (r EntitlementsResource) Create(
	ctx context.Context, fields api.CreateEntitlement, options ...CallOption,
) (*api.Entitlement, error) {
	return manage[api.Entitlement](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("entitlements"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateEntitlement: Change an entitlement.
func (r EntitlementsResource) Update(
	ctx context.Context, id string, fields api.UpdateEntitlement,
) (*api.Entitlement, error) {
	return manage[api.Entitlement](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("entitlements/{}", id), fields: fields,
	})
}

// Delete performs deleteEntitlement: Delete an entitlement.
func (r EntitlementsResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("entitlements/{}", id),
	})
}

// UsageResource has the methods of ManagementClient.Usage.
type UsageResource struct{ connection *connection }

// List performs listUsage: List usage.
func (r UsageResource) List(query api.ListUsageQuery) *Listing[api.UsageBucket] {
	return list[api.UsageBucket](r.connection, tenantRequest{method: "GET", path: tenantPath("usage"), query: query})
}

// Series performs getUsageSeries: Sum usage over time.
func (r UsageResource) Series(ctx context.Context, query ...api.GetUsageSeriesQuery) ([]*api.UsagePoint, error) {
	return manageAll[api.UsagePoint](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("usage/series"), query: first(query),
	})
}

// MailsResource has the methods of ManagementClient.Mails.
type MailsResource struct{ connection *connection }

// List performs listHolderMails: List mails to license holders.
func (r MailsResource) List(query api.ListHolderMailsQuery) *Listing[api.HolderMail] {
	return list[api.HolderMail](r.connection, tenantRequest{method: "GET", path: tenantPath("mails"), query: query})
}

// Get performs getHolderMail: Read a mail to a license holder.
func (r MailsResource) Get(ctx context.Context, id string) (*api.HolderMail, error) {
	return manage[api.HolderMail](ctx, r.connection, tenantRequest{method: "GET", path: tenantPath("mails/{}", id)})
}

// Send performs sendHolderMail: Send a license to its holder.
func (r MailsResource) Send(
	ctx context.Context, fields api.SendHolderMail, options ...CallOption,
) (*api.HolderMail, error) {
	return manage[api.HolderMail](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("mails"), fields: fields, isOnce: true, options: options,
	})
}

// Resend performs resendHolderMail: Send a mail again.
func (r MailsResource) Resend(ctx context.Context, id string, options ...CallOption) (*api.HolderMail, error) {
	return manage[api.HolderMail](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("mails/{}/resend", id), isOnce: true, options: options,
	})
}

// APIKeysResource has the methods of ManagementClient.APIKeys.
type APIKeysResource struct{ connection *connection }

// List performs listApiKeys: List API keys.
func (r APIKeysResource) List(query api.ListAPIKeysQuery) *Listing[api.APIKey] {
	return list[api.APIKey](r.connection, tenantRequest{method: "GET", path: tenantPath("api-keys"), query: query})
}

// Get performs getApiKey: Read an API key.
func (r APIKeysResource) Get(ctx context.Context, id string) (*api.APIKey, error) {
	return manage[api.APIKey](ctx, r.connection, tenantRequest{method: "GET", path: tenantPath("api-keys/{}", id)})
}

// Create performs createApiKey: Create an API key.
func (r APIKeysResource) Create(
	ctx context.Context, fields api.CreateAPIKey, options ...CallOption,
) (*api.CreatedAPIKey, error) {
	return manage[api.CreatedAPIKey](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("api-keys"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateApiKey: Change an API key.
func (r APIKeysResource) Update(ctx context.Context, id string, fields api.UpdateAPIKey) (*api.APIKey, error) {
	return manage[api.APIKey](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("api-keys/{}", id), fields: fields,
	})
}

// Delete performs revokeApiKey: Revoke an API key.
func (r APIKeysResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("api-keys/{}", id),
	})
}

// Rotate performs rotateApiKey: Replace an API key.
func (r APIKeysResource) Rotate(
	ctx context.Context, id string, fields api.RotateAPIKey, options ...CallOption,
) (*api.CreatedAPIKey, error) {
	return manage[api.CreatedAPIKey](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("api-keys/{}/rotate", id), fields: fields, isOnce: true, options: options,
	})
}

// SettingsResource has the methods of ManagementClient.Settings.
type SettingsResource struct{ connection *connection }

// Get performs getSettings: Read the settings.
func (r SettingsResource) Get(ctx context.Context) (*api.Settings, error) {
	return manage[api.Settings](ctx, r.connection, tenantRequest{method: "GET", path: tenantPath("settings")})
}

// Update performs updateSettings: Change the settings.
func (r SettingsResource) Update(ctx context.Context, fields api.UpdateSettings) (*api.Settings, error) {
	return manage[api.Settings](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("settings"), fields: fields,
	})
}

// WebhooksResource has the methods of ManagementClient.Webhooks.
type WebhooksResource struct{ connection *connection }

// List performs listWebhooks: List webhook endpoints.
func (r WebhooksResource) List(query api.ListWebhooksQuery) *Listing[api.WebhookEndpoint] {
	return list[api.WebhookEndpoint](r.connection, tenantRequest{
		method: "GET", path: tenantPath("webhooks"), query: query,
	})
}

// Get performs getWebhook: Read a webhook endpoint.
func (r WebhooksResource) Get(
	ctx context.Context, id string, query ...api.GetWebhookQuery,
) (*api.WebhookEndpoint, error) {
	return manage[api.WebhookEndpoint](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("webhooks/{}", id), query: first(query),
	})
}

// Create performs createWebhook: Create a webhook endpoint.
func (r WebhooksResource) Create(
	ctx context.Context, fields api.CreateWebhookEndpoint, options ...CallOption,
) (*api.WebhookEndpointWithSecret, error) {
	return manage[api.WebhookEndpointWithSecret](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("webhooks"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateWebhook: Change a webhook endpoint.
func (r WebhooksResource) Update(
	ctx context.Context, id string, fields api.UpdateWebhookEndpoint,
) (*api.WebhookEndpoint, error) {
	return manage[api.WebhookEndpoint](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("webhooks/{}", id), fields: fields,
	})
}

// Delete performs deleteWebhook: Delete a webhook endpoint.
func (r WebhooksResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("webhooks/{}", id),
	})
}

// Test performs testWebhook: Send a test event.
func (r WebhooksResource) Test(ctx context.Context, id string) (*api.WebhookDelivery, error) {
	return manage[api.WebhookDelivery](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("webhooks/{}/test", id), actsAgain: true,
	})
}

// RotateSecret performs rotateWebhookSecret: Replace the secret.
func (r WebhooksResource) RotateSecret(
	ctx context.Context, id string, options ...CallOption,
) (*api.WebhookEndpointWithSecret, error) {
	return manage[api.WebhookEndpointWithSecret](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("webhooks/{}/rotate-secret", id), isOnce: true, options: options,
	})
}

// Recover performs recoverWebhook: Send missed events again.
func (r WebhooksResource) Recover(
	ctx context.Context, id string, fields api.RecoverWebhook,
) (*api.RecoveredWebhook, error) {
	return manage[api.RecoveredWebhook](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("webhooks/{}/recover", id), fields: fields, actsAgain: true,
	})
}

// WebhookDeliveriesResource has the methods of ManagementClient.WebhookDeliveries.
type WebhookDeliveriesResource struct{ connection *connection }

// List performs listWebhookDeliveries: List webhook deliveries.
func (r WebhookDeliveriesResource) List(
	query api.ListWebhookDeliveriesQuery,
) *Listing[api.WebhookDeliverySummary] {
	return list[api.WebhookDeliverySummary](r.connection, tenantRequest{
		method: "GET", path: tenantPath("webhook-deliveries"), query: query,
	})
}

// Get performs getWebhookDelivery: Read a webhook delivery with its attempts.
func (r WebhookDeliveriesResource) Get(ctx context.Context, id string) (*api.WebhookDelivery, error) {
	return manage[api.WebhookDelivery](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("webhook-deliveries/{}", id),
	})
}

// Resend performs resendWebhookDelivery: Send a delivery again.
func (r WebhookDeliveriesResource) Resend(ctx context.Context, id string) (*api.WebhookDelivery, error) {
	return manage[api.WebhookDelivery](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("webhook-deliveries/{}/resend", id), actsAgain: true,
	})
}

// NotificationsResource has the methods of ManagementClient.Notifications.
type NotificationsResource struct{ connection *connection }

// List performs listNotifications: List notifications.
func (r NotificationsResource) List(query api.ListNotificationsQuery) *Listing[api.Notification] {
	return list[api.Notification](r.connection, tenantRequest{
		method: "GET", path: tenantPath("notifications"), query: query,
	})
}

// Create performs createNotification: Create a notification.
func (r NotificationsResource) Create(
	ctx context.Context, fields api.CreateNotification, options ...CallOption,
) (*api.Notification, error) {
	return manage[api.Notification](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("notifications"), fields: fields, isOnce: true, options: options,
	})
}

// CountUnread performs countUnreadNotifications: Count the unread notifications.
func (r NotificationsResource) CountUnread(ctx context.Context) (*api.UnreadNotificationCount, error) {
	return manage[api.UnreadNotificationCount](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("notifications/unread-count"),
	})
}

// MarkRead performs markNotificationRead: Mark a notification as read.
func (r NotificationsResource) MarkRead(ctx context.Context, id string) (*api.Notification, error) {
	return manage[api.Notification](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("notifications/{}/read", id),
	})
}

// MarkAllRead performs markAllNotificationsRead: Mark all notifications as read.
func (r NotificationsResource) MarkAllRead(ctx context.Context) (*api.ReadCount, error) {
	return manage[api.ReadCount](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("notifications/read-all"),
	})
}

// AuditLogsResource has the methods of ManagementClient.AuditLogs.
type AuditLogsResource struct{ connection *connection }

// List performs listAuditLogs: List audit records.
func (r AuditLogsResource) List(query api.ListAuditLogsQuery) *Listing[api.AuditRecord] {
	return list[api.AuditRecord](r.connection, tenantRequest{
		method: "GET", path: tenantPath("audit-logs"), query: query,
	})
}

// Export performs exportAuditLogs: Export audit records to a file.
func (r AuditLogsResource) Export(ctx context.Context, query api.ExportAuditLogsQuery) (io.ReadCloser, error) {
	return r.connection.download(ctx, tenantRequest{
		method: "GET", path: tenantPath("audit-logs/export"), query: query,
	})
}

// ConnectionsResource has the methods of ManagementClient.Connections.
type ConnectionsResource struct{ connection *connection }

// List performs listConnections: List connections to shops.
func (r ConnectionsResource) List(query api.ListConnectionsQuery) *Listing[api.Connection] {
	return list[api.Connection](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections"), query: query,
	})
}

// Get performs getConnection: Read a connection.
func (r ConnectionsResource) Get(ctx context.Context, id string) (*api.Connection, error) {
	return manage[api.Connection](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}", id),
	})
}

// Create performs createConnection: Connect a shop.
func (r ConnectionsResource) Create(
	ctx context.Context, fields api.CreateConnection, options ...CallOption,
) (*api.ConnectionWithSecret, error) {
	return manage[api.ConnectionWithSecret](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections"), fields: fields, isOnce: true, options: options,
	})
}

// Update performs updateConnection: Change a connection.
func (r ConnectionsResource) Update(
	ctx context.Context, id string, fields api.UpdateConnection,
) (*api.Connection, error) {
	return manage[api.Connection](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("connections/{}", id), fields: fields,
	})
}

// Delete performs deleteConnection: Delete a connection.
func (r ConnectionsResource) Delete(ctx context.Context, id string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("connections/{}", id),
	})
}

// Catalog performs listShopOffers: List what the shop sells.
func (r ConnectionsResource) Catalog(ctx context.Context, id string) (*api.ShopCatalog, error) {
	return manage[api.ShopCatalog](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/catalog", id),
	})
}

// SendTestSale performs sendTestSale: Send a test sale.
func (r ConnectionsResource) SendTestSale(
	ctx context.Context, id string, fields api.SendTestSale, options ...CallOption,
) (*api.TestSale, error) {
	return manage[api.TestSale](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/test-sale", id), fields: fields, isOnce: true, options: options,
	})
}

// ListOffers performs listOffers: List the offers of a connection.
func (r ConnectionsResource) ListOffers(id string, query api.ListOffersQuery) *Listing[api.Offer] {
	return list[api.Offer](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/offers", id), query: query,
	})
}

// CreateOffer performs createOffer: Say what an item of the shop becomes.
func (r ConnectionsResource) CreateOffer(
	ctx context.Context, id string, fields api.CreateOffer, options ...CallOption,
) (*api.Offer, error) {
	return manage[api.Offer](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/offers", id), fields: fields, isOnce: true, options: options,
	})
}

// UpdateOffer performs updateOffer: Change an offer.
func (r ConnectionsResource) UpdateOffer(
	ctx context.Context, id, offerID string, fields api.UpdateOffer,
) (*api.Offer, error) {
	return manage[api.Offer](ctx, r.connection, tenantRequest{
		method: "PUT", path: tenantPath("connections/{}/offers/{}", id, offerID), fields: fields,
	})
}

// DeleteOffer performs deleteOffer: Delete an offer.
func (r ConnectionsResource) DeleteOffer(ctx context.Context, id, offerID string) (*api.Deletion, error) {
	return manage[api.Deletion](ctx, r.connection, tenantRequest{
		method: "DELETE", path: tenantPath("connections/{}/offers/{}", id, offerID),
	})
}

// ListEvents performs listSaleEvents: List the messages of a shop.
func (r ConnectionsResource) ListEvents(id string, query api.ListSaleEventsQuery) *Listing[api.SaleEvent] {
	return list[api.SaleEvent](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/events", id), query: query,
	})
}

// GetEvent performs getSaleEvent: Read a message of a shop.
func (r ConnectionsResource) GetEvent(ctx context.Context, id, eventID string) (*api.SaleEvent, error) {
	return manage[api.SaleEvent](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/events/{}", id, eventID),
	})
}

// RetryEvent performs retrySaleEvent: Apply a message again.
func (r ConnectionsResource) RetryEvent(ctx context.Context, id, eventID string) (*api.SaleEvent, error) {
	return manage[api.SaleEvent](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/events/{}/retry", id, eventID), actsAgain: true,
	})
}

// ListSales performs listSales: List what was sold.
func (r ConnectionsResource) ListSales(id string, query api.ListSalesQuery) *Listing[api.Sale] {
	return list[api.Sale](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/sales", id), query: query,
	})
}

// GetSale performs getSale: Read a sale.
func (r ConnectionsResource) GetSale(ctx context.Context, id, saleID string) (*api.Sale, error) {
	return manage[api.Sale](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/sales/{}", id, saleID),
	})
}

// ApplySale performs applySale: Apply a sale.
func (r ConnectionsResource) ApplySale(ctx context.Context, id, saleID string) (*api.Sale, error) {
	return manage[api.Sale](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/sales/{}/apply", id, saleID), actsAgain: true,
	})
}

// ListComparisons performs listComparisons: List the comparisons of a connection.
func (r ConnectionsResource) ListComparisons(id string, query api.ListComparisonsQuery) *Listing[api.Comparison] {
	return list[api.Comparison](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/comparisons", id), query: query,
	})
}

// CreateComparison performs createComparison: Compare a shop with the licenses here.
func (r ConnectionsResource) CreateComparison(
	ctx context.Context, id string, options ...CallOption,
) (*api.Comparison, error) {
	return manage[api.Comparison](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/comparisons", id), isOnce: true, options: options,
	})
}

// GetComparison performs getComparison: Read a comparison.
func (r ConnectionsResource) GetComparison(ctx context.Context, id, comparisonID string) (*api.Comparison, error) {
	return manage[api.Comparison](ctx, r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/comparisons/{}", id, comparisonID),
	})
}

// ApplyComparison performs applyComparison: Apply everything that a comparison has found.
func (r ConnectionsResource) ApplyComparison(
	ctx context.Context, id, comparisonID string,
) (*api.Comparison, error) {
	return manage[api.Comparison](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/comparisons/{}/apply", id, comparisonID), actsAgain: true,
	})
}

// ListDifferences performs listDifferences: List what a comparison has found.
func (r ConnectionsResource) ListDifferences(
	id, comparisonID string, query api.ListDifferencesQuery,
) *Listing[api.ComparisonDifference] {
	return list[api.ComparisonDifference](r.connection, tenantRequest{
		method: "GET", path: tenantPath("connections/{}/comparisons/{}/differences", id, comparisonID), query: query,
	})
}

// ApplyDifference performs applyDifference: Apply a difference.
func (r ConnectionsResource) ApplyDifference(
	ctx context.Context, id, comparisonID, differenceID string,
) (*api.ComparisonDifference, error) {
	return manage[api.ComparisonDifference](ctx, r.connection, tenantRequest{
		method: "POST", path: tenantPath("connections/{}/comparisons/{}/differences/{}/apply", id, comparisonID, differenceID), actsAgain: true,
	})
}
