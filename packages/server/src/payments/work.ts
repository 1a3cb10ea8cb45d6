// Kinds of background work that an event of a payment provider makes. Whoever handles an event enqueues them; the
// features that they belong to read the provider's objects anew.

/** Makes the copies of a subscription and its invoices anew. The subject is the subscription's id at the provider. */
export const billingSyncKind = 'billing-sync';

/**
 * Looks which subscriptions are to be read again because a period, a trial or a time of grace has come to its end by the
 * provider's clock. The subject is `platformSubject`. Whoever moves that clock enqueues it.
 */
export const dunningKind = 'dunning';

/** Goes on with a checkout: is it paid, then provision. The subject is the checkout's id. */
export const onboardingKind = 'onboarding';
