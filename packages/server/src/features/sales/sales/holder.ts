import { foldEmail, isEmailAddress } from '../../../lib/email.ts';
import type { Buyer } from '../shops/sale-fact.ts';

/** The holder of the licenses of a sale, in the form of a license. */
export interface Holder {
  readonly name: string | null;
  readonly email: string | null;
  readonly reference: string | null;
}

const textMax = 200;

/**
 * Returns the holder that a buyer becomes. A shop may send anything: an invalid address becomes null, because no mail
 * could be sent to it, and long texts are cut to what a license allows.
 */
export function holderOf(buyer: Buyer | undefined): Holder {
  const email = buyer?.email?.trim() ?? '';
  return {
    name: cleaned(buyer?.name ?? null),
    email: isEmailAddress(email) ? email : null,
    reference: cleaned(buyer?.reference ?? null),
  };
}

/** PostgreSQL cannot store NUL, and control characters must not reach mails. */
function cleaned(text: string | null): string | null {
  const clean = (text ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return clean === '' ? null : [...clean].slice(0, textMax).join('');
}

/** Returns the form in which a buyer's address is compared; null without an address. */
export function buyerKey(buyer: Buyer | undefined): string | null {
  const { email } = holderOf(buyer);
  return email === null ? null : foldEmail(email);
}
