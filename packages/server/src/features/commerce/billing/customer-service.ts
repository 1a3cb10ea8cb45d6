import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { BillingCustomersTable } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { readVatId } from '../../../lib/vat-id.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { CustomerDetails, PaymentProvider } from '../../../payments/provider.ts';
import type { MailServices, PlatformServices } from '../../../services.ts';
import type { TenantRecord } from '../../../tenancy/tenant-record.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockTenant } from '../../accounts/tenants/service.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { InvoiceParties } from '../invoices/invoice.ts';
import type { Change } from './change-service.ts';
import { findCustomer, insertCustomer, writeCustomer } from './queries.ts';
import type { ChangeDetails } from './schemas.ts';

/** Returns the default billing details of a tenant. */
export function defaultDetails(tenantName: string, ownerEmails: readonly string[]): CustomerDetails {
  return { name: tenantName, email: ownerEmails[0] ?? '', address: null, taxId: null };
}

/**
 * Registers a new tenant as a customer of the payment provider, in the caller's transaction. Has no effect for a tenant
 * that is registered already.
 */
export async function registerCustomer(
  tx: PlatformTransaction,
  customer: Pick<BillingCustomersTable, 'tenant_id' | 'provider' | 'provider_customer_id' | 'created_at'>,
): Promise<void> {
  await insertCustomer(tx, { ...customer, details_json: null, updated_at: customer.created_at });
}

/**
 * Returns the customer of a tenant at the payment provider, and creates it for a tenant that never bought a plan. The
 * provider creates one customer per tenant, however many calls are concurrent. Throws `PaymentProviderError`.
 */
export async function ensureCustomer(
  { platform, clock }: PlatformServices,
  payments: PaymentProvider,
  tenant: Pick<TenantRecord, 'id' | 'name'>,
): Promise<string> {
  const provider = payments.name;
  const known = await findCustomer(platform.query, tenant.id);
  if (known?.provider === provider) return known.provider_customer_id;
  const owners = await listOwnerEmails(platform, tenant.id);
  const stored = known?.details_json ?? null;
  const details = stored === null ? defaultDetails(tenant.name, owners) : JSON.parse(stored);
  const id = await payments.createCustomer(tenant.id, details);
  return await platform.transaction(async (tx) => {
    await lockTenant(tx, tenant.id);
    const current = await findCustomer(tx, tenant.id);
    // A checkout may have made another customer meanwhile, which has the subscription.
    if (current?.provider === provider) return current.provider_customer_id;
    const at = clock.now();
    const customer = { tenant_id: tenant.id, provider, provider_customer_id: id };
    await writeCustomer(tx, { ...customer, created_at: at, updated_at: at });
    return id;
  });
}

const fields = ['name', 'email', 'address', 'taxId'] as const;

/** Returns the customer row of a tenant. Throws 409 `BILLING.NO_SUBSCRIPTION` when the tenant never bought a plan. */
export function requireCustomer({ services, payments, tenant }: Change): Promise<BillingCustomersTable> {
  return requireCustomerOf(services.platform, payments.name, tenant.id);
}

/** Returns the customer id of a tenant at the provider. Throws like `requireCustomer`. */
export async function findProviderCustomer(
  platform: PlatformDb,
  provider: BillingCustomersTable['provider'],
  tenantId: string,
): Promise<string> {
  return (await requireCustomerOf(platform, provider, tenantId)).provider_customer_id;
}

async function requireCustomerOf(
  { query }: PlatformDb,
  provider: BillingCustomersTable['provider'],
  tenantId: string,
): Promise<BillingCustomersTable> {
  const customer = await findCustomer(query, tenantId);
  if (customer?.provider === provider) return customer;
  throw new AppError(
    'BILLING.NO_SUBSCRIPTION',
    'This tenant has not bought a plan yet. Choose one with PUT /api/v1/billing/plan first.',
  );
}

/** Returns the billing details of a customer: the recipient of its invoices. */
export function detailsOf({ details_json }: BillingCustomersTable, byDefault: CustomerDetails): CustomerDetails {
  return details_json === null ? byDefault : JSON.parse(details_json);
}

function apply(before: CustomerDetails, { name, email, address, tax_id }: ChangeDetails): CustomerDetails {
  const given = address && {
    line1: address.line1,
    line2: address.line2 ?? null,
    city: address.city,
    postal_code: address.postal_code ?? null,
    state: address.state ?? null,
    country: address.country,
  };
  return {
    name: name ?? before.name,
    email: email ?? before.email,
    address: given === undefined ? before.address : given,
    taxId: tax_id === undefined ? before.taxId : tax_id,
  };
}

