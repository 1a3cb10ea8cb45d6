import { type Static, Type } from 'typebox';
import {
  described,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { providers } from '../shops/shop.ts';

const Provider = Type.Unsafe<(typeof providers)[number]>({
  type: 'string',
  enum: [...providers],
  title: 'SalesProvider',
  description: 'The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes.',
});

const ConnectionStatus = Type.Union([Type.Literal('active'), Type.Literal('disabled')], {
  title: 'ConnectionStatus',
  description: '`disabled`: its address refuses messages, and messages that wait are not applied.',
});

/** A secret that is stored encrypted and is never returned. */
function Secret(description: string) {
  return Type.String({ minLength: 6, maxLength: 4000, pattern: '^[\\x21-\\x7e]+$', description });
}

const text = {
  signing_secret: 'The secret with which the shop signs its messages. It is stored encrypted and never returned.',
  api_key: "A key of the shop's API, with which the service reads sales. It is stored encrypted and never returned.",
  compares_itself: "True: a comparison runs every night and applies what it finds. It needs the key of the shop's API.",
};

const exampleConnection = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a1',
  provider: 'stripe',
  name: 'Web shop',
  status: 'active',
  webhook_url: 'https://licenses.example.com/webhooks/sales/019a9b2f-6600-7a41-9b52-0c63d7e8f9a1',
  has_signing_secret: true,
  has_api_key: false,
  compares_itself: false,
  last_event_at: '2026-11-20T17:42:00.123456Z',
  problems_count: 0,
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

const fields = {
  id: Uuid,
  provider: Provider,
  name: Type.String({ description: 'The name of the shop, for the users of the tenant.' }),
  status: ConnectionStatus,
  webhook_url: Type.String({ description: 'The address to which the shop sends its messages.' }),
  has_signing_secret: Type.Boolean({ description: 'Whether a signing secret is stored.' }),
  has_api_key: Type.Boolean({ description: "Whether a key of the shop's API is stored." }),
  compares_itself: Type.Boolean({ description: text.compares_itself }),
  last_event_at: Nullable(TimestampOut, { description: 'When the latest message arrived; null before the first one.' }),
  problems_count: Type.Integer({
    description: 'The number of sales whose licenses do not match them, and of messages that failed; at most 1,000.',
  }),
  created_at: TimestampOut,
  updated_at: TimestampOut,
};

export const Connection = Type.Object(fields, {
  title: 'Connection',
  description: 'A shop that sells for the tenant.',
  examples: [exampleConnection],
});
export type Connection = Static<typeof Connection>;

/** The response of a creation: a generated secret is returned once. */
export const ConnectionWithSecret = Type.Object(
  {
    ...fields,
    signing_secret: Nullable(Type.String(), {
      description:
        'The generated secret of a `custom` shop. Only this response contains it; null if the request contained one.',
    }),
  },
  {
    title: 'ConnectionWithSecret',
    description: 'A new connection, with its secret if the service generated it.',
    examples: [{ ...exampleConnection, provider: 'custom', signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  },
);

const comparesItself = Type.Optional(Type.Boolean({ description: text.compares_itself }));

export const CreateConnection = strictObject(
  withDefaults(
    {
      provider: Provider,
      name: described(Name, 'The name of the shop, for the users of the tenant.'),
      signing_secret: Type.Optional(
        Secret(`${text.signing_secret} Until it is set, messages are refused. A \`custom\` shop gets a generated one.`),
      ),
      api_key: Type.Optional(Secret(`${text.api_key} Required for \`gumroad\`.`)),
      status: Type.Optional(ConnectionStatus),
      compares_itself: comparesItself,
    },
    { status: 'active', compares_itself: false },
  ),
  {
    title: 'CreateConnection',
    description: 'A new connection to a shop.',
    examples: [{ provider: 'custom', name: 'Web shop' }],
  },
);
export type CreateConnection = Static<typeof CreateConnection>;

export const UpdateConnection = strictObject(
  {
    name: Type.Optional(described(Name, 'The name of the shop, for the users of the tenant.')),
    signing_secret: Type.Optional(Secret(`${text.signing_secret} It replaces the former one at once.`)),
    api_key: Type.Optional(Nullable(Secret(text.api_key), { description: `${text.api_key} Null removes it.` })),
    status: Type.Optional(ConnectionStatus),
    compares_itself: comparesItself,
  },
  {
    title: 'UpdateConnection',
    description: 'The fields of a connection to change. A field that is left out keeps its value.',
    examples: [{ status: 'disabled' }],
  },
);
export type UpdateConnection = Static<typeof UpdateConnection>;

export const ConnectionsQuery = PageQuery({});
export type ConnectionsQuery = Static<typeof ConnectionsQuery>;

/** Something that the shop sells. */
const ShopOffer = Type.Object(
  {
    external_id: Type.String({ description: "The shop's id of the item." }),
    name: Type.String({ description: "The shop's name of the item." }),
    price: Nullable(Type.String(), { description: 'The price in words; null if the shop does not say it.' }),
  },
  {
    title: 'ShopOffer',
    description: 'Something that the shop sells, for the choice of an offer.',
    examples: [{ external_id: 'price_1PZ', name: 'Pro, yearly', price: '49.00 USD per year' }],
  },
);

export const ShopCatalog = Type.Object(
  { items: Type.Array(ShopOffer, { description: 'What the shop sells.' }) },
  {
    title: 'ShopCatalog',
    description: 'What the shop sells, by its own API.',
    examples: [{ items: [{ external_id: 'price_1PZ', name: 'Pro, yearly', price: '49.00 USD per year' }] }],
  },
);
