// Kinds of background work that an event of a payment provider makes. Whoever handles an event enqueues them; the
// features that they belong to read the provider's objects anew.

/** Makes the copies of a subscription and its invoices anew. The subject is the subscription's id at the provider. */
export const billingSyncKind = 'billing-sync';

/** Goes on with a checkout: is it paid, then provision. The subject is the checkout's id. */
export const onboardingKind = 'onboarding';