/**
 * Returns the details with a normalised VAT id. Throws 422 for one that is wrong, or of another country than the
 * address. An id that the change does not concern stays as it is.
 */
function withValidTaxId(details: CustomerDetails, { tax_id, address }: ChangeDetails): CustomerDetails {
  const isConcerned = tax_id !== undefined || address !== undefined;
  if (details.taxId === null || !isConcerned) return details;
  const reading = readVatId(details.taxId, details.address?.country ?? null);
  if ('problem' in reading) throw validationError({ field: 'tax_id', message: reading.problem });
  return { ...details, taxId: reading.vatId };
}

interface EnteredDetails {
  readonly tenant: { readonly id: string; readonly name: string };
  readonly owners: readonly string[];
  readonly reading: {
    readonly details: CustomerDetails | undefined;
    readonly subscription: { readonly customerId: string };
    readonly begunAt: Timestamp;
  };
  /** Whether this is the first sync of the subscription. Its checkout is newer than all earlier details. */
  readonly isNew: boolean;
  readonly at: Timestamp;
}

/**
 * Stores the details that a customer entered at a checkout or in the billing portal, in the caller's transaction: they
 * determine the tax, so invoices show them. A name or an email address that the page did not ask for stays. A change
 * that was made here after the reading began wins.
 */
export async function storeEnteredDetails(tx: PlatformTransaction, entered: EnteredDetails): Promise<void> {
  const { tenant, owners, reading, isNew, at } = entered;
  const { details, subscription, begunAt } = reading;
  const customer = await findCustomer(tx, tenant.id);
  if (details === undefined || customer?.provider_customer_id !== subscription.customerId) return;
  if (!isNew && customer.updated_at > begunAt) return;
  const before = detailsOf(customer, defaultDetails(tenant.name, owners));
  const json = JSON.stringify({ ...details, name: details.name || before.name, email: details.email || before.email });
  if (json !== customer.details_json)
    await updateRows(tx, 'billing_customers', { tenant_id: tenant.id }, { details_json: json, updated_at: at });
}

/**
 * Changes the billing details for future invoices, here and at the provider; finalized invoices do not change. The
 * audit record names the changed fields without their values, because these are personal data. Throws 422 for a wrong
 * VAT id.
 */
export async function changeDetails(change: Change, input: ChangeDetails): Promise<CustomerDetails> {
  const { services, payments, tenant, actor } = change;
  const customer = await requireCustomer(change);
  const owners = await listOwnerEmails(services.platform, tenant.id);
  const before = detailsOf(customer, defaultDetails(tenant.name, owners));
  const after = withValidTaxId(apply(before, input), input);
  const changes = changedFields(before, after, fields).map(({ field }) => ({ field, old: null, new: null }));
  // The provider first: it may refuse the change, and repeating the update is harmless.
  await callProvider(() => payments.updateCustomer(customer.provider_customer_id, after));
  if (changes.length === 0 && customer.details_json !== null) return after;
  await services.platform.transaction(async (tx) => {
    await lockTenant(tx, tenant.id);
    const at = services.clock.now();
    await updateRows(
      tx,
      'billing_customers',
      { tenant_id: tenant.id },
      { details_json: JSON.stringify(after), updated_at: at },
    );
    const entry = { event: 'BILLING.DETAILS_UPDATED', resourceType: 'tenant', resourceId: tenant.id, changes, at };
    await recordPlatformAudit(tx, actor, entry);
  });
  return after;
}

/**
 * Returns the customer and the seller of invoices that are finalized now. Mails about invoices go to the billing
 * address, or without one to the owners of the tenant.
 */
export async function findInvoiceParties(
  { config }: MailServices,
  tx: PlatformTransaction,
  tenant: Pick<TenantsTable, 'id' | 'name'>,
  owners: readonly string[],
): Promise<InvoiceParties> {
  const stored = (await findCustomer(tx, tenant.id))?.details_json ?? null;
  const details: CustomerDetails = stored === null ? defaultDetails(tenant.name, owners) : JSON.parse(stored);
  return {
    customerJson: JSON.stringify(details),
    sellerJson: JSON.stringify(config.seller),
    tenantName: tenant.name,
    recipients: stored === null || details.email === '' ? owners : [details.email],
  };
}
