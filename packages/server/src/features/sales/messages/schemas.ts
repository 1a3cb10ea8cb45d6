import { type Static, Type } from 'typebox';
import {
  described,
  Email,
  FilterText,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { effectNames } from '../sales/context.ts';

const EventState = Type.Union(
  [Type.Literal('pending'), Type.Literal('applied'), Type.Literal('nothing'), Type.Literal('failed')],
  {
    title: 'SaleEventState',
    description:
      '`pending`: it waits. `applied`: it changed licenses. `nothing`: there was nothing to change. `failed`: see `reason`.',
  },
);

const SaleEffect = Type.Object(
  {
    effect: Type.Unsafe<(typeof effectNames)[number]>({
      type: 'string',
      enum: [...effectNames],
      title: 'SaleEffectName',
      description: 'What happened to the license.',
    }),
    license_id: Uuid,
  },
  { title: 'SaleEffect', description: 'What a message did to one license.' },
);

const exampleEvent = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a4',
  external_id: 'evt_1PZ',
  type: 'invoice.paid',
  occurred_at: '2026-11-20T17:42:00.000000Z',
  received_at: '2026-11-20T17:42:01.123456Z',
  state: 'applied',
  attempts: 1,
  next_attempt_at: null,
  effects: [{ effect: 'issued', license_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f709' }],
  reason: null,
  sale_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a2',
};

export const SaleEvent = Type.Object(
  {
    id: Uuid,
    external_id: Type.String({ description: "The shop's id of the message, or a hash of its body." }),
    type: Type.String({ description: "The shop's own name of the event." }),
    occurred_at: Nullable(TimestampOut, { description: 'By the clock of the shop; null if it does not say it.' }),
    received_at: TimestampOut,
    state: EventState,
    attempts: Type.Integer({ description: 'How often the service has tried to apply it.' }),
    next_attempt_at: Nullable(TimestampOut, { description: 'When the service tries next; null: only a person can.' }),
    effects: Type.Array(SaleEffect, { description: 'What it did, in order.' }),
    reason: Nullable(Type.String(), { description: 'Why it did nothing or failed, for people.' }),
    sale_id: Nullable(Uuid, { description: 'The sale that it is about.' }),
    body: Type.Optional(
      Nullable(Type.String(), {
        description: 'The message as the shop sent it. Only for one event, and only for owners and admins.',
      }),
    ),
  },
  { title: 'SaleEvent', description: 'A message of a shop, with what it did.', examples: [exampleEvent] },
);
export type SaleEvent = Static<typeof SaleEvent>;

export const SaleEventsQuery = PageQuery({
  state: Type.Optional(EventState),
  sale_id: Type.Optional(described(Uuid, 'Return only messages about this sale.')),
});
export type SaleEventsQuery = Static<typeof SaleEventsQuery>;

export const SendTestSale = strictObject(
  {
    email: Type.Optional({ ...Email, description: 'The address of the buyer. Default: the address of the caller.' }),
    external_id: Type.Optional(FilterText(200, 'The item that is sold. Default: that of the first offer.')),
  },
  { title: 'SendTestSale', description: 'What the test sale sells, and to whom.', examples: [{}] },
);
export type SendTestSale = Static<typeof SendTestSale>;

export const TestSale = Type.Object(
  {
    event_id: Uuid,
    sale_external_id: Type.String({ description: 'The id of the sale in the imagined shop.' }),
    checkout_id: Type.String({ description: 'The id of the checkout, for the address of the purchase page.' }),
  },
  {
    title: 'TestSale',
    description: 'A message that was sent through the real path.',
    examples: [
      {
        event_id: exampleEvent.id,
        sale_external_id: 'test-019a9b2f-6600-7a41-9b52-0c63d7e8f9a4',
        checkout_id: 'test-checkout-7d3c1f0a9be24c5f8a16',
      },
    ],
  },
);
