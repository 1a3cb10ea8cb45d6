import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import type { BillingInterval } from './onboarding.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type BillingOverview = Schemas['BillingOverview'];
export type BillingDetails = Schemas['BillingDetails'];
export type Invoice = Schemas['Invoice'];
export type InvoiceLine = Schemas['InvoiceLine'];
export type CreditNote = Schemas['CreditNote'];
type InvoiceStatus = Schemas['InvoiceStatus'];
export type PlanPreview = Schemas['PlanPreview'];
export type PlanUsage = Schemas['PlanUsage'];
export type Subscription = Schemas['Subscription'];

/** The plan that a person wants. */
export interface WantedPlan {
  readonly plan_code: string;
  readonly interval?: BillingInterval;
  readonly currency?: string;
}

/** Query-key prefix of a tenant's billing. */
export function billingKey(surface: Surface): readonly unknown[] {
  return keyOf(surface, 'billing');
}

/** Reads the plan, its use, the subscription and the next invoice. */
export function billingQuery(surface: Surface) {
  return queryOptions({
    queryKey: [...billingKey(surface), 'overview'],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/billing/overview')),
  });
}

/** Reads what a change of plan costs and when it takes effect. The price depends on the moment, so it is never stale. */
export function planPreviewQuery(surface: Surface, wanted: WantedPlan) {
  return queryOptions({
    queryKey: [...billingKey(surface), 'plan-preview', wanted],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/billing/plan-preview', { params: { query: wanted } })),
    staleTime: 0,
    retry: false,
  });
}

/** Changes the plan, or returns the page on which the first payment is made. */
export function changePlan(surface: Surface, body: WantedPlan) {
  return dataOf(apiOf(surface).PUT('/api/v1/billing/plan', { body }));
}

/** Cancels the subscription at the end of its period, or resumes it. */
export function cancelAtPeriodEnd(surface: Surface, cancels: boolean): Promise<Subscription> {
  return dataOf(apiOf(surface).PUT('/api/v1/billing/subscription', { body: { cancel_at_period_end: cancels } }));
}

/** Changes the recipient of invoices. */
export function changeBillingDetails(surface: Surface, body: Schemas['ChangeBillingDetails']): Promise<BillingDetails> {
  return dataOf(apiOf(surface).PUT('/api/v1/billing/details', { body }));
}

/** Returns the provider's page on which cards and open invoices are managed. It needs no login. */
export async function openPortal(surface: Surface): Promise<string> {
  const { url } = await dataOf(apiOf(surface).GET('/api/v1/billing/portal-session'));
  return url;
}

/** Reads one page of a tenant's invoices. */
export function invoicesQuery(surface: Surface, query: { readonly status?: InvoiceStatus; readonly cursor?: string }) {
  return queryOptions({
    queryKey: [...billingKey(surface), 'invoices', query],
    queryFn: () =>
      bodyOf(apiOf(surface).GET('/api/v1/billing/invoices', { params: { query: { ...query, limit: 10 } } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads one invoice of a tenant. */
export function invoiceQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...billingKey(surface), 'invoice', id],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/billing/invoices/{id}', { params: { path: { id } } })),
  });
}
