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

type Subject = Pick<ProviderEvent, 'subscriptionId' | 'checkoutReference'>;

const noSubject: Subject = { subscriptionId: null, checkoutReference: null };

/**
 * Returns the subject of an event. It trusts no field's type, because the object has the API version that is set for
 * the endpoint at Stripe.
 */
function subjectOf(type: string, object: Fields): Subject {
  if (type.startsWith('checkout.session.')) {
    return { subscriptionId: idIn(object['subscription']), checkoutReference: idIn(object['client_reference_id']) };
  }
  if (type.startsWith('customer.subscription.')) {
    const { [referenceKey]: reference } = fieldsOf(object['metadata']);
    return { subscriptionId: idIn(object), checkoutReference: idIn(reference) };
  }
  if (type.startsWith('invoice.')) {
    const details = fieldsOf(fieldsOf(object['parent'])['subscription_details']);
    const { [referenceKey]: reference } = fieldsOf(details['metadata']);
    return {
      subscriptionId: idIn(details['subscription'] ?? object['subscription']),
      checkoutReference: idIn(reference),
    };
  }
  if (type.startsWith('subscription_schedule.')) {
    return { subscriptionId: idIn(object['subscription']), checkoutReference: null };
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
