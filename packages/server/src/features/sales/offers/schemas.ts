import { type Static, Type } from 'typebox';
import {
  described,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';

const OfferQuantity = Type.Union(
  [Type.Literal('policy'), Type.Literal('seats'), Type.Literal('licenses'), Type.Literal('ignore')],
  {
    title: 'OfferQuantity',
    description:
      '`policy`: one license for as many devices as the policy allows. `seats`: one license for quantity × ' +
      '`seats_per_unit` devices. `licenses`: one license for each. `ignore`: no license.',
  },
);

const OnRefund = Type.Union([Type.Literal('revoke'), Type.Literal('suspend'), Type.Literal('nothing')], {
  title: 'OfferRefund',
  description:
    'What a full refund or a lost dispute does. `revoke` is final, so a subscription that still runs is only suspended.',
});

const OnPaymentFailure = Type.Union([Type.Literal('nothing'), Type.Literal('suspend_after_days')], {
  title: 'OfferPaymentFailure',
  description:
    'What a missing payment does. `nothing`: the license ends with the period that is paid. `suspend_after_days`: it works ' +
    'for so many days more and is then suspended.',
});

const text = {
  external_id: "The shop's id of the item, such as a price.",
  name: 'The name of the item, for the users of the tenant.',
  policy_id: 'The policy of the licenses.',
  seats_per_unit: 'How many devices one unit allows; a request with it alone means `seats`.',
  suspend_after_days: 'After how many days a missing payment suspends; null unless `suspend_after_days`.',
};

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\p{Cc}]+$',
  description: text.external_id,
  examples: ['price_1PZ'],
});
const OfferName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}]+$', description: text.name });
const Seats = Type.Integer({ minimum: 1, maximum: 10_000, description: text.seats_per_unit });
const Days = Nullable(Type.Integer({ minimum: 0, maximum: 365 }), { description: text.suspend_after_days });

const exampleOffer = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a3',
  external_id: 'price_1PZ',
  name: 'Pro, yearly',
  policy_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
  quantity: 'seats',
  seats_per_unit: 1,
  on_refund: 'revoke',
  on_payment_failure: 'suspend_after_days',
  suspend_after_days: 14,
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

export const Offer = Type.Object(
  {
    id: Uuid,
    external_id: Type.String({ description: text.external_id }),
    name: Type.String({ description: text.name }),
    policy_id: described(Uuid, text.policy_id),
    quantity: OfferQuantity,
    seats_per_unit: Type.Integer({ description: text.seats_per_unit }),
    on_refund: OnRefund,
    on_payment_failure: OnPaymentFailure,
    suspend_after_days: Nullable(Type.Integer(), { description: text.suspend_after_days }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  { title: 'Offer', description: 'What an item of a shop becomes.', examples: [exampleOffer] },
);
export type Offer = Static<typeof Offer>;

export const CreateOffer = strictObject(
  withDefaults(
    {
      external_id: ExternalId,
      name: Type.Optional({ ...OfferName, description: `${text.name} Default: the shop's id.` }),
      policy_id: described(Uuid, text.policy_id),
      quantity: Type.Optional(OfferQuantity),
      seats_per_unit: Type.Optional(Seats),
      on_refund: Type.Optional(OnRefund),
      on_payment_failure: Type.Optional(OnPaymentFailure),
      suspend_after_days: Type.Optional(Days),
    },
    {
      quantity: 'policy',
      seats_per_unit: 1,
      on_refund: 'revoke',
      on_payment_failure: 'nothing',
      suspend_after_days: null,
    },
  ),
  {
    title: 'CreateOffer',
    description: 'A new offer of a connection.',
    examples: [{ external_id: 'price_1PZ', name: 'Pro, yearly', policy_id: exampleOffer.policy_id }],
  },
);
export type CreateOffer = Static<typeof CreateOffer>;

export const UpdateOffer = strictObject(
  {
    name: Type.Optional(OfferName),
    policy_id: Type.Optional(described(Uuid, text.policy_id)),
    quantity: Type.Optional(OfferQuantity),
    seats_per_unit: Type.Optional(Seats),
    on_refund: Type.Optional(OnRefund),
    on_payment_failure: Type.Optional(OnPaymentFailure),
    suspend_after_days: Type.Optional(Days),
  },
  {
    title: 'UpdateOffer',
    description: 'The fields of an offer to change. A field that is left out keeps its value.',
    examples: [{ seats_per_unit: 5 }],
  },
);
export type UpdateOffer = Static<typeof UpdateOffer>;

export const OffersQuery = PageQuery({});
export type OffersQuery = Static<typeof OffersQuery>;

/** The path parameters of one offer. */
export const OfferParams = Type.Object({ id: Uuid, offer_id: Uuid });
