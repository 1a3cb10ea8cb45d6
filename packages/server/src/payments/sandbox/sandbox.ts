import type { PlatformJob } from '../../jobs/job.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { PaymentProvider } from '../provider.ts';
import type { Card } from './cards.ts';
import { type CheckoutInput, payCheckout } from './checkouts.ts';
import type { ClockAdvance } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { deliveryJob, sendDueEvents } from './delivery.ts';
import { attachCard } from './invoices.ts';
import { createProvider } from './provider-calls.ts';
import { changeAccount } from './store.ts';
import { advanceSandboxClock, clockJob, passDueTime, type RecordAdvance } from './time.ts';

/**
 * A built-in payment provider that moves no money. It stores customers, subscriptions and invoices in the platform
 * database, renews and collects by its own clock, and sends signed events to the service's own webhook.
 */
export interface Sandbox {
  readonly context: SandboxContext;
  readonly provider: PaymentProvider;
  /** The jobs that perform renewals, retries and expiries, and that send events. */
  readonly jobs: readonly PlatformJob[];
  /** Pays a checkout, like its page. Returns the redirect URL. Throws `declined` or `refused`. */
  pay(checkoutId: string, card: Card | null, input?: Partial<Omit<CheckoutInput, 'card'>>): Promise<string>;
  /** Changes the card of a customer, like the portal. Throws `declined`. */
  changeCard(customerId: string, card: Card): Promise<void>;
  /** Advances the clock and performs at once what becomes due. Returns the new time. Throws `refused`. */
  advanceClock(advance: ClockAdvance, record?: RecordAdvance): Promise<Timestamp>;
  /**
   * Performs all changes due by the sandbox's clock. Returns the time of the next one by the service's clock, or null.
   */
  passTime(): Promise<Timestamp | null>;
  /** Sends the due events. Returns when the next one is due; null for never. */
  sendEvents(): Promise<Timestamp | null>;
}

/** Creates the sandbox. It runs nothing itself: the job runner runs its jobs. */
export function createSandbox(context: SandboxContext): Sandbox {
  return {
    context,
    provider: createProvider(context),
    jobs: [clockJob(context), deliveryJob(context)],
    pay: (checkoutId, card, { coupon = null, details = null } = {}) =>
      payCheckout(context, checkoutId, { card, coupon, details }),
    changeCard: (customerId, card) => changeAccount(context, customerId, (work, at) => attachCard(work, card, at)),
    advanceClock: (advance, record) => advanceSandboxClock(context, advance, record),
    passTime: () => passDueTime(context),
    sendEvents: () => sendDueEvents(context),
  };
}
