import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { PaymentProviderError } from '../../src/payments/provider.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { buy, dayMs, price, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin } from '../support/accounts.ts';
import { type Answer, createSite, startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let admin: Account;

beforeAll(async () => {
  // Every admin manages the catalog.
  admin = await createAdmin(suite.app, 'admin');
});

const send = (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: object) =>
  suite.app.request({
    method,
    url: `/api/v1/admin/catalog/coupons${path}`,
    headers: admin.auth,
    ...(payload && { payload }),
  });
const newCode = () => `C_${newId()}`.toUpperCase();
const percent = (fields: object = {}) => ({ code: newCode(), percent_off: 20, duration: 'once', ...fields });
const eventsOf = async (id: string) => {
  const { query } = suite.app.services.platform;
  const rows = await query.selectFrom('audit_logs').select('event').where('resource_id', '=', id).execute();
  return rows.map(({ event }) => event);
};
const create = async (fields: object = {}): Promise<Answer['body']> => {
  const answer = await send('POST', '', percent(fields));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
};

describe('creating', () => {
  test('the coupon has the same shape when it is created, read and listed, and exists at the provider', async () => {
    const code = newCode();
    const created = await send('POST', '', {
      code: code.toLowerCase(),
      name: 'Spring',
      amount_off: 500,
      currency: 'jpy',
      duration: 'repeating',
      duration_months: 3,
      expires_at: '2027-01-01T00:00:00+01:00',
      max_redemptions: 10,
    });
    expect([created.status, created.body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        code,
        name: 'Spring',
        percent_off: null,
        amount_off: 500,
        currency: 'jpy',
        duration: 'repeating',
        duration_months: 3,
        expires_at: '2026-12-31T23:00:00.000000Z',
        max_redemptions: 10,
        redemptions: 0,
        archived: false,
        synced_at: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const { id } = created.body.data;
    const { synced_at: _synced, ...stored } = created.body.data;
    expect((await send('GET', `/${id}`)).body.data).toMatchObject(stored);
    expect((await send('GET', `?code=${code.toLowerCase()}`)).body.data).toMatchObject([stored]);
    expect(await sandboxOf(suite.app).payments.countRedemptions(code)).toBe(0);
    expect(await eventsOf(id)).toEqual(['COUPON.CREATED']);
  });

  test('a percentage has two decimal places, and the name is the code by default', async () => {
    const coupon = await create({ percent_off: 33.33 });
    expect([coupon.percent_off, coupon.name]).toEqual([33.33, coupon.code]);
    expect((await create({ percent_off: 100 })).percent_off).toBe(100);
    expect((await create({ percent_off: 0.07 })).percent_off).toBe(0.07);
  });

  test('a wrong field is a 422 that names it', async () => {
    const amount = { percent_off: null, amount_off: 100, currency: 'usd' };
    for (const [fields, ...wrong] of [
      [{ percent_off: 12.345 }, 'percent_off'],
      [{ percent_off: null }, 'percent_off'],
      [{ amount_off: 100, currency: 'usd' }, 'amount_off'],
      [{ ...amount, currency: null }, 'currency'],
      [{ ...amount, currency: 'xxy' }, 'currency'],
      [{ currency: 'usd' }, 'currency'],
      [{ duration: 'repeating' }, 'duration_months'],
      [{ duration: 'forever', duration_months: 3 }, 'duration_months'],
      [{ expires_at: '2026-01-01T00:00:00Z' }, 'expires_at'],
      [{ percent_off: null, currency: 'usd', duration: 'repeating' }, 'currency', 'duration_months', 'percent_off'],
    ] as const) {
      const answer = await send('POST', '', percent(fields));
      expect([fields, answer.status, badFields(answer)]).toEqual([fields, 422, wrong]);
    }
  });

  test('a code is taken in any case, by archived coupons too, and of twenty creations one succeeds', async () => {
    const code = newCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('POST', '', percent({ code }))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [one] = (await send('GET', `?code=${code}`)).body.data;
    await send('DELETE', `/${one.id}`);
    const taken = await send('POST', '', percent({ code: code.toLowerCase() }));
    expect([taken.status, taken.body.error.code, badFields(taken)]).toEqual([409, 'COUPON.CODE_TAKEN', ['code']]);
  });
});

describe('redemptions', () => {
  test('reading one coupon refreshes them from the provider', async () => {
    const { id, code } = await create({ max_redemptions: 2 });
    for (let count = 1; count <= 2; count += 1) {
      await buy(suite.app, price('pro', 1000), 'good', { coupon: code });
      expect((await send('GET', `/${id}`)).body.data.redemptions).toBe(count);
    }
    await expect(buy(suite.app, price('pro', 1000), 'good', { coupon: code })).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  test('while the provider is unavailable, the last known number is returned', async () => {
    const { id, code } = await create();
    await buy(suite.app, price('pro', 1000), 'good', { coupon: code });
    await send('GET', `/${id}`);
    const { payments } = sandboxOf(suite.app);
    const spy = vi
      .spyOn(payments, 'countRedemptions')
      .mockRejectedValue(new PaymentProviderError('unavailable', 'The provider is down.'));
    const answer = await send('GET', `/${id}`);
    spy.mockRestore();
    expect([answer.status, answer.body.data.redemptions]).toEqual([200, 1]);
  });
});

describe('archiving', () => {
  test('ends the redemption, keeps discounts, and is audited once', async () => {
    const { id, code } = await create({ duration: 'forever' });
    const { subscriptionId } = await buy(suite.app, price('pro', 1000), 'good', { coupon: code });
    for (let time = 1; time <= 2; time += 1) {
      const answer = await send('DELETE', `/${id}`);
      expect([answer.status, answer.body.data]).toEqual([200, { deleted: true, id }]);
    }
    expect((await send('GET', `/${id}`)).body.data).toMatchObject({ archived: true, redemptions: 1 });
    expect((await send('GET', '?archived=true')).body.data[0]).toMatchObject({ id });
    expect((await send('GET', `?archived=false&code=${code}`)).body.data).toEqual([]);
    expect((await eventsOf(id)).sort()).toEqual(['COUPON.ARCHIVED', 'COUPON.CREATED']);
    const { payments } = sandboxOf(suite.app);
    expect((await payments.findSubscription(subscriptionId))?.discount?.couponCode).toBe(code);
    await expect(buy(suite.app, price('pro', 1000), 'good', { coupon: code })).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  test('an unknown coupon is a 404', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await send(method, `/${newId()}`)).body.error.code).toBe('RESOURCE.NOT_FOUND');
    }
  });
});

describe('a crash or an outage', () => {
  const outage = () => new PaymentProviderError('unavailable', 'The provider is down.');

  test('between the row and the provider loses no coupon: a job creates it there', async () => {
    const { payments } = sandboxOf(suite.app);
    const spy = vi.spyOn(payments, 'createCoupon').mockRejectedValue(outage());
    const { id, code, synced_at } = await create();
    expect([synced_at, await payments.countRedemptions(code)]).toEqual([null, undefined]);
    spy.mockRestore();
    clock.advance(61_000);
    await runTenantJobs(suite.app);
    expect(await payments.countRedemptions(code)).toBe(0);
    expect((await send('GET', `?code=${code}`)).body.data[0]).toMatchObject({ id, synced_at: expect.any(String) });
  });

  test('is made up for by the next read of the coupon as well', async () => {
    const { payments } = sandboxOf(suite.app);
    const spy = vi.spyOn(payments, 'createCoupon').mockRejectedValue(outage());
    const { id, code } = await create();
    spy.mockRestore();
    expect((await send('GET', `/${id}`)).body.data.synced_at).not.toBeNull();
    expect(await payments.countRedemptions(code)).toBe(0);
  });

  test('while archiving leaves an archived coupon, of which a job ends the redemption', async () => {
    const { payments } = sandboxOf(suite.app);
    const { id, code } = await create();
    clock.advance(1000);
    const spy = vi.spyOn(payments, 'deactivateCoupon').mockRejectedValue(outage());
    const answer = await send('DELETE', `/${id}`);
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE.UNAVAILABLE']);
    spy.mockRestore();
    clock.advance(dayMs / 24);
    await runTenantJobs(suite.app);
    await expect(buy(suite.app, price('pro', 1000), 'good', { coupon: code })).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  test('a coupon that the provider refuses is a 409 and is not kept', async () => {
    const { payments } = sandboxOf(suite.app);
    const refusal = new PaymentProviderError('refused', 'No such currency.');
    const spy = vi.spyOn(payments, 'createCoupon').mockRejectedValue(refusal);
    const code = newCode();
    const answer = await send('POST', '', percent({ code }));
    spy.mockRestore();
    expect([answer.status, answer.body.error]).toMatchObject([
      409,
      { code: 'BILLING.REFUSED', message: 'No such currency.' },
    ]);
    expect((await send('GET', `?code=${code}`)).body.data).toEqual([]);
    expect((await send('POST', '', percent({ code }))).status).toBe(201);
  });
});

test('without a payment provider no coupon can be created', async () => {
  const app = await startApp(await createSite());
  try {
    const { auth } = await createAdmin(app);
    const answer = await app.request({
      method: 'POST',
      url: '/api/v1/admin/catalog/coupons',
      headers: auth,
      payload: percent(),
    });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'BILLING.NO_PROVIDER']);
  } finally {
    await stopApp(app);
    await app.site.remove();
  }
});
