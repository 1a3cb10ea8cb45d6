import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const couponErrors = {
  'COUPON.CODE_TAKEN': explain('Another coupon has this code.', 'Choose another code.'),
  'COUPON.NOT_REDEEMABLE': explain(
    'The coupon is archived, expired, used up or of another currency.',
    'Follow the message, and choose another coupon.',
  ),
} satisfies ErrorExplanations;
