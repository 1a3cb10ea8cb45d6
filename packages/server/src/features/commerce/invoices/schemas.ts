import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';

const InvoiceStatus = Type.Union([
  Type.Literal('draft'),
  Type.Literal('open'),
  Type.Literal('paid'),
  Type.Literal('void'),
  Type.Literal('uncollectible'),
]);

const Amount = Type.Integer({ description: "The amount in the currency's minor unit." });

export const InvoiceLineView = Type.Object({
  description: Type.String(),
  quantity: Type.Integer(),
  amount: Amount,
  period_starts_at: Nullable(TimestampOut),
  period_ends_at: Nullable(TimestampOut),
});

/** The recipient of an invoice. */
export const CustomerView = Type.Object({
  name: Type.String(),
  email: Type.String(),
  address: Nullable(
    Type.Object({
      line1: Type.String(),
      line2: Nullable(Type.String()),
      city: Type.String(),
      postal_code: Nullable(Type.String()),
      state: Nullable(Type.String()),
      country: Type.String(),
    }),
  ),
  tax_id: Nullable(Type.String()),
});

/**
 * The view of an invoice for the owners of its tenant. After it is finalized, only its status and its payment change.
 */
export const Invoice = Type.Object({
  id: Uuid,
  number: Nullable(
    Type.String({ description: 'Assigned when the invoice is finalized, without gaps; null for a draft.' }),
  ),
  status: InvoiceStatus,
  currency: Type.String(),
  subtotal: Amount,
  tax: Amount,
  total: Amount,
  amount_due: Amount,
  amount_paid: Amount,
  lines: Type.Array(InvoiceLineView),
  customer: Nullable(CustomerView),
  payment_url: Nullable(
    Type.String({ description: 'The page on which an open invoice is paid without a login; null otherwise.' }),
  ),
  attempt_count: Type.Integer(),
  next_attempt_at: Nullable(TimestampOut),
  due_at: Nullable(TimestampOut),
  finalized_at: Nullable(TimestampOut),
  paid_at: Nullable(TimestampOut),
  created_at: TimestampOut,
});
export type Invoice = Static<typeof Invoice>;

/** The view of an invoice for admins. */
export const AdminInvoice = Type.Object({
  ...Invoice.properties,
  tenant_id: Uuid,
  subscription_id: Nullable(Uuid),
  provider: Type.String(),
  provider_invoice_id: Type.String(),
});
export type AdminInvoice = Static<typeof AdminInvoice>;

export const InvoicesQuery = PageQuery({ status: Type.Optional(InvoiceStatus) });
export type InvoicesQuery = Static<typeof InvoicesQuery>;

export const AdminInvoicesQuery = PageQuery({
  status: Type.Optional(InvoiceStatus),
  tenant_id: Type.Optional(Uuid),
});
export type AdminInvoicesQuery = Static<typeof AdminInvoicesQuery>;
