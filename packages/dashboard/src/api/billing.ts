import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import type { BillingInterval } from './onboarding.ts';
import { Problem } from './problem.ts';
import { keyOf, listQuery } from './query-client.ts';
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
export const billingQuery = onSurface.one('/api/v1/billing/overview', ['billing', 'overview']);

/** Reads what a change of plan costs and when it takes effect. The price depends on the moment, so it is never stale. */
export const planPreviewQuery = onSurface.one('/api/v1/billing/plan-preview', ['billing', 'plan-preview'], {
  staleTime: 0,
  retry: false,
});

/** Changes the plan, or returns the page on which the first payment is made. */
export const changePlan = onSurface.PUT('/api/v1/billing/plan');

/** Cancels the subscription at the end of its period, or resumes it. */
export function cancelAtPeriodEnd(surface: Surface, cancels: boolean): Promise<Subscription> {
  return dataOf(apiOf(surface).PUT('/api/v1/billing/subscription', { body: { cancel_at_period_end: cancels } }));
}

/** Changes the recipient of invoices. */
export const changeBillingDetails = onSurface.PUT('/api/v1/billing/details');

/** Returns the provider's page on which cards and open invoices are managed. It needs no login. */
export async function openPortal(surface: Surface): Promise<string> {
  const { url } = await dataOf(apiOf(surface).GET('/api/v1/billing/portal-session'));
  return url;
}

/** Reads one page of a tenant's invoices. */
export function invoicesQuery(surface: Surface, query: { readonly status?: InvoiceStatus; readonly cursor?: string }) {
  return listQuery([...billingKey(surface), 'invoices', query], () =>
    bodyOf(apiOf(surface).GET('/api/v1/billing/invoices', { params: { query: { ...query, limit: 10 } } })),
  );
}

/** Reads one invoice of a tenant. */
export const invoiceQuery = onSurface.one('/api/v1/billing/invoices/{id}', ['billing', 'invoice']);

const suspended = 'TENANT.STATUS.SUSPENDED';

/**
 * Reads where the owner of a suspended tenant pays: the refusal of any billing call names the page of the open invoice.
 * Null if nothing is open.
 */
export function suspensionQuery(tenantId: string) {
  const surface = { area: 'tenant', tenantId } as const;
  return queryOptions({
    queryKey: keyOf(surface, 'suspension'),
    queryFn: async (): Promise<{ readonly paymentUrl: string | null }> => {
      try {
        await bodyOf(apiOf(surface).GET('/api/v1/billing/overview'));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== suspended) throw error;
        return { paymentUrl: error.details.find(({ field }) => field === 'payment_url')?.message ?? null };
      }
      return { paymentUrl: null };
    },
    staleTime: 60_000,
  });
}

/** A file of an invoice, or of one of its credit notes. */
export interface InvoiceFile {
  readonly invoiceId: string;
  /** Null for the invoice itself. */
  readonly creditNoteId: string | null;
  readonly format: 'pdf' | 'html';
}

/** Reads a file. A link cannot send the session's token, so the page fetches the file. */
export async function readInvoiceFile(surface: Surface, file: InvoiceFile): Promise<Blob> {
  const { data } = await (surface.area === 'admin' ? readAsAdmin(file) : readAsOwner(surface, file));
  if (data === undefined) throw new Error('The service sent no file. Try again.');
  return data;
}

function readAsOwner(surface: Surface, { invoiceId: id, creditNoteId, format }: InvoiceFile) {
  const api = apiOf(surface);
  if (creditNoteId === null) {
    const options = { params: { path: { id } }, parseAs: 'blob' } as const;
    return format === 'pdf'
      ? api.GET('/api/v1/billing/invoices/{id}/pdf', options)
      : api.GET('/api/v1/billing/invoices/{id}/html', options);
  }
  const options = { params: { path: { id, creditNoteId } }, parseAs: 'blob' } as const;
  return format === 'pdf'
    ? api.GET('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/pdf', options)
    : api.GET('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/html', options);
}

function readAsAdmin({ invoiceId: id, creditNoteId, format }: InvoiceFile) {
  const api = apiOf({ area: 'admin', tenantId: null });
  if (creditNoteId === null) {
    const options = { params: { path: { id } }, parseAs: 'blob' } as const;
    return format === 'pdf'
      ? api.GET('/api/v1/admin/invoices/{id}/pdf', options)
      : api.GET('/api/v1/admin/invoices/{id}/html', options);
  }
  const options = { params: { path: { id, creditNoteId } }, parseAs: 'blob' } as const;
  return format === 'pdf'
    ? api.GET('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/pdf', options)
    : api.GET('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/html', options);
}
