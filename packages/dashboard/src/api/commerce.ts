import { queryOptions } from '@tanstack/react-query';
import type { CreditNote } from './billing.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { platformApi } from './platform.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations, paths } from './schema.gen.ts';

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

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

const platform = { area: 'admin', tenantId: null } as const;
const api = () => apiOf(platform);

/** Query-key prefix of the platform's plans, subscriptions, invoices and payments. */
export const commerceKey = keyOf(platform, 'commerce');
const key = (...rest: readonly unknown[]) => [...commerceKey, ...rest];
const pathOf = (id: string) => ({ params: { path: { id } } });

/** Reads one page of the plans as admins see them. */
export function adminPlansQuery(query: QueryOf<'/api/v1/admin/catalog/plans'>) {
  return listQuery(key('plans', query), () => bodyOf(api().GET('/api/v1/admin/catalog/plans', { params: { query } })));
}

/** Reads one plan. */
export function adminPlanQuery(id: string) {
  return queryOptions({
    queryKey: key('plan', id),
    queryFn: () => dataOf(api().GET('/api/v1/admin/catalog/plans/{id}', pathOf(id))),
  });
}

export const createPlan = (body: Schemas['CreatePlan']) => dataOf(api().POST('/api/v1/admin/catalog/plans', { body }));
export const updatePlan = (id: string, body: Schemas['UpdatePlan']) =>
  dataOf(api().PUT('/api/v1/admin/catalog/plans/{id}', { ...pathOf(id), body }));
export const deletePlan = (id: string) => dataOf(api().DELETE('/api/v1/admin/catalog/plans/{id}', pathOf(id)));

/** Reads one page of the catalog's products. */
export function catalogProductsQuery(query: QueryOf<'/api/v1/admin/catalog/products'>) {
  return listQuery(key('products', query), () =>
    bodyOf(api().GET('/api/v1/admin/catalog/products', { params: { query } })),
  );
}

/** Reads one product of the catalog. */
export function catalogProductQuery(id: string) {
  return queryOptions({
    queryKey: key('product', id),
    queryFn: () => dataOf(api().GET('/api/v1/admin/catalog/products/{id}', pathOf(id))),
  });
}

export const createCatalogProduct = (body: Schemas['CreateCatalogProduct']) =>
  dataOf(api().POST('/api/v1/admin/catalog/products', { body }));
export const updateCatalogProduct = (id: string, body: Schemas['UpdateCatalogProduct']) =>
  dataOf(api().PUT('/api/v1/admin/catalog/products/{id}', { ...pathOf(id), body }));
export const deleteCatalogProduct = (id: string) =>
  dataOf(api().DELETE('/api/v1/admin/catalog/products/{id}', pathOf(id)));

/** Reads one page of the subscriptions of all tenants. */
export function subscriptionsQuery(query: QueryOf<'/api/v1/admin/subscriptions'>) {
  return listQuery(key('subscriptions', query), () =>
    bodyOf(api().GET('/api/v1/admin/subscriptions', { params: { query } })),
  );
}

/** Reads one subscription. */
export function subscriptionQuery(id: string) {
  return queryOptions({
    queryKey: key('subscription', id),
    queryFn: () => dataOf(api().GET('/api/v1/admin/subscriptions/{id}', pathOf(id))),
  });
}

/** Reads one page of the invoices of all tenants. */
export function adminInvoicesQuery(query: QueryOf<'/api/v1/admin/invoices'>) {
  return listQuery(key('invoices', query), () => bodyOf(api().GET('/api/v1/admin/invoices', { params: { query } })));
}

/** Reads one invoice of any tenant. */
export function adminInvoiceQuery(id: string) {
  return queryOptions({
    queryKey: key('invoice', id),
    queryFn: () => dataOf(api().GET('/api/v1/admin/invoices/{id}', pathOf(id))),
  });
}

/** Reads the revenue, the churn and the overdue amounts. */
export const revenueQuery = queryOptions({
  queryKey: key('revenue'),
  queryFn: () => dataOf(api().GET('/api/v1/admin/billing/overview')),
});

/** Reads one page of the overdue subscriptions. */
export function dunningQuery(query: QueryOf<'/api/v1/admin/billing/dunning'>) {
  return listQuery(
    key('dunning', query),
    () => bodyOf(api().GET('/api/v1/admin/billing/dunning', { params: { query } })),
    { refetchInterval: 30_000 },
  );
}

/** Reads one page of the subscriptions at the provider that belong to no tenant. */
export function orphansQuery(query: QueryOf<'/api/v1/admin/billing/orphans'>) {
  return listQuery(key('orphans', query), () =>
    bodyOf(api().GET('/api/v1/admin/billing/orphans', { params: { query } })),
  );
}

/** Reads one page of the provider's events. */
export function paymentEventsQuery(query: QueryOf<'/api/v1/admin/billing/events'>) {
  return listQuery(
    key('events', query),
    () => bodyOf(api().GET('/api/v1/admin/billing/events', { params: { query } })),
    { refetchInterval: 15_000 },
  );
}

