import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, Uuid } from '../../../http/schema.ts';

export const PurchaseQuery = strictObject({
  connection: described(Uuid, 'The id of the connection to the shop.'),
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The id of the checkout, which the shop puts into the address.',
    examples: ['cs_test_a1b2c3d4e5f6'],
  }),
});

const PurchasedLicense = Type.Object(
  {
    product_name: Type.String(),
    policy_name: Type.String({ description: 'The name of the terms.' }),
    key: Nullable(Type.String(), {
      description:
        'The whole key, for an hour after the checkout; null: the key is masked, or the license is not usable.',
    }),
    key_hint: Type.String({ description: 'The masked key.' }),
  },
  { title: 'PurchasedLicense', description: 'A license of a purchase.' },
);

export const Purchase = Type.Object(
  {
    state: Type.Union([Type.Literal('waiting'), Type.Literal('ready'), Type.Literal('problem')], {
      title: 'PurchaseState',
      description:
        '`waiting`: the shop has not reported the payment yet, or there is no such checkout. `ready`: the licenses ' +
        'are issued. `problem`: the vendor has to do something, and knows it.',
    }),
    licenses: Type.Array(PurchasedLicense, { description: 'The licenses, at most 100 of them.' }),
    licenses_count: Type.Integer({ description: 'How many licenses the purchase has.' }),
    has_downloads: Type.Boolean({ description: 'Whether the portal offers files of a product.' }),
    email_hint: Nullable(Type.String(), {
      description: 'The masked address that gets a mail with the key; null: no mail follows, or an hour has passed.',
    }),
  },
  {
    title: 'Purchase',
    description: 'What became of a purchase, for the buyer who has just paid.',
    examples: [
      {
        state: 'ready',
        licenses: [
          {
            product_name: 'Editor',
            policy_name: 'Pro, yearly',
            key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT',
            key_hint: '…MPJT',
          },
        ],
        licenses_count: 1,
        has_downloads: true,
        email_hint: 'a…@example.com',
      },
    ],
  },
);
export type Purchase = Static<typeof Purchase>;
