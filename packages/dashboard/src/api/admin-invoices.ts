import type { CreditNote } from './billing.ts';
import { dataOf } from './body.ts';
import type { AdminInvoice } from './commerce.ts';
import { platformApi } from './platform.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type CreateInvoice = Schemas['CreateInvoice'];

const pathOf = (id: string) => ({ params: { path: { id } } });
const once = (key: string) => ({ 'Idempotency-Key': key });

/** Creates the draft of a single invoice. */
export function createInvoice(body: CreateInvoice, idempotencyKey: string): Promise<AdminInvoice> {
  return dataOf(platformApi().POST('/api/v1/admin/invoices', { params: { header: once(idempotencyKey) }, body }));
}

/** Pays a part of a paid invoice back, once per key. */
export function refundInvoice(id: string, body: Schemas['RefundInvoice'], idempotencyKey: string): Promise<CreditNote> {
  const params = { path: { id }, header: once(idempotencyKey) };
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
