import type { PlatformTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { PaymentProvider, ProviderInvoice } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockTenant } from '../../accounts/tenants/service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { deleteLostDraft, findInvoiceByProvider, syncSingleInvoice } from '../invoices/sync-service.ts';
import { findInvoiceParties } from './customer-service.ts';
import { beginInvoiceRead, findBilledSince, findTenantOfCustomer, finishInvoiceRead } from './queries.ts';
import { type Cause, syncSubscription } from './sync-service.ts';

/**
 * The outcome of a sync of an invoice. `orphan`: it belongs to no tenant; `outdated`: a newer reading was written
 * meanwhile; `unknown`: the provider has no such invoice.
 */
type InvoiceSyncOutcome = 'written' | 'orphan' | 'outdated' | 'unknown';

/** Why an invoice is synced, beyond an event about it. */
interface InvoiceSyncOptions {
  /** A change that was made at the provider, which the sync audits. */
  readonly cause?: Cause | undefined;
  /** The creation of the invoice: its id here, and the audit entry of its first storage. */
  readonly creation?: { readonly id: string; readonly cause: Cause };
}

/**
 * Syncs an invoice from the provider, by its id there. An invoice of a subscription is synced with its subscription. A
 * sync is idempotent and may be repeated at any time. Throws `PaymentProviderError` when the provider cannot be read.
 */
export async function syncInvoice(
  services: Services,
  payments: PaymentProvider,
  providerId: string,
  { cause, creation }: InvoiceSyncOptions = {},
): Promise<InvoiceSyncOutcome> {
  const { platform, logger } = services;
  const number = await beginInvoiceRead(platform, providerId);
  const invoice = await payments.findInvoice(providerId);
  if (invoice === undefined) {
    logger.warn({ invoice: providerId }, 'the payment provider has no invoice with this id');
    await platform.transaction((tx) => deleteLostDraft(tx, payments.name, providerId));
    return 'unknown';
  }
  if (invoice.subscriptionId !== null) {
    return (await syncSubscription(services, payments, invoice.subscriptionId, cause, invoice.id)).outcome;
  }
  const tenantId = await findTenantOf(services, payments, invoice);
  if (tenantId === undefined) {
    logger.warn({ invoice: providerId }, 'an invoice at the payment provider belongs to no tenant');
    return 'orphan';
  }
  const owners = await listOwnerEmails(platform, tenantId);
  const outcome = await platform.transaction(async (tx) => {
    const tenant = await lockTenant(tx, tenantId);
    if (tenant === undefined) throw new Error(`The tenant ${tenantId} of an invoice does not exist.`);
    const at = services.clock.now();
    // The action of an admin is recorded even if a newer reading has stored its effect.
    if (cause !== undefined) await recordPlatformAudit(tx, cause.actor, { ...cause.entry, at });
    if (creation !== undefined) await recordCreation(tx, payments.name, providerId, creation, at);
    if (!(await finishInvoiceRead(tx, providerId, number))) return 'outdated';
    const parties = await findInvoiceParties(services, tx, tenant, owners);
    const billedSince = (await findBilledSince(tx, tenantId, null)) ?? at;
    const sync = { tenantId, provider: payments.name, invoice, parties, newInvoiceId: creation?.id, billedSince, at };
    await syncSingleInvoice(services, tx, sync);
    return 'written';
  });
  services.mail.kick();
  return outcome;
}

/** Audits the creation of an invoice once: a repetition finds the invoice stored under the id of the creation. */
async function recordCreation(
  tx: PlatformTransaction,
  provider: PaymentProvider['name'],
  providerId: string,
  { id, cause }: NonNullable<InvoiceSyncOptions['creation']>,
  at: Timestamp,
): Promise<void> {
  const known = await findInvoiceByProvider(tx, provider, providerId);
  if (known?.id === id) return;
  // The event about the creation may have been faster, which gave the invoice another id.
  await recordPlatformAudit(tx, cause.actor, { ...cause.entry, resourceId: known?.id ?? id, at });
}

/** Returns the tenant of the stored invoice, else of its customer. */
async function findTenantOf(
  { platform: { query } }: Services,
  { name }: PaymentProvider,
  { id, customerId }: ProviderInvoice,
): Promise<string | undefined> {
  const known = await findInvoiceByProvider(query, name, id);
  return known?.tenant_id ?? (await findTenantOfCustomer(query, name, customerId));
}

/**
 * Syncs a stored invoice, alone or with its subscription. Throws 409 `BILLING.REFUSED` when it belongs to a payment
 * provider that is not configured, and `PaymentProviderError`.
 */
export async function syncStoredInvoice(
  services: Services,
  payments: PaymentProvider,
  { provider, provider_invoice_id, subscription_id }: InvoicesTable,
  cause?: Cause,
): Promise<void> {
  if (provider !== payments.name) {
    throw new AppError(
      'BILLING.REFUSED',
      `This invoice belongs to the payment provider ${provider}, which is not configured. Set PAYMENT_PROVIDER to it.`,
    );
  }
  const { query } = services.platform;
  const subscription = subscription_id === null ? undefined : await findRow(query, 'subscriptions', subscription_id);
  if (subscription === undefined) await syncInvoice(services, payments, provider_invoice_id, { cause });
  else {
    const { provider_subscription_id } = subscription;
    await syncSubscription(services, payments, provider_subscription_id, cause, provider_invoice_id);
  }
}