export const replayPaymentEvent = (id: string) =>
  dataOf(api().POST('/api/v1/admin/billing/events/{id}/replay', pathOf(id)));

/** Reads one page of the decisions of the billing guard. */
export function billingDecisionsQuery(query: QueryOf<'/api/v1/admin/billing/authorization-log'>) {
  return listQuery(key('authorization-log', query), () =>
    bodyOf(api().GET('/api/v1/admin/billing/authorization-log', { params: { query } })),
  );
}

export const grantCredit = (body: Schemas['CreateCredit']) =>
  dataOf(api().POST('/api/v1/admin/billing/credits', { body }));

/** Reads the clock of the payment sandbox; 404 with another provider. */
export const sandboxClockQuery = queryOptions({
  queryKey: key('sandbox-clock'),
  queryFn: () => dataOf(api().GET('/api/v1/admin/billing/sandbox/clock')),
  retry: false,
});

export const advanceSandboxClock = (body: Schemas['AdvanceSandboxClock']) =>
  dataOf(api().POST('/api/v1/admin/billing/sandbox/clock', { body }));

export type CreateInvoice = Schemas['CreateInvoice'];

/** Creates the draft of a single invoice. */
export function createInvoice(body: CreateInvoice, idempotencyKey: string): Promise<AdminInvoice> {
  return dataOf(platformApi().POST('/api/v1/admin/invoices', { params: once(idempotencyKey), body }));
}

/** Refunds a part of a paid invoice, once per key. */
export function refundInvoice(id: string, body: Schemas['RefundInvoice'], idempotencyKey: string): Promise<CreditNote> {
  const params = { path: { id }, ...once(idempotencyKey) };
  return dataOf(platformApi().POST('/api/v1/admin/invoices/{id}/refund', { params, body }));
}

/** An action on an invoice that needs no further answer. */
export type InvoiceAction = 'delete' | 'finalize' | 'send' | 'remind' | 'void' | 'mark-uncollectible' | 'retry';

/** Performs an action on an invoice at the payment provider. */
export async function actOnInvoice(id: string, action: InvoiceAction): Promise<unknown> {
  const api = platformApi();
  switch (action) {
    case 'delete':
      return api.DELETE('/api/v1/admin/invoices/{id}', pathOf(id));
    case 'finalize':
      return api.POST('/api/v1/admin/invoices/{id}/finalize', pathOf(id));
    case 'send':
      return api.POST('/api/v1/admin/invoices/{id}/send', pathOf(id));
    case 'remind':
      return api.POST('/api/v1/admin/invoices/{id}/remind', pathOf(id));
    case 'void':
      return api.POST('/api/v1/admin/billing/invoices/{id}/void', pathOf(id));
    case 'mark-uncollectible':
      return api.POST('/api/v1/admin/billing/invoices/{id}/mark-uncollectible', pathOf(id));
    case 'retry':
      return api.POST('/api/v1/admin/billing/invoices/{id}/retry', pathOf(id));
  }
}

type Answer = Promise<AdminSubscription>;

/** Ends a subscription now, or with its period. */
export function cancelSubscription(id: string, body: Schemas['CancelSubscription']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/cancel', { ...pathOf(id), body }));
}

/** Revokes the cancellation of a subscription that has not ended yet. */
export function resumeSubscription(id: string): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/resume', pathOf(id)));
}

/** Changes the plan of a subscription at once. */
export function changeSubscriptionPlan(id: string, body: Schemas['ChangeSubscriptionPlan']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/change-plan', { ...pathOf(id), body }));
}

/** Moves the end of a running trial. */
export function extendTrial(id: string, body: Schemas['ExtendTrial']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/extend-trial', { ...pathOf(id), body }));
}

/** Redeems a coupon for a subscription. It replaces the present discount. */
export function applyCoupon(id: string, body: Schemas['ApplyCoupon']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/apply-coupon', { ...pathOf(id), body }));
}

export type Coupon = components['schemas']['Coupon'];
export type CreateCoupon = components['schemas']['CreateCoupon'];
type CouponFilters = NonNullable<operations['adminListCoupons']['parameters']['query']>;

/** Reads one page of the coupons, newest first. */
export function couponsQuery(query: CouponFilters) {
  return listQuery([...commerceKey, 'coupons', query], () =>
    bodyOf(platformApi().GET('/api/v1/admin/catalog/coupons', { params: { query } })),
  );
}

/** Reads one coupon; the service refreshes how often it was redeemed. */
export function couponQuery(id: string) {
  return queryOptions({
    queryKey: [...commerceKey, 'coupon', id],
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/catalog/coupons/{id}', pathOf(id))),
  });
}

export const createCoupon = (body: CreateCoupon) =>
  dataOf(platformApi().POST('/api/v1/admin/catalog/coupons', { body }));

/** Ends the redemption of a coupon. Discounts that exist stay. */
export const archiveCoupon = (id: string) =>
  dataOf(platformApi().DELETE('/api/v1/admin/catalog/coupons/{id}', pathOf(id)));
