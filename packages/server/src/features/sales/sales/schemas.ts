import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, SearchText, TimestampOut, Uuid } from '../../../http/schema.ts';
import { providers } from '../shops/shop.ts';

const SaleKind = Type.Union([Type.Literal('subscription'), Type.Literal('one_time')], {
  title: 'SaleKind',
  description: 'A subscription ends or is renewed; a one-time sale is for ever, or for the term of its policy.',
});

const SaleState = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('active'),
    Type.Literal('past_due'),
    Type.Literal('paused'),
    Type.Literal('ended'),
    Type.Literal('refunded'),
    Type.Literal('disputed'),
  ],
  {
    title: 'SaleState',
    description:
      'The one state of a sale. `pending`: not paid yet. `past_due`: a payment is missing. `ended`: nothing is granted after ' +
      'the end. `refunded`: the payment of the present period was given back completely. `disputed`: its bank has taken it back, ' +
      'for good or until somebody decides.',
  },
);

const problemCodes = ['unmapped', 'too_many', 'limit_reached', 'refused', 'unusable'] as const;

const ProblemCode = Type.Unsafe<(typeof problemCodes)[number]>({
  type: 'string',
  enum: [...problemCodes],
  title: 'SaleProblemCode',
  description:
    '`unmapped`: an item has no offer. `too_many`: more than 1,000 licenses at once. `limit_reached`: the plan allows ' +
    'no more licenses. `refused`: a license could not be issued or changed, for example because its policy was deleted. ' +
    '`unusable`: the buyer has paid for a license that somebody suspended, revoked or deleted here.',
});

const SaleBuyer = Type.Object(
  {
    reference: Nullable(Type.String(), { description: "The shop's id of the customer." }),
    name: Nullable(Type.String(), { description: "The buyer's name." }),
    email: Nullable(Type.String(), { description: "The buyer's email address." }),
  },
  { title: 'SaleBuyer', description: 'Who bought, as far as the shop says it.' },
);

const Refund = Type.Union([Type.Literal('none'), Type.Literal('partial'), Type.Literal('full')], {
  title: 'SaleRefund',
  description: 'How much of the payment of the present period was given back.',
});

const Dispute = Type.Union([Type.Literal('none'), Type.Literal('open'), Type.Literal('lost')], {
  title: 'SaleDispute',
  description:
    'Of the payment of the present period. `open`: the bank of the buyer has taken the money until somebody decides.',
});

const SaleItem = Type.Object(
  {
    external_id: Type.String({ description: "The shop's id of what was sold." }),
    quantity: Type.Integer({ description: 'How many were sold.' }),
    offer_id: Nullable(Uuid, { description: 'The offer that says what it becomes; null: none does.' }),
    policy_id: Nullable(Uuid, { description: 'The policy of that offer.' }),
  },
  { title: 'SaleItem', description: 'One item of a sale.' },
);

const exampleSale = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a2',
  external_id: 'sub_1PZ',
  kind: 'subscription',
  state: 'active',
  buyer: { reference: 'cus_1PZ', name: 'Ada Lovelace', email: 'ada@example.com' },
  items: [
    {
      external_id: 'price_1PZ',
      quantity: 5,
      offer_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a3',
      policy_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
    },
  ],
  license_ids: ['019a9b1c-8e22-7f60-b1d7-93a4c5e6f709'],
  paid_until: '2027-11-20T17:42:00.000000Z',
  ends_at: null,
  refund: 'none',
  dispute: 'none',
  problem: null,
  shop_url: 'https://dashboard.stripe.com/subscriptions/sub_1PZ',
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

export const Sale = Type.Object(
  {
    id: Uuid,
    external_id: Type.String({ description: "The shop's id of the subscription or of the order." }),
    kind: SaleKind,
    state: SaleState,
    buyer: SaleBuyer,
    items: Type.Array(SaleItem, { description: 'What was sold.' }),
    license_ids: Type.Array(Uuid, { description: 'The licenses that it has issued, in their order.' }),
    paid_until: Nullable(TimestampOut, { description: 'The end of the period that is paid; null: it has none.' }),
    ends_at: Nullable(TimestampOut, { description: 'When a subscription ends or has ended, if that is known.' }),
    refund: Refund,
    dispute: Dispute,
    problem: Nullable(
      Type.Object(
        { code: ProblemCode, message: Type.String({ description: 'What is wrong and what to do, for people.' }) },
        { title: 'SaleProblem', description: 'Why the licenses of a sale do not match it.' },
      ),
    ),
    shop_url: Nullable(Type.String(), {
      description: "The sale in the shop's own dashboard; null: it has no address.",
    }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  { title: 'Sale', description: 'A subscription or an order in a shop, with its licenses.', examples: [exampleSale] },
);
export type Sale = Static<typeof Sale>;

const exampleLicenseSale = {
  connection_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a1',
  provider: 'stripe',
  sale: exampleSale,
};

export const LicenseSale = Type.Object(
  {
    connection_id: Uuid,
    provider: Type.Unsafe<(typeof providers)[number]>({ type: 'string', enum: [...providers], title: 'SalesProvider' }),
    sale: Sale,
  },
  {
    title: 'LicenseSale',
    description: 'The sale that issued a license, and the connection to its shop.',
    examples: [exampleLicenseSale],
  },
);
export type LicenseSale = Static<typeof LicenseSale>;

/** The answer for a license that may have no sale. */
export const LicenseSaleOrNull = Nullable(LicenseSale, {
  description: 'The sale of the license; null if no sale has issued it.',
  examples: [exampleLicenseSale],
});

export const SalesQuery = PageQuery({
  state: Type.Optional(SaleState),
  problem: Type.Optional(
    Type.Unsafe<'any' | (typeof problemCodes)[number]>({
      type: 'string',
      enum: ['any', ...problemCodes],
      description: 'Return only sales with this problem; `any`: with any problem.',
    }),
  ),
  q: Type.Optional(
    SearchText(
      "Words. Each must be a prefix of the shop's id of the sale, or of a word of the buyer's name, email address or " +
        'reference. Case and accents are ignored.',
    ),
  ),
});
export type SalesQuery = Static<typeof SalesQuery>;
