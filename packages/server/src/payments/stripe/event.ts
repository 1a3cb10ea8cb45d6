import type Stripe from 'stripe';
import type { ProviderEvent } from '../provider.ts';
import { momentOf, referenceKey } from './context.ts';

type Fields = Readonly<Record<string, unknown>>;

const toleranceSeconds = 300;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns an id that is given as a string or as an object with an id; null for anything else. */
function idIn(value: unknown): string | null {
  const id = typeof value === 'string' ? value : fieldsOf(value)['id'];
  return typeof id === 'string' ? id : null;
}

type Subject = Pick<ProviderEvent, 'subscriptionId' | 'checkoutReference' | 'invoiceId'>;

const noSubject: Subject = { subscriptionId: null, checkoutReference: null, invoiceId: null };

/** Returns the subscription of an invoice, which is below `parent` since the API of 2025. */
function subjectOfInvoice(invoice: Fields): Subject {
  const details = fieldsOf(fieldsOf(invoice['parent'])['subscription_details']);
  const { [referenceKey]: reference } = fieldsOf(details['metadata']);
  return {
    subscriptionId: idIn(details['subscription'] ?? invoice['subscription']),
    checkoutReference: idIn(reference),
    invoiceId: idIn(invoice),
  };
}

/**
 * Returns the subject of an event. It trusts no field's type, because the object has the API version that is set for
 * the endpoint at Stripe.
 */
function subjectOf(type: string, object: Fields): Subject {
  const subscriptionId = idIn(object['subscription']);
  const invoiceId = idIn(object['invoice']);
  if (type.startsWith('checkout.session.')) {
    return { ...noSubject, subscriptionId, checkoutReference: idIn(object['client_reference_id']) };
  }
  if (type.startsWith('customer.subscription.')) {
    const { [referenceKey]: reference } = fieldsOf(object['metadata']);
    return { ...noSubject, subscriptionId: idIn(object), checkoutReference: idIn(reference) };
  }
  // The invoice of this event is a preview and has an id that cannot be read.
  if (type === 'invoice.upcoming') return { ...subjectOfInvoice(object), invoiceId: null };
  if (type.startsWith('invoice.')) return subjectOfInvoice(object);
  if (type.startsWith('subscription_schedule.') || type.startsWith('customer.discount.')) {
    return { ...noSubject, subscriptionId };
  }
  // A charge names its invoice only in versions of the API before 2025.
  if (type.startsWith('credit_note.') || type === 'charge.refunded') {
    return { ...noSubject, invoiceId };
  }
  return noSubject;
}

/** The secret, the mode and the time of a verification. */
interface EventCheck {
  readonly webhookSecret: string;
  /** Whether the secret key is a live key. Events of the other mode are rejected. */
  readonly isLive: boolean;
  readonly nowMs: number;
}

/** Implements `verifyEvent` of the provider, with the check of Stripe's library. */
export function verifyStripeEvent(
  client: Stripe,
  rawBody: Buffer,
  header: string | string[] | undefined,
  { webhookSecret, isLive, nowMs }: EventCheck,
): ProviderEvent | undefined {
  if (typeof header !== 'string' || isFromTheFuture(header, nowMs)) return undefined;
  try {
    // `undefined` selects the library's default crypto provider.
    const event = client.webhooks.constructEvent(rawBody, header, webhookSecret, toleranceSeconds, undefined, nowMs);
    return event.livemode === isLive ? toEvent(event) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true for a timestamp more than 300 s ahead; the library rejects only old timestamps. */
function isFromTheFuture(header: string, nowMs: number): boolean {
  const seconds = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1]);
  return seconds - nowMs / 1000 > toleranceSeconds;
}

function toEvent(event: Stripe.Event): ProviderEvent | undefined {
  const { id, type, created, account } = event;
  if (typeof id !== 'string' || typeof type !== 'string' || !Number.isSafeInteger(created)) return undefined;
  // An event of a connected account (Stripe Connect). The service sells nothing there.
  const isForeign = account !== undefined && account !== null;
  const subject = isForeign ? noSubject : subjectOf(type, fieldsOf(fieldsOf(event.data)['object']));
  return { id, type, createdAt: momentOf(created), ...subject };
}
