import { onPlatform } from './endpoints.ts';
import { platformKey } from './platform.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type Plan = Schemas['Plan'];
export type PlanLimits = Schemas['PlanLimits'];
export type CatalogProduct = Schemas['CatalogProduct'];
export type AdminSubscription = Schemas['AdminSubscription'];
export type AdminInvoice = Schemas['AdminInvoice'];
export type DunningCase = Schemas['DunningCase'];
export type RevenueOverview = Schemas['RevenueOverview'];
export type OrphanSubscription = Schemas['OrphanSubscription'];
export type PaymentEvent = Schemas['PaymentEvent'];
export type BillingAuthorization = Schemas['BillingAuthorization'];

/** Query-key prefix of the platform's plans, subscriptions, invoices and payments. */
export const commerceKey = platformKey('commerce');

/** Reads one page of the plans as admins see them. */
export const adminPlansQuery = onPlatform.list('/api/v1/admin/catalog/plans', ['commerce', 'plans']);

/** Reads one plan. */
export const adminPlanQuery = onPlatform.one('/api/v1/admin/catalog/plans/{id}', ['commerce', 'plan']);

export const createPlan = onPlatform.POST('/api/v1/admin/catalog/plans');
export const updatePlan = onPlatform.PUT('/api/v1/admin/catalog/plans/{id}');
export const deletePlan = onPlatform.DELETE('/api/v1/admin/catalog/plans/{id}');

/** Reads one page of the catalog's products. */
export const catalogProductsQuery = onPlatform.list('/api/v1/admin/catalog/products', ['commerce', 'products']);

/** Reads one product of the catalog. */
export const catalogProductQuery = onPlatform.one('/api/v1/admin/catalog/products/{id}', ['commerce', 'product']);

export const createCatalogProduct = onPlatform.POST('/api/v1/admin/catalog/products');
export const updateCatalogProduct = onPlatform.PUT('/api/v1/admin/catalog/products/{id}');
export const deleteCatalogProduct = onPlatform.DELETE('/api/v1/admin/catalog/products/{id}');

/** Reads one page of the subscriptions of all tenants. */
export const subscriptionsQuery = onPlatform.list('/api/v1/admin/subscriptions', ['commerce', 'subscriptions']);

/** Reads one subscription. */
export const subscriptionQuery = onPlatform.one('/api/v1/admin/subscriptions/{id}', ['commerce', 'subscription']);

/** Reads one page of the invoices of all tenants. */
export const adminInvoicesQuery = onPlatform.list('/api/v1/admin/invoices', ['commerce', 'invoices']);

/** Reads one invoice of any tenant. */
export const adminInvoiceQuery = onPlatform.one('/api/v1/admin/invoices/{id}', ['commerce', 'invoice']);

/** Reads the revenue, the churn and the overdue amounts. */
export const revenueQuery = onPlatform.one('/api/v1/admin/billing/overview', ['commerce', 'revenue'])();

/** Reads one page of the overdue subscriptions. */
export const dunningQuery = onPlatform.list('/api/v1/admin/billing/dunning', ['commerce', 'dunning'], {
  refetchInterval: 30_000,
});

/** Reads one page of the subscriptions at the provider that belong to no tenant. */
export const orphansQuery = onPlatform.list('/api/v1/admin/billing/orphans', ['commerce', 'orphans']);

/** Reads one page of the provider's events. */
export const paymentEventsQuery = onPlatform.list('/api/v1/admin/billing/events', ['commerce', 'events'], {
  refetchInterval: 15_000,
});

export const replayPaymentEvent = onPlatform.POST('/api/v1/admin/billing/events/{id}/replay');

/** Reads one page of the decisions of the billing guard. */
export const billingDecisionsQuery = onPlatform.list('/api/v1/admin/billing/authorization-log', [
  'commerce',
  'authorization-log',
]);

export const grantCredit = onPlatform.POST('/api/v1/admin/billing/credits');

/** Reads the clock of the payment sandbox; 404 with another provider. */
export const sandboxClockQuery = onPlatform.one('/api/v1/admin/billing/sandbox/clock', ['commerce', 'sandbox-clock'], {
  retry: false,
})();

export const advanceSandboxClock = onPlatform.POST('/api/v1/admin/billing/sandbox/clock');

export type CreateInvoice = Schemas['CreateInvoice'];

/** Creates the draft of a single invoice. */
export const createInvoice = onPlatform.POST('/api/v1/admin/invoices');

/** Refunds a part of a paid invoice, once per key. */
export const refundInvoice = onPlatform.POST('/api/v1/admin/invoices/{id}/refund');

const invoiceActions = {
  delete: onPlatform.DELETE('/api/v1/admin/invoices/{id}'),
  finalize: onPlatform.POST('/api/v1/admin/invoices/{id}/finalize'),
  send: onPlatform.POST('/api/v1/admin/invoices/{id}/send'),
  remind: onPlatform.POST('/api/v1/admin/invoices/{id}/remind'),
  void: onPlatform.POST('/api/v1/admin/billing/invoices/{id}/void'),
  'mark-uncollectible': onPlatform.POST('/api/v1/admin/billing/invoices/{id}/mark-uncollectible'),
  retry: onPlatform.POST('/api/v1/admin/billing/invoices/{id}/retry'),
};

/** An action on an invoice that needs no further answer. */
export type InvoiceAction = keyof typeof invoiceActions;

/** Performs an action on an invoice at the payment provider. */
export function actOnInvoice(id: string, action: InvoiceAction): Promise<unknown> {
  return invoiceActions[action](id);
}

/** Ends a subscription now, or with its period. */
export const cancelSubscription = onPlatform.POST('/api/v1/admin/subscriptions/{id}/cancel');

/** Revokes the cancellation of a subscription that has not ended yet. */
export const resumeSubscription = onPlatform.POST('/api/v1/admin/subscriptions/{id}/resume');

/** Changes the plan of a subscription at once. */
export const changeSubscriptionPlan = onPlatform.POST('/api/v1/admin/subscriptions/{id}/change-plan');

/** Moves the end of a running trial. */
export const extendTrial = onPlatform.POST('/api/v1/admin/subscriptions/{id}/extend-trial');

/** Redeems a coupon for a subscription. It replaces the present discount. */
export const applyCoupon = onPlatform.POST('/api/v1/admin/subscriptions/{id}/apply-coupon');

export type Coupon = components['schemas']['Coupon'];
export type CreateCoupon = components['schemas']['CreateCoupon'];

/** Reads one page of the coupons, newest first. */
export const couponsQuery = onPlatform.list('/api/v1/admin/catalog/coupons', ['commerce', 'coupons']);

/** Reads one coupon; the service refreshes how often it was redeemed. */
export const couponQuery = onPlatform.one('/api/v1/admin/catalog/coupons/{id}', ['commerce', 'coupon']);

export const createCoupon = onPlatform.POST('/api/v1/admin/catalog/coupons');

/** Ends the redemption of a coupon. Discounts that exist stay. */
export const archiveCoupon = onPlatform.DELETE('/api/v1/admin/catalog/coupons/{id}');
