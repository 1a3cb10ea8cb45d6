import { newId } from '../../src/lib/ids.ts';
import type { PaymentProvider, ProviderInvoice, ProviderSubscription } from '../../src/payments/provider.ts';

/**
 * A payment provider whose state and clock a test sets. It changes nothing itself, so a test can check how the service
 * syncs any state of a provider.
 */
export interface RecordedProvider extends PaymentProvider {
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly invoices: Map<string, ProviderInvoice[]>;
  moment: string;
  /** Runs during each read of a subscription, after its state is taken and before it is returned. */
  beforeRead: () => Promise<void>;
}

const rejectCall = () => Promise.reject(new Error('This provider supports reads only.'));

/** Creates an empty provider. Every method except the reads rejects. */
export function recordedProvider(): RecordedProvider {
  const subscriptions = new Map<string, ProviderSubscription>();
  const invoices = new Map<string, ProviderInvoice[]>();
  const provider: RecordedProvider = {
    name: 'sandbox',
    billingPortalChangesDetails: false,
    subscriptions,
    invoices,
    moment: '2026-11-20T12:00:00.000000Z',
    beforeRead: () => Promise.resolve(),
    now: () => Promise.resolve(provider.moment),
    async findSubscription(id) {
      const found = subscriptions.get(id);
      await provider.beforeRead();
      return found;
    },
    listInvoices: (id) => Promise.resolve([...(invoices.get(id) ?? [])].reverse()),
    findInvoice: (id) => Promise.resolve([...invoices.values()].flat().find((invoice) => invoice.id === id)),
    createCheckout: rejectCall,
    findCheckout: rejectCall,
    expireCheckout: rejectCall,
    previewChange: rejectCall,
    previewRenewal: rejectCall,
    changePlan: rejectCall,
    cancelPendingChange: rejectCall,
    setCancelAtPeriodEnd: rejectCall,
    cancelNow: rejectCall,
    updateCustomer: rejectCall,
    createBillingPortalSession: rejectCall,
    addCredit: rejectCall,
    createCustomer: rejectCall,
    findCustomerDetails: () => Promise.resolve(undefined),
    findCard: () => Promise.resolve(undefined),
    extendTrial: rejectCall,
    createCoupon: rejectCall,
    deactivateCoupon: rejectCall,
    countRedemptions: rejectCall,
    applyCoupon: rejectCall,
    createInvoice: rejectCall,
    deleteDraft: rejectCall,
    finalizeInvoice: rejectCall,
    refundInvoice: rejectCall,
    voidInvoice: rejectCall,
    markInvoiceUncollectible: rejectCall,
    retryInvoice: rejectCall,
    verifyEvent: () => undefined,
  };
  return provider;
}

/** Returns a monthly subscription that was bought at noon. */
export function subscriptionOf(fields: Partial<ProviderSubscription> = {}): ProviderSubscription {
  return {
    id: `sub_${newId()}`,
    customerId: `cus_${newId()}`,
    reference: null,
    status: 'active',
    planCode: 'free',
    interval: 'month',
    currency: 'usd',
    amount: 2900,
    currentPeriodStartsAt: '2026-11-20T12:00:00.000000Z',
    currentPeriodEndsAt: '2026-12-20T12:00:00.000000Z',
    trialEndsAt: null,
    hasPaymentMethod: true,
    discount: null,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    pendingChange: null,
    createdAt: '2026-11-20T12:00:00.000000Z',
    ...fields,
  };
}

/** Returns a paid invoice of a subscription. */
export function invoiceOf(subscription: ProviderSubscription, fields: Partial<ProviderInvoice> = {}): ProviderInvoice {
  const at = '2026-11-20T12:00:00.000000Z';
  return {
    id: `in_${newId()}`,
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    status: 'paid',
    currency: subscription.currency,
    collectionMethod: 'charge',
    subtotal: subscription.amount,
    discount: 0,
    couponCode: null,
    tax: 0,
    taxes: [],
    total: subscription.amount,
    amountDue: 0,
    amountPaid: subscription.amount,
    lines: [{ description: 'Pro', quantity: 1, amount: subscription.amount, periodStartsAt: at, periodEndsAt: at }],
    creditNotes: [],
    attemptCount: 1,
    nextAttemptAt: null,
    dueAt: null,
    paymentUrl: 'https://pay.example.com/in',
    createdAt: at,
    finalizedAt: at,
    paidAt: at,
    ...fields,
  };
}
