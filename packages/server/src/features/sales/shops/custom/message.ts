import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { strictObject, TimestampIn } from '../../../../http/schema.ts';
import { saleEventTypes } from '../sale-fact.ts';

/** An id of the vendor's own shop. */
function Id(description: string) {
  return Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}]+$', description });
}

function Time(description: string) {
  return Type.Optional(Type.Union([TimestampIn, Type.Null()], { description }));
}

const optionalText = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()], { description }));

/** The body of a message of a hand-made shop. Every field of `sale` that is left out keeps what was said earlier. */
export const CustomMessage = strictObject(
  {
    type: Type.Unsafe<(typeof saleEventTypes)[number]>({
      type: 'string',
      enum: [...saleEventTypes],
      description: 'What happened. It sets the fields that follow from it, unless the message contains them.',
    }),
    at: { ...TimestampIn, description: 'When it happened. It decides between messages that arrive in another order.' },
    sale: strictObject(
      {
        id: Id('Your id of the subscription or of the order: the same in every message about it.'),
        kind: Type.Optional(Type.Union([Type.Literal('subscription'), Type.Literal('one_time')])),
        started_at: Type.Optional({ ...TimestampIn, description: 'When the buyer bought.' }),
        state: Type.Optional(
          Type.Union([
            Type.Literal('pending'),
            Type.Literal('active'),
            Type.Literal('past_due'),
            Type.Literal('paused'),
            Type.Literal('ended'),
          ]),
        ),
        checkout_id: Type.Optional(
          Id(
            'An unguessable id that your shop adds to the address of the purchase page: whoever knows it sees the key.',
          ),
        ),
        buyer: Type.Optional(
          strictObject({
            id: optionalText('Your id of the customer.'),
            name: optionalText("The buyer's name."),
            email: optionalText("The buyer's email address."),
          }),
        ),
        items: Type.Optional(
          Type.Array(
            strictObject({
              id: Id('Your id of what was sold, as in the offer.'),
              quantity: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
            }),
            { maxItems: 100 },
          ),
        ),
        paid_since: Time('When the period began that is paid.'),
        paid_until: Time('The end of the period that is paid; null: for ever.'),
        ends_at: Time('When the subscription ends; null: it does not.'),
        past_due_since: Time('Since when a payment is missing; null: none is.'),
        refund: Type.Optional(
          strictObject({
            amount: Type.Union([Type.Literal('none'), Type.Literal('partial'), Type.Literal('full')]),
            payment_at: Time('When the payment was made that was given back.'),
          }),
        ),
        dispute: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('open'), Type.Literal('lost')])),
        disputed_payment_at: Time('When the payment was made that is disputed.'),
      },
      { description: 'What is known of the sale now.' },
    ),
  },
  { title: 'CustomSaleMessage', description: 'A message of a hand-made shop.' },
);
export type CustomMessage = Static<typeof CustomMessage>;

/** Checks the body of a message. */
export const customMessageCheck = Compile(CustomMessage);
