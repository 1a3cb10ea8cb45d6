import { expect, test } from 'vitest';
import { bestSaving, currenciesOf, limitTexts, nearestPriceOf } from './plan-terms.ts';

const limits = {
  products: null,
  licenses: 1000,
  activations: null,
  api_keys: 1,
  webhooks: 0,
  members: 5,
  integration_requests_per_minute: 6000,
};

test('limits are shown in words, also one, zero and unlimited', () => {
  expect(limitTexts(limits)).toEqual([
    '1,000 licenses',
    'Unlimited devices',
    'Unlimited products',
    '5 members',
    '1 API key',
    '0 webhooks',
    '6,000 API requests per minute',
  ]);
});

test('the currency of most plans comes first, US dollars among equals, and the best saving of all plans is told', () => {
  const plans = [
    { prices: [{ interval: 'month', currency: 'eur', amount: 1000, trial_days: 0 }] as const },
    {
      prices: [
        { interval: 'month', currency: 'usd', amount: 1000, trial_days: 0 },
        { interval: 'year', currency: 'usd', amount: 9600, trial_days: 0 },
      ] as const,
    },
  ].map(({ prices }) => ({ prices: [...prices] }));
  expect(currenciesOf(plans)).toEqual(['usd', 'eur']);
  expect(
    currenciesOf([...plans, { prices: [{ interval: 'month', currency: 'eur', amount: 1, trial_days: 0 }] }]),
  ).toEqual(['eur', 'usd']);
  expect(nearestPriceOf(plans[0] ?? { prices: [] }, 'month', 'usd')).toMatchObject({ currency: 'eur' });
  expect(nearestPriceOf(plans[0] ?? { prices: [] }, 'year', 'usd')).toBeUndefined();
  expect(bestSaving(plans, 'usd')).toBe(20);
  expect(bestSaving(plans, 'eur')).toBe(0);
});
