import type Stripe from 'stripe';
import type { ProviderEvent } from '../provider.ts';
import { momentOf, referenceKey } from './context.ts';

type Fields = Readonly<Record<string, unknown>>;

const toleranceSeconds = 300;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** An id, or the id of what stands in its place; null for anything else. */
function idIn(value: unknown): string | null {
  const id = typeof value === 'string' ? value : fieldsOf(value)['id'];
  return typeof id === 'string' ? id : null;
}

type Subject = Pick<ProviderEvent, 'subscriptionId' | 'checkoutReference'>;

const aboutNothing: Subject = { subscriptionId: null, checkoutReference: null };

/** What an event is about. Read with care: its object is of the version that the endpoint at Stripe is set to. */
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
  return aboutNothing;
}

/** What is verified against, and when. */
interface EventCheck {
  readonly webhookSecret: string;
  /** Whether the secret key is of live mode: events of the other mode are somebody else's. */
  readonly isLive: boolean;
  readonly nowMs: number;
}

/** As `verifyEvent` of the provider, by the library's own check. */
export function verifyStripeEvent(
  client: Stripe,
  rawBody: Buffer,
  header: string | string[] | undefined,
  { webhookSecret, isLive, nowMs }: EventCheck,
): ProviderEvent | undefined {
  if (typeof header !== 'string' || isFromTheFuture(header, nowMs)) return undefined;
  try {
    // Undefined: the library's own cryptography.
    const event = client.webhooks.constructEvent(rawBody, header, webhookSecret, toleranceSeconds, undefined, nowMs);
    return event.livemode === isLive ? toEvent(event) : undefined;
  } catch {
    return undefined;
  }
}

/** The library looks at the past alone. */
function isFromTheFuture(header: string, nowMs: number): boolean {
  const seconds = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1]);
  return seconds - nowMs / 1000 > toleranceSeconds;
}

function toEvent(event: Stripe.Event): ProviderEvent | undefined {
  const { id, type, created, account } = event;
  if (typeof id !== 'string' || typeof type !== 'string' || !Number.isSafeInteger(created)) return undefined;
  // Of an account that is connected to the operator's: the service sells nothing there.
  const isForeign = account !== undefined && account !== null;
  const subject = isForeign ? aboutNothing : subjectOf(type, fieldsOf(fieldsOf(event.data)['object']));
  return { id, type, createdAt: momentOf(created), ...subject };
}
