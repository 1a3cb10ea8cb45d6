import { expect, test } from 'vitest';
import type { Plan } from '../../api/commerce.ts';
import { inputOf, valuesOf } from './plan-values.ts';

const plan: Plan = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f711',
  code: 'team',
  name: 'Team',
  catalog_product_id: null,
  prices: [
    { interval: 'month', currency: 'usd', amount: 4990, trial_days: 14 },
    { interval: 'year', currency: 'jpy', amount: 50_000, trial_days: 0 },
    { interval: 'month', currency: 'kwd', amount: 15_125, trial_days: 0 },
  ],
  limits: {
    products: null,
    licenses: 0,
    activations: 10,
    api_keys: null,
    webhooks: null,
    members: 5,
    integration_requests_per_minute: 6000,
  },
  features: ['One', 'Two'],
  archived: false,
  created_at: '2026-11-01T09:00:00.000000Z',
  updated_at: '2026-11-01T09:00:00.000000Z',
};

test('a plan that is opened and saved unchanged is sent as it was, in every currency', () => {
  const { name, catalog_product_id, prices, limits, features } = plan;
  expect(valuesOf(plan).prices.map(({ amount }) => amount)).toEqual(['49.90', '50000', '15.125']);
  expect(inputOf(valuesOf(plan))).toEqual({ name, catalog_product_id, prices, limits, features });
});

test('an empty limit is unlimited, and an empty request limit is left to the default', () => {
  const values = valuesOf(null);
  const { limits } = inputOf({
    ...values,
    limits: { ...values.limits, integration_requests_per_minute: '', members: '' },
  });
  expect(limits).not.toHaveProperty('integration_requests_per_minute');
  expect(limits).toMatchObject({ members: null, licenses: null });
});
