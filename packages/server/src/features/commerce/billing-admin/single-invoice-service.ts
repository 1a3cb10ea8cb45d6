import { AppError, validationError } from '../../../lib/error.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findTenantRecord, type TenantRecord } from '../../../tenancy/tenant-record.ts';
import { lockBilledTenant } from '../../accounts/tenants/billing-service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { ensureCustomer } from '../billing/customer-service.ts';
import { syncInvoice, syncStoredInvoice } from '../billing/invoice-sync-service.ts';
import type { NamedInvoice } from '../invoices/invoice.ts';
import { requireInvoice } from '../invoices/service.ts';
import { deleteDraft, findInvoiceByProvider } from '../invoices/sync-service.ts';
import { maxAmount } from '../plans/schemas.ts';
import type { CreateInvoice } from './invoice-schemas.ts';

/**
 * Creates the draft of a single invoice at the provider, and the tenant's customer if it has none, and returns the
 * draft. A call with the same id continues the same creation. Throws 422 for an unknown or closed tenant and for lines
 * whose sum is not payable.
 */
export async function createInvoice(
  services: Services,
  actor: Actor,
  id: string,
  input: CreateInvoice,
): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const tenant = await requireOpenTenant(services, input.tenant_id);
  const total = totalOf(input);
  const { currency, due_in_days: dueInDays } = input;
  const lines = input.lines.map(({ description, quantity, unit_amount }) => {
    return { description, quantity, unitAmount: unit_amount };
  });
  const changes = [
    { field: 'tenant_id', old: null, new: tenant.id },
    { field: 'currency', old: null, new: currency },
    { field: 'subtotal', old: null, new: total },
  ];
  const providerId = await callProvider(async () => {
    const customerId = await ensureCustomer(services, payments, tenant);
    const draft = await payments.createInvoice(customerId, { reference: id, currency, lines, dueInDays });
    const entry = { event: 'INVOICE.CREATED', resourceType: 'invoice', resourceId: id, changes };
    await syncInvoice(services, payments, draft.id, { creation: { id, cause: { actor, entry } } });
    return draft.id;
  });
  const stored = await findInvoiceByProvider(services.platform.query, payments.name, providerId);
  if (stored === undefined) throw new Error(`The draft ${providerId} of the payment provider was not stored.`);
  return await requireInvoice(services.platform, stored.id);
}

async function requireOpenTenant({ platform }: Services, id: string): Promise<TenantRecord> {
  const tenant = await findTenantRecord(platform, id);
  if (tenant !== undefined && tenant.status !== 'closed') return tenant;
  throw validationError({ field: 'tenant_id', message: 'must be the id of a tenant that is not closed' });
}

/** Returns the sum of the lines in minor units. Throws 422 when it is not positive, or above what a provider accepts. */
function totalOf({ lines }: CreateInvoice): number {
  const total = lines.reduce((sum, { quantity, unit_amount }) => sum + quantity * unit_amount, 0);
  if (total >= 1 && total <= maxAmount) return total;
  throw validationError({ field: 'lines', message: `must add up to an amount from 1 to ${maxAmount}` });
}

/**
 * Finalizes a draft at the provider and returns the invoice, which has its number now. Has no effect on an invoice that
 * is final. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function finalizeInvoice(services: Services, actor: Actor, id: string): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const invoice = await requireInvoice(services.platform, id);
  if (invoice.status !== 'draft') return invoice;
  await callProvider(async () => {
    await payments.finalizeInvoice(invoice.provider_invoice_id);
    const entry = { event: 'INVOICE.FINALIZE_REQUESTED', resourceType: 'invoice', resourceId: id };
    await syncStoredInvoice(services, payments, invoice, { actor, entry });
  });
  return await requireInvoice(services.platform, id);
}

/**
 * Deletes the draft of a single invoice, here and at the provider. Throws 404 `RESOURCE.NOT_FOUND`, and 409
 * `INVOICE.TRANSITION_INVALID` for an invoice that is final or that belongs to a subscription.
 */
export async function deleteInvoice(services: Services, actor: Actor, id: string): Promise<void> {
  const { platform, clock } = services;
  const payments = requirePayments(services);
  const stored = await requireInvoice(platform, id);
  if (stored.subscription_id !== null) throw notDeletable('The draft belongs to a subscription, which makes invoices.');
  // The draft may have been finalized at the provider.
  await callProvider(() => syncStoredInvoice(services, payments, stored));
  const { status, provider_invoice_id, tenant_id } = await requireInvoice(platform, id);
  if (status !== 'draft') throw notDeletable(`The invoice is ${status}. Only a draft can be deleted; void it instead.`);
  await callProvider(() => payments.deleteDraft(provider_invoice_id));
  await platform.transaction(async (tx) => {
    await lockBilledTenant(tx, tenant_id);
    await deleteDraft(tx, id);
    const entry = { event: 'INVOICE.DELETED', resourceType: 'invoice', resourceId: id, at: clock.now() };
    await recordPlatformAudit(tx, actor, entry);
  });
}

function notDeletable(message: string): AppError {
  return new AppError('INVOICE.TRANSITION_INVALID', message);
}
