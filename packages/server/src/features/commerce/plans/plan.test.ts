import { expect, it } from 'vitest';
import { AppError } from '../../../lib/error.ts';
import { chosenPlanCode } from './plan.ts';

it('a request names its plan by plan_code, or by the former name plan', () => {
  expect(chosenPlanCode({ plan_code: 'pro' })).toBe('pro');
  expect(chosenPlanCode({ plan: 'pro' })).toBe('pro');
});

it.each([
  [{ plan_code: 'pro', plan: 'pro' }, 'plan'],
  [{}, 'plan_code'],
])('the request %j is a 422 for the field %s', (request, field) => {
  expect(() => chosenPlanCode(request)).toThrow(AppError);
  expect(() => chosenPlanCode(request)).toThrow(field);
});
