import type { InvoiceStatus, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { askProvider, requirePayments } from '../../../payments/ask-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { type Cause, syncSubscription } from '../billing/sync-service.ts';
import { requireInvoice } from '../invoices/service.ts';
import { findSubscriptionOf } from './queries.ts';

interface InvoiceAction {
  readonly event: string;
  /** What an invoice is after it: repeated, nothing is to be done. */
  readonly leadsTo: InvoiceStatus;
  readonly ask: (payments: PaymentProvider, id: string) => Promise<void>;
}

/** What operators do with an open invoice. */
export const invoiceActions = {
  void: {
    event: 'INVOICE.VOID_REQUESTED',
    leadsTo: 'void',
    ask: (payments, id) => payments.voidInvoice(id),
  },
  'mark-uncollectible': {
    event: 'INVOICE.WRITE_OFF_REQUESTED',
    leadsTo: 'uncollectible',
    ask: (payments, id) => payments.markInvoiceUncollectible(id),
  },
  retry: {
    event: 'INVOICE.RETRY_REQUESTED',
    leadsTo: 'paid',
    ask: (payments, id) => payments.retryInvoice(id),
  },
} as const satisfies Readonly<Record<string, InvoiceAction>>;

/**
 * Does something with an open invoice at the provider, and copies what came of it. Answers the invoice. Throws 404, 402
 * `BILLING.PAYMENT_FAILED` when it could not be collected, and 409 `INVOICE.TRANSITION_INVALID` for one that is not open.
 */
export async function actOnInvoice(
  services: Services,
  actor: Actor,
  id: string,
  action: InvoiceAction,
): Promise<InvoicesTable> {
  const payments = requirePayments(services);
  const sync = await syncOf(services, payments, await requireInvoice(services.platform, id));
  await sync();
  const invoice = await requireInvoice(services.platform, id);
  if (invoice.status === action.leadsTo) return invoice;
  if (invoice.status !== 'open') throw notOpen(invoice);
  const changes = [{ field: 'status', old: invoice.status, new: action.leadsTo }];
  const cause = { actor, entry: { event: action.event, resourceType: 'invoice', resourceId: id, changes } };
  await askProvider(async () => {
    try {
      await action.ask(payments, invoice.provider_invoice_id);
    } catch (error) {
      // That it was tried is to be seen as well.
      if (error instanceof PaymentProviderError && error.reason === 'declined') await sync(cause);
      throw error;
    }
  });
  await sync(cause);
  return await requireInvoice(services.platform, id);
}

async function syncOf(services: Services, payments: PaymentProvider, invoice: InvoicesTable) {
  const subscription = await findSubscriptionOf(services.platform, invoice);
  if (subscription === undefined || invoice.provider !== payments.name) {
    throw new AppError('BILLING.REFUSED', `This invoice is of ${invoice.provider}, which is not configured any more.`);
  }
  return (cause?: Cause) =>
    askProvider(() => syncSubscription(services, payments, subscription.provider_subscription_id, cause));
}

function notOpen({ status }: InvoicesTable): AppError {
  return new AppError('INVOICE.TRANSITION_INVALID', `The invoice is ${status}: only an open one can be changed.`);
}
