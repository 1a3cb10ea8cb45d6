import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Amount, CurrencyOut } from '../plans/schemas.ts';

const InvoiceStatus = Type.Union(
  [
    Type.Literal('draft'),
    Type.Literal('open'),
    Type.Literal('paid'),
    Type.Literal('void'),
    Type.Literal('uncollectible'),
  ],
  { title: 'InvoiceStatus', description: 'An invoice cannot be changed once it is no longer a `draft`.' },
);

export const InvoiceLineView = Type.Object(
  {
    description: Type.String(),
    quantity: Type.Integer(),
    amount: described(Amount, "The amount of the line, in the currency's minor unit."),
    period_starts_at: Nullable(TimestampOut, { description: 'The start of the period that the line pays for.' }),
    period_ends_at: Nullable(TimestampOut, { description: 'The end of that period.' }),
  },
  { title: 'InvoiceLine', description: 'A line of an invoice.' },
);

const CustomerAddress = Type.Object(
  {
    line1: Type.String(),
    line2: Nullable(Type.String()),
    city: Type.String(),
    postal_code: Nullable(Type.String()),
    state: Nullable(Type.String()),
    country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  },
  { title: 'Address', description: 'A postal address.' },
);

/** The recipient of an invoice. */
export const CustomerView = Type.Object(
  {
    name: Type.String(),
    email: Type.String({ description: 'The address that receives invoices.' }),
    address: Nullable(CustomerAddress),
    tax_id: Nullable(Type.String(), { description: 'The VAT or tax number.' }),
  },
  {
    title: 'BillingDetails',
    description: 'The recipient of invoices.',
    examples: [
      {
        name: 'Acme GmbH',
        email: 'billing@example.com',
        address: {
          line1: 'Hauptstraße 1',
          line2: null,
          city: 'Berlin',
          postal_code: '10115',
          state: null,
          country: 'DE',
        },
        tax_id: 'DE123456789',
      },
    ],
  },
);

const TaxLineView = Type.Object(
  {
    country: Nullable(Type.String(), { description: 'Whose tax it is, ISO 3166-1 alpha-2; null if unknown.' }),
    rate: Type.Number({ description: 'The rate in percent.' }),
    treatment: Type.Union([Type.Literal('standard'), Type.Literal('reverse_charge'), Type.Literal('not_collected')], {
      description: '`reverse_charge`: the customer owes the tax itself.',
    }),
    base: described(Amount, "The taxed amount, in the currency's minor unit."),
    amount: described(Amount, "The tax, in the currency's minor unit."),
  },
  { title: 'InvoiceTax', description: 'The tax of an invoice at one rate.' },
);

/** A credit note of an invoice. */
export const CreditNote = Type.Object(
  {
    id: Uuid,
    number: Type.String({ description: 'The printed number. The numbers of a tenant have no gaps.' }),
    amount: described(Amount, "The refunded amount with tax, in the currency's minor unit."),
    tax: described(Amount, 'The part of `amount` that is tax.'),
    reason: Nullable(Type.String()),
    created_at: TimestampOut,
  },
  {
    title: 'CreditNote',
    description: 'A refund of an invoice, in whole or in part. It is immutable.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f729',
        number: '9F3A01BC-CN-0001',
        amount: 1000,
        tax: 160,
        reason: 'Outage of 18 November 2026',
        created_at: '2026-11-22T09:00:00.000000Z',
      },
    ],
  },
);
export type CreditNote = Static<typeof CreditNote>;

const exampleInvoice = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f724',
  number: 'INV-2026-000042',
  status: 'open',
  currency: 'usd',
  collection_method: 'charge',
  subtotal: 4900,
  discount: 0,
  tax: 0,
  taxes: [],
  total: 4900,
  amount_due: 4900,
  amount_paid: 0,
  amount_refunded: 0,
  credit_notes: [],
  lines: [
    {
      description: 'Team, monthly',
      quantity: 1,
      amount: 4900,
      period_starts_at: '2026-11-20T17:42:00.000000Z',
      period_ends_at: '2026-12-20T17:42:00.000000Z',
    },
  ],
  customer: null,
  payment_url: 'https://invoice.stripe.com/i/acct_1/live_YWNjdF8x',
  attempt_count: 0,
  next_attempt_at: null,
  due_at: '2026-12-04T17:42:00.000000Z',
  finalized_at: '2026-11-20T17:42:00.000000Z',
  paid_at: null,
  sent_at: null,
  reminded_at: null,
  created_at: '2026-11-20T17:42:00.123456Z',
};

