import type { Account, CheckoutTerms, SandboxInvoice, SandboxSubscription } from './state.ts';

// Rows that an earlier version wrote lack the newer fields. They are read as if nothing of these features was used.

/** Returns the account of a row. */
export function readAccount(stateJson: string): Account {
  const { subscription, ...account }: Account = JSON.parse(stateJson);
  return { ...account, details: account.details ?? null, subscription: subscription && withDefaults(subscription) };
}

function withDefaults(subscription: SandboxSubscription): SandboxSubscription {
  const { price, currentPeriodStartsAt: startsAt } = subscription;
  return {
    ...subscription,
    periodInterval: subscription.periodInterval ?? price.interval,
    periodCharge: subscription.periodCharge ?? { amount: price.amount, startsAt, rates: [] },
    periodNet: subscription.periodNet ?? price.amount,
    trialReminderAt: subscription.trialReminderAt ?? null,
    discount: subscription.discount ?? null,
  };
}

/** Returns the invoice of a row. */
export function readInvoice(stateJson: string): SandboxInvoice {
  const defaults = {
    collectionMethod: 'charge',
    discount: 0,
    couponCode: null,
    taxes: [],
    creditNotes: [],
    dueInDays: 0,
  };
  return { ...defaults, ...JSON.parse(stateJson) };
}

/** Returns the terms of a checkout's row. */
export function readTerms(termsJson: string): CheckoutTerms {
  return { trialDays: 0, ...JSON.parse(termsJson) };
}
