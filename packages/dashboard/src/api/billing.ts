import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import type { BillingInterval } from './onboarding.ts';
import { platform } from './platform.ts';
import { Problem } from './problem.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type BillingOverview = Schemas['BillingOverview'];
export type BillingDetails = Schemas['BillingDetails'];
export type Invoice = Schemas['Invoice'];
export type InvoiceLine = Schemas['InvoiceLine'];
export type CreditNote = Schemas['CreditNote'];
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
export const changeSubscription = onSurface.PUT('/api/v1/billing/subscription');

/** Changes the recipient of invoices. */
export const changeBillingDetails = onSurface.PUT('/api/v1/billing/details');

/** Returns the provider's page on which cards and open invoices are managed. It needs no login. */
export async function openPortal(surface: Surface): Promise<string> {
  const { url } = await dataOf(apiOf(surface).GET('/api/v1/billing/portal-session'));
  return url;
}

/** Reads one page of a tenant's invoices. */
export const invoicesQuery = onSurface.list('/api/v1/billing/invoices', ['billing', 'invoices'], {
  query: { limit: 10 },
});

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

const filesOfOwner = {
  pdf: onSurface.file('/api/v1/billing/invoices/{id}/pdf'),
  html: onSurface.file('/api/v1/billing/invoices/{id}/html'),
  notePdf: onSurface.file('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/pdf'),
  noteHtml: onSurface.file('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/html'),
};

const filesOfAdmin: typeof filesOfOwner = {
  pdf: onSurface.file('/api/v1/admin/invoices/{id}/pdf'),
  html: onSurface.file('/api/v1/admin/invoices/{id}/html'),
  notePdf: onSurface.file('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/pdf'),
  noteHtml: onSurface.file('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/html'),
};

/** Reads a file. An admin reads it on the platform, whichever tenant is open. */
export function readInvoiceFile(surface: Surface, { invoiceId, creditNoteId, format }: InvoiceFile): Promise<Blob> {
  const isAdmin = surface.area === 'admin';
  const files = isAdmin ? filesOfAdmin : filesOfOwner;
  const on = isAdmin ? platform : surface;
  if (creditNoteId === null) return files[format](on, invoiceId);
  return files[format === 'pdf' ? 'notePdf' : 'noteHtml'](on, invoiceId, creditNoteId);
}
