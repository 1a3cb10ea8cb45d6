import { type Timestamp, toEpochMs } from '../../lib/clock.ts';
import type { ErrorDetail } from '../../lib/error.ts';

// The sandbox's cards have the numbers and the behaviours of Stripe's test cards (https://docs.stripe.com/testing). The
// sandbox refuses any other number, so that it never accepts a real card.

type Behaviour = 'succeeds' | 'declined' | 'insufficient_funds' | 'fails_later';

/** A stored card: without its number, but with its behaviour. */
export interface Card {
  readonly brand: 'Visa' | 'Mastercard';
  readonly last4: string;
  readonly behaviour: Behaviour;
}

const cards: Readonly<Record<string, Pick<Card, 'brand' | 'behaviour'>>> = {
  '4242424242424242': { brand: 'Visa', behaviour: 'succeeds' },
  '5555555555554444': { brand: 'Mastercard', behaviour: 'succeeds' },
  '4000000000000002': { brand: 'Visa', behaviour: 'declined' },
  '4000000000009995': { brand: 'Visa', behaviour: 'insufficient_funds' },
  '4000000000000341': { brand: 'Visa', behaviour: 'fails_later' },
};

/** The card fields of a form. */
export interface CardInput {
  readonly card_number: string;
  /** The expiry: a month and a year. */
  readonly expiry: string;
  readonly cvc: string;
}

/** Returns the test card of a form, or the errors of its fields. `now` is by the sandbox's clock. */
export function readCard(input: CardInput, now: Timestamp): Card | readonly ErrorDetail[] {
  const number = input.card_number.replace(/[\s-]/g, '');
  const known = Object.hasOwn(cards, number) ? cards[number] : undefined;
  const problems: ErrorDetail[] = [];
  if (known === undefined) {
    problems.push({ field: 'card_number', message: 'Enter one of the test cards, such as 4242 4242 4242 4242.' });
  }
  const expiryProblem = problemOfExpiry(input.expiry, now);
  if (expiryProblem !== undefined) problems.push({ field: 'expiry', message: expiryProblem });
  if (!/^\d{3}$/.test(input.cvc.trim()))
    problems.push({ field: 'cvc', message: 'Enter the three digits of the security code.' });
  if (known === undefined || problems.length > 0) return problems;
  return { ...known, last4: number.slice(-4) };
}

/** Reads an expiry however people write it: `12/30`, `12 / 2030`, `1230`, `12-30`. */
function problemOfExpiry(expiry: string, now: Timestamp): string | undefined {
  const [, month, year] =
    /^(\d{1,2})[\s/.-]+(?:20)?(\d\d)$/.exec(expiry.trim()) ?? /^(\d\d)(?:20)?(\d\d)$/.exec(expiry.trim()) ?? [];
  if (month === undefined || year === undefined || Number(month) < 1 || Number(month) > 12) {
    return 'Enter the month and the year on the card, such as 12/34.';
  }
  // A card is valid until the end of its month.
  const hasExpired = Date.UTC(2000 + Number(year), Number(month)) <= toEpochMs(now);
  return hasExpired ? 'This card has expired. Use another card.' : undefined;
}

/**
 * Returns why a card cannot be charged; undefined when it can. `occasion`: during a checkout with the customer present,
 * or later without the customer.
 */
export function refusalOf(card: Card, occasion: 'checkout' | 'later'): string | undefined {
  switch (card.behaviour) {
    case 'succeeds':
      return undefined;
    case 'fails_later':
      return occasion === 'later' ? 'The card was declined. Use another card.' : undefined;
    case 'declined':
      return 'The card was declined. Use another card.';
    case 'insufficient_funds':
      return 'The card has insufficient funds. Use another card.';
  }
}
