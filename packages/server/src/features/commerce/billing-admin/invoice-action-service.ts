import type { InvoiceStatus, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { syncStoredInvoice } from '../billing/invoice-sync-service.ts';
import type { Cause } from '../billing/sync-service.ts';
import type { NamedInvoice } from '../invoices/invoice.ts';
import { requireInvoice } from '../invoices/service.ts';

interface InvoiceAction {
  readonly event: string;
  /** The status after the action. An invoice that has it already is left alone. */
  readonly leadsTo: InvoiceStatus;
  readonly perform: (payments: PaymentProvider, id: string) => Promise<void>;
}

/** The actions of admins on an open invoice. */
export const invoiceActions = {
  void: {
    event: 'INVOICE.VOID_REQUESTED',
    leadsTo: 'void',
    perform: (payments, id) => payments.voidInvoice(id),
  },
  'mark-uncollectible': {
    event: 'INVOICE.WRITE_OFF_REQUESTED',
    leadsTo: 'uncollectible',
    perform: (payments, id) => payments.markInvoiceUncollectible(id),
  },
  retry: {
    event: 'INVOICE.RETRY_REQUESTED',
    leadsTo: 'paid',
    perform: (payments, id) => payments.retryInvoice(id),
  },
} as const satisfies Readonly<Record<string, InvoiceAction>>;

/**
 * Performs an action on an open invoice at the provider, syncs and returns the invoice. Throws 404
 * `RESOURCE.NOT_FOUND`, 402 `BILLING.PAYMENT_FAILED` when the payment is declined, and 409 `INVOICE.TRANSITION_INVALID`
 * for an invoice that is not open.
 */
export async function actOnInvoice(
  services: Services,
  actor: Actor,
  id: string,
  action: InvoiceAction,
): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const stored = await requireInvoice(services.platform, id);
  const sync = (cause?: Cause) => callProvider(() => syncStoredInvoice(services, payments, stored, cause));
  await sync();
  const invoice = await requireInvoice(services.platform, id);
  if (invoice.status === action.leadsTo) return invoice;
  if (invoice.status !== 'open') throw notOpen(invoice);
  const changes = [{ field: 'status', old: invoice.status, new: action.leadsTo }];
  const cause = { actor, entry: { event: action.event, resourceType: 'invoice', resourceId: id, changes } };
  await callProvider(async () => {
    try {
      await action.perform(payments, invoice.provider_invoice_id);
    } catch (error) {
      // The failed attempt is synced and audited too.
      if (error instanceof PaymentProviderError && error.reason === 'declined') await sync(cause);
      throw error;
    }
  });
  await sync(cause);
  return await requireInvoice(services.platform, id);
}

function notOpen({ status }: InvoicesTable): AppError {
  return new AppError('INVOICE.TRANSITION_INVALID', `The invoice is ${status}. Only an open invoice can be changed.`);
}
