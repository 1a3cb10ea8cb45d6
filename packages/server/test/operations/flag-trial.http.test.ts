import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { booleanFlag, createFlag, evaluate } from './flags.ts';

const suite = useTenant();

const tryFlag = (payload: object) =>
  suite.asAdmin('POST', '/feature-flags/try', { tenant_id: suite.tenant.id, ...payload });

const byPlan = booleanFlag({ targeting: { if: [{ '==': [{ var: 'plan' }, 'free'] }, 'on', 'off'] } });
const byCountry = booleanFlag({ targeting: { if: [{ '==': [{ var: 'country' }, 'gb'] }, 'on', null] } });

test('a trial answers what the tenant would get, without storing the definition', async () => {
  const cases = [
    [booleanFlag(), {}],
    [byPlan, { plan: 'forged' }],
    [byCountry, { country: 'gb' }],
    [byCountry, { country: 'de' }],
    [booleanFlag({ targeting: { var: 'country' } }), { country: 'gb' }],
    [booleanFlag({ state: 'DISABLED' }), {}],
  ] as const;
  for (const [index, [definition, context]] of cases.entries()) {
    const { status, body } = await tryFlag({ definition, context });
    expect(status).toBe(200);
    const key = `trial-${index}`;
    const unknown = await evaluate(suite.app, { key, headers: suite.tenant.owner.auth, context });
    expect(unknown.status).toBe(404);
    await createFlag(suite.app, suite.admin, key, definition);
    const answer = (await evaluate(suite.app, { key, headers: suite.tenant.owner.auth, context })).body;
    expect(body.data).toMatchObject({
      value: answer.value ?? null,
      variant: answer.variant ?? null,
      reason: answer.reason ?? 'ERROR',
      error: answer.errorDetails === undefined ? null : expect.any(String),
    });
    const own = { targetingKey: suite.tenant.id, tenant_id: suite.tenant.id, plan: 'free' };
    expect(body.data.context).toEqual({ ...context, ...own });
  }
});

test('a definition that cannot be evaluated is refused with the path of every mistake', async () => {
  const definition = { state: 'ON', variants: { on: true, off: 'no' }, defaultVariant: 'none' };
  const { status, body } = await tryFlag({ definition });
  expect(status).toBe(422);
  for (const { field } of body.error.details) expect(field).toMatch(/^definition/);
  expect(body.error.details.length).toBeGreaterThan(1);
});

test.each([
  [{ definition: booleanFlag(), context: { long: 'x'.repeat(17_000) } }, 400, 'FEATURE_FLAG.CONTEXT_INVALID'],
  [{ definition: booleanFlag(), tenant_id: newId() }, 404, 'TENANT.NOT_FOUND'],
  [{ definition: booleanFlag(), context: [] }, 422, 'VALIDATION.FAILED'],
])('a trial with a wrong context or tenant is refused (%#)', async (payload, status, code) => {
  const answer = await tryFlag(payload);
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});
