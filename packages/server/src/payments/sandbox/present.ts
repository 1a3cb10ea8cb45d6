import type { ProviderInvoice, ProviderSubscription } from '../provider.ts';
import type { SandboxContext } from './context.ts';
import { invoiceUrl } from './page-urls.ts';
import type { Account, SandboxInvoice } from './state.ts';

/** Returns the subscription of an account as the provider shows it; undefined for an account without one. */
export function presentSubscription({ customerId, card, subscription }: Account): ProviderSubscription | undefined {
  if (subscription === null) return undefined;
  const {
    price,
    pendingPrice,
    anchorAt: _anchorAt,
    periodInterval: _interval,
    periodCharge: _charge,
    ...rest
  } = subscription;
  const { trialReminderAt: _reminder, periodNet: _net, ...shown } = rest;
  const { planCode, interval, currency, amount } = price;
  const pendingChange =
    pendingPrice === null
      ? null
      : {
          planCode: pendingPrice.planCode,
          interval: pendingPrice.interval,
          amount: pendingPrice.amount,
          at: subscription.currentPeriodEndsAt,
        };
  return { ...shown, customerId, planCode, interval, currency, amount, hasPaymentMethod: card !== null, pendingChange };
}

/** Returns an invoice as the provider shows it. */
export function presentInvoice(context: SandboxContext, invoice: SandboxInvoice): ProviderInvoice {
  const { scheduledAttempts: _scheduledAttempts, dueInDays: _dueInDays, ...rest } = invoice;
  return { ...rest, paymentUrl: invoice.status === 'open' ? invoiceUrl(context, invoice.id) : null };
}
