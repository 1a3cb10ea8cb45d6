import { type Static, Type } from 'typebox';
import { described, strictObject, Uuid } from '../../../http/schema.ts';
import { Currency, maxAmount } from '../plans/schemas.ts';

const text = '^[^\\u0000]*$';

const NewLine = strictObject(
  {
    description: Type.String({ minLength: 1, maxLength: 500, pattern: text, description: 'The text of the line.' }),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How many are sold.' }),
    unit_amount: Type.Integer({
      minimum: -maxAmount,
      maximum: maxAmount,
      description: "The price of one, in the currency's minor unit; negative for a deduction.",
    }),
  },
  { title: 'CreateInvoiceLine' },
);

export const CreateInvoice = strictObject(
  {
    tenant_id: described(Uuid, 'The tenant that pays. It needs no subscription.'),
    currency: Currency,
    lines: Type.Array(NewLine, { minItems: 1, maxItems: 100, description: 'They add up to an amount above 0.' }),
    due_in_days: Type.Integer({ minimum: 0, maximum: 365, description: 'The days from finalizing to the due date.' }),
  },
  {
    title: 'CreateInvoice',
    examples: [
      {
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        currency: 'eur',
        lines: [{ description: 'Migration, per day', quantity: 2, unit_amount: 120_000 }],
        due_in_days: 14,
      },
    ],
  },
);
export type CreateInvoice = Static<typeof CreateInvoice>;

export const RefundInvoice = strictObject(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxAmount,
        description: "With tax, in the currency's minor unit. Absent: all that is left of the payment.",
      }),
    ),
    reason: Type.String({ minLength: 1, maxLength: 500, pattern: text, description: 'Shown on the credit note.' }),
  },
  { title: 'RefundInvoice', examples: [{ amount: 1000, reason: 'Outage of 18 November 2026' }] },
);
export type RefundInvoice = Static<typeof RefundInvoice>;
