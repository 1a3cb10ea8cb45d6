import { expect, test } from 'vitest';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { createAdmin, freshAddress, joinTenant } from '../support/accounts.ts';
import { type Answer, type TestApp, useApp } from '../support/harness.ts';
import { createSignUp, monthlyPrice, offerPlan, type SignUp } from './buyers.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
const none = useApp({ FREE_TENANTS_PER_USER: '0' });

const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const refused = '409 ONBOARDING.TOO_MANY_FREE';

function order(of: SignUp, planCode = 'free'): Promise<Answer> {
  return of.post('/checkout', { plan_code: planCode, tenant_name: 'Acme' });
}

/** Returns a user who owns three tenants on the plan `free`, and their ids. */
async function ownerOfThree(app: TestApp) {
  const own = await createSignUp(app);
  for (let count = 0; count < 3; count += 1) expect(outcomeOf(await order(own))).toBe('201 ok');
  await runTenantJobs(app);
  const ids = (await own.get()).body.data.map(({ tenant_id }: { tenant_id: string }) => tenant_id);
  expect(ids).not.toContain(null);
  return { own, ids };
}

test('a user gets at most three tenants on free plans, also with concurrent checkouts', async () => {
  const { app } = suite;
  const own = await createSignUp(app);
  const answers = await Promise.all(Array.from({ length: 5 }, () => order(own)));
  expect(answers.map(outcomeOf).sort()).toEqual(['201 ok', '201 ok', '201 ok', refused, refused]);
  await runTenantJobs(app);
  const last = await order(own);
  expect(outcomeOf(last)).toBe(refused);
  expect(last.body.error.message).toMatch(/You own 3 tenants on free plans.*Choose a plan with a price/);
  expect(outcomeOf(await order(await createSignUp(app)))).toBe('201 ok');
});

test('a plan with a price is not limited, and neither are the tenants of others', async () => {
  const { app } = suite;
  const { own } = await ownerOfThree(app);
  const { code } = await offerPlan(app, await createAdmin(app), [monthlyPrice]);
  expect(outcomeOf(await order(own, code))).toBe('201 ok');
  const guest = await createSignUp(app);
  for (let count = 0; count < 3; count += 1) {
    const other = await createSignUp(app);
    await order(other);
    await runTenantJobs(app);
    const [{ tenant_id: tenantId }] = (await other.get()).body.data;
    await joinTenant(app, guest.user, tenantId, 'admin');
  }
  expect(outcomeOf(await order(guest))).toBe('201 ok');
});

test.each(['closed', 'on a plan with a price'])('a tenant that is %s does not count', async (state) => {
  const { app } = suite;
  const admin = await createAdmin(app);
  const { own, ids } = await ownerOfThree(app);
  expect(outcomeOf(await order(own))).toBe(refused);
  const { code } = await offerPlan(app, admin, [monthlyPrice]);
  const payload = state === 'closed' ? { status: 'closed' } : { plan_code: code };
  const url = `/api/v1/admin/tenants/${ids[0]}`;
  const change = await app.request({ method: 'PATCH', url, headers: admin.auth, payload });
  expect(change.status, change.text).toBe(200);
  expect(outcomeOf(await order(own))).toBe('201 ok');
});

test('with FREE_TENANTS_PER_USER=0 nobody creates a tenant on a free plan, but an administrator does', async () => {
  const { app } = none;
  const own = await createSignUp(app);
  const answer = await order(own);
  expect(outcomeOf(answer)).toBe(refused);
  const admin = await createAdmin(app);
  const created = await app.request({
    method: 'POST',
    url: '/api/v1/admin/tenants',
    headers: admin.auth,
    payload: { name: 'Given', owner_email: own.user.email },
    remoteAddress: freshAddress(),
  });
  expect(created.status).toBe(201);
});
