import { type Timestamp, toEpochMs } from '../../lib/clock.ts';

// The sandbox's cards have the numbers and the behaviours of Stripe's test cards (https://docs.stripe.com/testing). The
// sandbox refuses any other number, so that it never accepts a real card.

type Behaviour = 'succeeds' | 'declined' | 'insufficient_funds' | 'fails_later';

/** A stored card: without its number, but with its behaviour. */
export interface Card {
  readonly brand: 'Visa' | 'Mastercard';
  readonly last4: string;
  readonly behaviour: Behaviour;
}

/** A card that never fails, to see what a purchase or a change would cost. */
export const workingCard: Card = { brand: 'Visa', last4: '4242', behaviour: 'succeeds' };

const cards: Readonly<Record<string, Pick<Card, 'brand' | 'behaviour'>>> = {
  '4242424242424242': { brand: 'Visa', behaviour: 'succeeds' },
  '5555555555554444': { brand: 'Mastercard', behaviour: 'succeeds' },
  '4000000000000002': { brand: 'Visa', behaviour: 'declined' },
  '4000000000009995': { brand: 'Visa', behaviour: 'insufficient_funds' },
  '4000000000000341': { brand: 'Visa', behaviour: 'fails_later' },
};

/** Returns the test card with a number, however people write it; undefined for any other number. */
export function findTestCard(written: string): Card | undefined {
  const number = written.replace(/[\s-]/g, '');
  const known = Object.hasOwn(cards, number) ? cards[number] : undefined;
  return known && { ...known, last4: number.slice(-4) };
}

/** Returns the problem of an expiry, however people write it: `12/30`, `12 / 2030`, `1230`, `12-30`. */
export function problemOfExpiry(expiry: string, now: Timestamp): string | undefined {
  const [, month, year] = /^(\d{1,2})[\s/.-]+(?:20)?(\d\d)$/.exec(expiry) ?? /^(\d\d)(?:20)?(\d\d)$/.exec(expiry) ?? [];
  if (month === undefined || year === undefined || Number(month) < 1 || Number(month) > 12) {
    return 'Enter the month and the year on the card, such as 12/34.';
  }
  // A card is valid until the end of its month.
  const hasExpired = Date.UTC(2000 + Number(year), Number(month)) <= toEpochMs(now);
  return hasExpired ? 'This card has expired. Use another card.' : undefined;
}

const problems: Readonly<Record<Behaviour, string | undefined>> = {
  succeeds: undefined,
  fails_later: 'The card was declined. Use another card.',
  declined: 'The card was declined. Use another card.',
  insufficient_funds: 'The card has insufficient funds. Use another card.',
};

/**
 * Returns why a card cannot be charged; undefined when it can. `occasion`: during a checkout with the customer present,
 * or later without the customer.
 */
export function problemOfCard({ behaviour }: Card, occasion: 'checkout' | 'later'): string | undefined {
  return behaviour === 'fails_later' && occasion === 'checkout' ? undefined : problems[behaviour];
}
