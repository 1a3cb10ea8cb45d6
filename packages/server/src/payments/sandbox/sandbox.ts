import type { Card } from './cards.ts';
import { type CheckoutInput, payCheckout } from './checkouts.ts';
import type { SandboxContext } from './context.ts';
import { deliveryJob, sendDueEvents } from './events.ts';
import { attachCard } from './invoices.ts';
import { createProvider } from './provider-calls.ts';
import { changeAccount } from './store.ts';
import { advanceSandboxClock, type ClockAdvance, clockJob, passDueTime, type RecordAdvance } from './time.ts';

/**
 * A built-in payment provider that moves no money. It stores customers, subscriptions and invoices in the platform
 * database, renews and collects by its own clock, and sends signed events to the service's own webhook.
 */
export type Sandbox = ReturnType<typeof createSandbox>;

/** Creates the sandbox. It runs nothing itself: the job runner runs its jobs. */
export function createSandbox(context: SandboxContext) {
  return {
    context,
    provider: createProvider(context),
    /** The jobs that perform renewals, retries and expiries, and that send events. */
    jobs: [clockJob(context), deliveryJob(context)],
    /** Pays a checkout, like its page. Returns the redirect URL. Throws `declined` or `refused`. */
    pay: (checkoutId: string, card: Card | null, input: Partial<Omit<CheckoutInput, 'card'>> = {}) =>
      payCheckout(context, checkoutId, { coupon: null, details: null, ...input, card }),
    /** Changes the card of a customer, like the portal. Throws `declined`. */
    changeCard: (customerId: string, card: Card) =>
      changeAccount(context, customerId, (work, at) => attachCard(work, card, at)),
    advanceClock: (advance: ClockAdvance, record?: RecordAdvance) => advanceSandboxClock(context, advance, record),
    passTime: () => passDueTime(context),
    sendEvents: () => sendDueEvents(context),
  };
}
