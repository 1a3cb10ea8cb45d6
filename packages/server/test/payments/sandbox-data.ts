import { newId } from '../../src/lib/ids.ts';
import type { NewCheckout, PaymentProvider, PlanPrice } from '../../src/payments/provider.ts';
import { type Card, findTestCard } from '../../src/payments/sandbox/cards.ts';
import type { CheckoutInput } from '../../src/payments/sandbox/checkouts.ts';
import type { Sandbox } from '../../src/payments/sandbox/sandbox.ts';
import type { TestApp } from '../support/harness.ts';

export const dayMs = 86_400_000;

/** The sandbox's test cards, by their behaviour. */
export const cardNumbers = {
  good: '4242424242424242',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  failsLater: '4000000000000341',
} as const;

/** Returns the form fields of a test card. */
export function cardInput(name: keyof typeof cardNumbers) {
  return { card_number: cardNumbers[name], expiry: '12/60', cvc: '123' };
}

/** Returns a test card as the sandbox stores it. */
export function card(name: keyof typeof cardNumbers): Card {
  const found = findTestCard(cardNumbers[name]);
  if (found === undefined) throw new Error(`The test card ${name} is not a card of the sandbox.`);
  return found;
}

/** Returns a price in euros. `amount` is in cents. */
export function price(planCode: string, amount: number, interval: PlanPrice['interval'] = 'month'): PlanPrice {
  return { planCode, planName: planCode.toUpperCase(), interval, currency: 'eur', amount };
}

/** Returns a checkout with a new reference, without a trial unless it has days. */
export function newCheckout(of: PlanPrice, trialDays = 0): NewCheckout {
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const urls = { successUrl: 'http://localhost/done', cancelUrl: 'http://localhost/back' };
  return { reference: newId(), customer, price: of, trialDays, ...urls };
}

/** Returns the sandbox of a service under test. Throws when the service has another provider, or none. */
export function sandboxOf(app: TestApp): { readonly sandbox: Sandbox; readonly payments: PaymentProvider } {
  const { sandbox, payments } = app.services;
  if (sandbox === null || payments === null) throw new Error('Start the service with PAYMENT_PROVIDER=sandbox.');
  return { sandbox, payments };
}

interface Purchase extends Partial<Omit<CheckoutInput, 'card'>> {
  readonly trialDays?: number;
}

/**
 * Buys a plan with a test card, or starts its trial without a card. Returns the reference of the checkout and the ids of
 * the subscription and the customer.
 */
export async function buy(
  app: TestApp,
  of: PlanPrice,
  name: keyof typeof cardNumbers | null = 'good',
  { trialDays = 0, ...input }: Purchase = {},
) {
  const { sandbox, payments } = sandboxOf(app);
  const { id, reference } = await payments.createCheckout(newCheckout(of, trialDays));
  await sandbox.pay(id, name === null ? null : card(name), input);
  const checkout = await payments.findCheckout(id);
  if (checkout === undefined || checkout.subscriptionId === null || checkout.customerId === null) {
    throw new Error('The checkout was not completed.');
  }
  return { reference, subscriptionId: checkout.subscriptionId, customerId: checkout.customerId };
}
