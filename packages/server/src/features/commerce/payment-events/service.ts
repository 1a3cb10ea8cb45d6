import type { PlatformTransaction } from '../../../db/database.ts';
import type { PaymentEventsTable } from '../../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { isUuid, newId } from '../../../lib/ids.ts';
import type { PaymentProvider, ProviderEvent } from '../../../payments/provider.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { enqueueBillingSync, enqueueInvoiceSync } from '../billing/enqueue.ts';
import { enqueueOnboarding } from '../onboarding/payment-service.ts';
import { insertPaymentEvent, markReplayed } from './queries.ts';

/** No provider has longer ids or types. The limit keeps an event from filling the database. */
const textMaxLength = 255;

type EventSubject = Pick<PaymentEventsTable, 'provider_subscription_id' | 'provider_invoice_id' | 'checkout_reference'>;

/** Enqueues the work of an event, in the caller's transaction. */
async function enqueueWork(tx: PlatformTransaction, subject: EventSubject, at: Timestamp): Promise<void> {
  const { provider_subscription_id, provider_invoice_id, checkout_reference } = subject;
  if (checkout_reference !== null) await enqueueOnboarding(tx, checkout_reference, at);
  // The sync of a subscription includes its invoices.
  if (provider_subscription_id !== null) await enqueueBillingSync(tx, provider_subscription_id, at);
  else if (provider_invoice_id !== null) await enqueueInvoiceSync(tx, provider_invoice_id, at);
}

/**
 * Returns the subject of an event. Other software may set any reference at the provider; the service's own are UUIDs.
 */
function subjectOf({ subscriptionId, invoiceId, checkoutReference }: ProviderEvent): EventSubject {
  return {
    provider_subscription_id: subscriptionId,
    provider_invoice_id: invoiceId,
    checkout_reference: checkoutReference !== null && isUuid(checkoutReference) ? checkoutReference : null,
  };
}

/**
 * Stores an event with a verified signature and enqueues its work in one transaction, once per event id of the
 * provider. An event without a subscription, an invoice and a checkout of the service has no effect.
 */
export async function acceptPaymentEvent(
  { platform, clock, wakeUps }: TenantWorkServices,
  provider: PaymentProvider['name'],
  event: ProviderEvent,
): Promise<void> {
  const subject = subjectOf(event);
  if (Object.values(subject).every((id) => id === null)) return;
  const texts = [event.id, event.type, subject.provider_subscription_id ?? '', subject.provider_invoice_id ?? ''];
  if (texts.some((text) => text.length > textMaxLength)) return;
  await platform.transaction(async (tx) => {
    const at = clock.now();
    const row = {
      id: newId(),
      provider,
      provider_event_id: event.id,
      type: event.type,
      ...subject,
      created_at: event.createdAt,
      received_at: at,
      replayed_at: null,
    };
    if (await insertPaymentEvent(tx, row)) await enqueueWork(tx, subject, at);
  });
  wakeUps.wakeRunner();
}

/** Enqueues the work of an event again. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function replayPaymentEvent(
  { platform, clock, wakeUps }: TenantWorkServices,
  actor: Actor,
  id: string,
): Promise<PaymentEventsTable> {
  const event = await platform.transaction(async (tx) => {
    const at = clock.now();
    const row = await markReplayed(tx, id, at);
    if (row === undefined) {
      throw new AppError('RESOURCE.NOT_FOUND', 'No payment event has this id. List the payment events to find the id.');
    }
    await enqueueWork(tx, row, at);
    const entry = { event: 'PAYMENT_EVENT.REPLAYED', resourceType: 'payment_event', resourceId: id, at };
    await recordPlatformAudit(tx, actor, entry);
    return row;
  });
  wakeUps.wakeRunner();
  return event;
}