/**
 * The view of an invoice for the owners of its tenant. After it is finalized, only its status, its payment and its
 * credit notes change.
 */
export const Invoice = Type.Object(
  {
    id: Uuid,
    number: Nullable(Type.String(), {
      description: 'Assigned when the invoice is finalized, without gaps; null for a draft.',
    }),
    status: InvoiceStatus,
    currency: CurrencyOut,
    collection_method: Type.Union([Type.Literal('charge'), Type.Literal('send')], {
      description: '`charge`: collected from the payment method; `send`: the customer pays it.',
    }),
    subtotal: described(Amount, "The sum of the lines before tax, in the currency's minor unit."),
    discount: described(Amount, "What the discount takes off the subtotal, in the currency's minor unit."),
    tax: described(Amount, "The tax, in the currency's minor unit."),
    taxes: Type.Array(TaxLineView, { description: 'The tax by rate. The amounts add up to `tax`.' }),
    total: described(Amount, "The sum with discount and tax, in the currency's minor unit."),
    amount_due: described(Amount, 'The amount due after credit, in minor units; a payment does not lower it.'),
    amount_paid: described(Amount, "The amount already paid, in the currency's minor unit."),
    amount_refunded: described(Amount, "The sum of the credit notes, in the currency's minor unit."),
    credit_notes: Type.Array(CreditNote, { description: 'The credit notes, the oldest first.' }),
    lines: Type.Array(InvoiceLineView),
    customer: Nullable(CustomerView),
    payment_url: Nullable(Type.String(), {
      description: 'The page on which an open invoice is paid without a login; null otherwise.',
    }),
    attempt_count: Type.Integer({ description: 'The number of attempts to collect the payment.' }),
    next_attempt_at: Nullable(TimestampOut, { description: 'The time of the next attempt; null if none follows.' }),
    due_at: Nullable(TimestampOut, { description: 'When the payment is due.' }),
    finalized_at: Nullable(TimestampOut, { description: 'When the invoice became final; null for a draft.' }),
    paid_at: Nullable(TimestampOut, { description: 'When it was paid.' }),
    sent_at: Nullable(TimestampOut, { description: 'When it was last mailed to the customer.' }),
    reminded_at: Nullable(TimestampOut, { description: 'When the customer was last reminded.' }),
    created_at: TimestampOut,
  },
  { title: 'Invoice', description: 'An invoice of a tenant.', examples: [exampleInvoice] },
);
export type Invoice = Static<typeof Invoice>;

/** The view of an invoice for admins. */
export const AdminInvoice = Type.Object(
  {
    ...Invoice.properties,
    tenant_id: Uuid,
    tenant_name: Type.String(),
    subscription_id: Nullable(Uuid, { description: 'Null for a single invoice.' }),
    provider: Type.String({ description: 'The payment provider: `stripe` or `sandbox`.' }),
    provider_invoice_id: Type.String({ description: 'The id at the payment provider.' }),
  },
  {
    title: 'AdminInvoice',
    description: 'An invoice as admins see it.',
    examples: [
      {
        ...exampleInvoice,
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        tenant_name: 'Acme',
        subscription_id: '019a9b50-4d00-7f43-8054-2b65c7d8e9f0',
        provider: 'stripe',
        provider_invoice_id: 'in_1Qabc23DefGhiJkl',
      },
    ],
  },
);
export type AdminInvoice = Static<typeof AdminInvoice>;

const Status = Type.Optional(described(InvoiceStatus, 'Return only invoices with this status.'));

export const InvoicesQuery = PageQuery({ status: Status });
export type InvoicesQuery = Static<typeof InvoicesQuery>;

export const AdminInvoicesQuery = PageQuery({
  status: Status,
  tenant_id: Type.Optional(described(Uuid, 'Return only invoices of this tenant.')),
});
export type AdminInvoicesQuery = Static<typeof AdminInvoicesQuery>;
