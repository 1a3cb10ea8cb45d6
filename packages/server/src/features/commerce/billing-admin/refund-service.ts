import type { CreditNotesTable, InvoicesTable, RefundsTable } from '../../../db/tables/platform/billing.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { callProvider, requirePayments, toAppError } from '../../../payments/call-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockTenant } from '../../accounts/tenants/service.ts';
import { findInvoiceParties } from '../billing/customer-service.ts';
import { enqueueRefund } from '../billing/enqueue.ts';
import { syncStoredInvoice } from '../billing/invoice-sync-service.ts';
import {
  failRefund,
  findRefund,
  type RefundRequest,
  reserveRefund,
  storeRefund,
} from '../invoices/credit-note-service.ts';
import { requireInvoice, requireInvoiceRow } from '../invoices/service.ts';

/** Longer than the provider takes, so that the job completes only abandoned refunds. */
const abandonedSeconds = 60;

/**
 * Refunds a paid invoice, in whole or in part, and returns the credit note. The refund is stored and reserves its
 * amount before the provider is called, and its id is the provider's idempotency key. After a crash, or while the
 * provider is unavailable, a job completes it; a request with the same id continues it.
 *
 * Throws 404 `RESOURCE.NOT_FOUND`, 409 `INVOICE.TRANSITION_INVALID` and 422 like `reserveRefund`, and 409
 * `BILLING.REFUSED` when the provider refuses.
 */
export async function refundInvoice(
  services: Services,
  actor: Actor,
  invoiceId: string,
  request: RefundRequest,
): Promise<CreditNotesTable> {
  const payments = requirePayments(services);
  const invoice = await requireInvoice(services.platform, invoiceId);
  // The decision needs the refunds that were made at the provider.
  await callProvider(() => syncStoredInvoice(services, payments, invoice));
  const refund = await reserve(services, actor, invoice, request);
  try {
    return await completeRefund(services, payments, refund);
  } catch (error) {
    throw error instanceof PaymentProviderError ? refundError(error) : error;
  }
}

async function reserve(
  { platform, clock }: Services,
  actor: Actor,
  { id, tenant_id }: InvoicesTable,
  request: RefundRequest,
): Promise<RefundsTable> {
  return await platform.transaction(async (tx) => {
    await lockTenant(tx, tenant_id);
    const at = clock.now();
    const refund = await reserveRefund(tx, await requireInvoiceRow(tx, id), request, actor, at);
    if (refund.status === 'pending') await enqueueRefund(tx, refund.id, at, addSeconds(at, abandonedSeconds));
    return refund;
  });
}

/**
 * Makes a stored refund at the provider and stores its outcome: the credit note, or that the provider refused. It may
 * be repeated and run concurrently, because the provider makes one refund per id. Throws `PaymentProviderError`.
 */
async function completeRefund(
  services: Services,
  payments: PaymentProvider,
  refund: RefundsTable,
): Promise<CreditNotesTable> {
  const { platform, clock, mail } = services;
  if (refund.status === 'failed') throw new AppError('BILLING.REFUSED', refund.failure ?? refusal);
  const { id: reference, amount, reason } = refund;
  const invoice = await requireInvoiceRow(platform.query, refund.invoice_id);
  const owners = await listOwnerEmails(platform, invoice.tenant_id);
  const made = await payments
    .refundInvoice(invoice.provider_invoice_id, { reference, amount, reason })
    .catch((error: unknown) => noteRefusal(services, invoice, refund, error));
  const note = await platform.transaction(async (tx) => {
    const tenant = await lockTenant(tx, invoice.tenant_id);
    if (tenant === undefined) throw new Error(`The tenant ${invoice.tenant_id} of an invoice does not exist.`);
    const parties = await findInvoiceParties(services, tx, tenant, owners);
    return await storeRefund(services, tx, { refund, note: made, parties, at: clock.now() });
  });
  mail.kick();
  return note;
}

const refusal = 'The payment provider refused the refund, and nothing has changed. Check the payment at the provider.';

/** Stores that the provider refused a refund, and throws the error. An unavailable provider leaves it pending. */
async function noteRefusal(
  { platform, clock }: Services,
  { tenant_id }: InvoicesTable,
  refund: RefundsTable,
  error: unknown,
): Promise<never> {
  if (error instanceof PaymentProviderError && error.reason !== 'unavailable') {
    await platform.transaction(async (tx) => {
      await lockTenant(tx, tenant_id);
      await failRefund(tx, refund, refusal, clock.now());
    });
  }
  throw error;
}

function refundError(error: PaymentProviderError): AppError {
  if (error.reason === 'unavailable') {
    return toAppError(
      error,
      'The payment provider is unavailable. The refund is completed as soon as it is available: send the same request ' +
        'with the same Idempotency-Key for its credit note, or read the invoice later.',
    );
  }
  return new AppError('BILLING.REFUSED', refusal, { cause: error });
}

/** Completes a refund that a crash or an unavailable provider left pending. Has no effect on any other. */
export async function completePendingRefund(
  services: Services,
  payments: PaymentProvider,
  refundId: string,
): Promise<void> {
  const refund = await findRefund(services.platform.query, refundId);
  if (refund?.status !== 'pending') return;
  const invoice = await requireInvoiceRow(services.platform.query, refund.invoice_id);
  if (invoice.provider !== payments.name) return;
  try {
    await completeRefund(services, payments, refund);
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.reason === 'unavailable') throw error;
    services.logger.warn({ err: error, refund: refundId }, 'the payment provider refused a refund');
  }
}
