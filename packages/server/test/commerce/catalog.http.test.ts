import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useAdmin } from '../support/accounts.ts';

const suite = useAdmin();

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const send = (method: Method, path: string, payload?: object) => suite.asAdmin(method, `/catalog${path}`, payload);

const plan = (fields: object = {}) => ({ code: newId(), name: 'Pro', ...fields });
const monthly = { interval: 'month', currency: 'usd', amount: 2900 };
const made = async (path: string, payload: object) => {
  const answer = await send('POST', path, payload);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};
const eventsOf = async (id: string) => {
  const answer = await suite.asAdmin('GET', `/audit?resource_id=${id}`);
  return answer.body.data.map((row: { event: string }) => row.event).reverse();
};

describe.each([
  { path: '/products', kind: 'product', taken: 'CATALOG_PRODUCT.CODE_TAKEN', name: 'CATALOG_PRODUCT' },
  { path: '/plans', kind: 'plan', taken: 'PLAN.CODE_TAKEN', name: 'PLAN' },
])('the catalog $path', ({ path, kind, taken, name }) => {
  test(`a ${kind} is created, read, listed, changed and deleted, and each change is audited once`, async () => {
    const row = await made(path, plan());
    expect((await send('GET', `${path}/${row.id}`)).body.data).toEqual(row);
    expect((await send('GET', `${path}?code=${row.code}`)).body.data).toEqual([row]);
    for (let time = 1; time <= 2; time += 1) {
      const changed = await send('PUT', `${path}/${row.id}`, { name: 'Renamed' });
      expect(changed.body.data).toMatchObject({ id: row.id, code: row.code, name: 'Renamed' });
    }
    expect((await send('DELETE', `${path}/${row.id}`)).body.data).toEqual({ deleted: true, id: row.id });
    expect((await send('GET', `${path}/${row.id}`)).status).toBe(404);
    expect((await send('PUT', `${path}/${row.id}`, { name: 'Again' })).status).toBe(404);
    expect((await send('DELETE', `${path}/${row.id}`)).status).toBe(404);
    expect(await eventsOf(row.id)).toEqual([`${name}.CREATED`, `${name}.UPDATED`, `${name}.DELETED`]);
  });

  test(`one of eight concurrent requests for a ${kind} code gets it`, async () => {
    const code = newId();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', path, { code, name: 'Pro' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe(taken);
  });
});

describe('plans', () => {
  test('a plan returns its fields and default limits, and its catalog product cannot be deleted', async () => {
    const product = await made('/products', plan());
    const full = await made(
      '/plans',
      plan({
        catalog_product_id: product.id,
        prices: [{ interval: 'year', currency: 'jpy', amount: 30000 }, monthly],
        limits: { licenses: 10 },
        features: ['Support'],
      }),
    );
    expect(full).toMatchObject({
      catalog_product_id: product.id,
      prices: [{ interval: 'year', currency: 'jpy', amount: 30000 }, monthly],
      limits: { licenses: 10, products: null, integration_requests_per_minute: 6000 },
      features: ['Support'],
      archived: false,
    });
    expect((await send('GET', `/plans?catalog_product_id=${product.id}`)).body.data).toEqual([full]);
    const inUse = await send('DELETE', `/products/${product.id}`);
    expect([inUse.status, inUse.body.error.code]).toEqual([409, 'CATALOG_PRODUCT.IN_USE']);
  });

  test('a plan price in a currency that does not exist is refused', async () => {
    const answer = await send('POST', '/plans', plan({ prices: [{ ...monthly, currency: 'zzz' }] }));
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION.FAILED']);
  });

  test('two plan prices for one interval and currency are refused', async () => {
    const answer = await send('POST', '/plans', plan({ prices: [monthly, { ...monthly, amount: 1 }] }));
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, 'prices']);
  });

  test('a plan with an unknown catalog product is refused', async () => {
    const answer = await send('POST', '/plans', plan({ catalog_product_id: newId() }));
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, 'catalog_product_id']);
    const { id } = await made('/plans', plan());
    expect((await send('PUT', `/plans/${id}`, { catalog_product_id: newId() })).status).toBe(422);
  });

  test('plan prices are replaced as a whole, and null removes them', async () => {
    const { id } = await made('/plans', plan({ prices: [monthly] }));
    const dearer = [{ ...monthly, amount: 3900, trial_days: 0 }];
    expect((await send('PUT', `/plans/${id}`, { prices: dearer })).body.data.prices).toEqual(dearer);
    expect((await send('PUT', `/plans/${id}`, { prices: null })).body.data.prices).toEqual([]);
  });

  test('a plan that a tenant has can be archived but not deleted', async () => {
    const { id, code } = await made('/plans', plan());
    const tenant = await suite.newTenant();
    await suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { plan_code: code });
    const refused = await send('DELETE', `/plans/${id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'PLAN.IN_USE']);
    expect((await send('PUT', `/plans/${id}`, { archived: true })).body.data.archived).toBe(true);
    expect(await eventsOf(id)).toEqual(['PLAN.CREATED', 'PLAN.ARCHIVED']);
    expect((await send('GET', '/plans?archived=true')).body.data[0].id).toBe(id);
    expect((await send('PUT', `/plans/${id}`, { archived: false })).body.data.archived).toBe(false);
  });

  test('the free plan cannot be archived, priced or deleted', async () => {
    const [free] = (await send('GET', '/plans?code=free')).body.data;
    for (const [method, payload] of [
      ['PUT', { archived: true }],
      ['PUT', { prices: [monthly] }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await send(method, `/plans/${free.id}`, payload);
      expect([answer.status, answer.body.error.code]).toEqual([409, 'PLAN.FREE_FIXED']);
    }
    expect((await send('PUT', `/plans/${free.id}`, { features: ['Everything'] })).status).toBe(200);
  });
});

test('without a payment provider the public list of plans has the free plan alone', async () => {
  await made('/plans', plan({ prices: [monthly] }));
  const answer = await suite.app.request({ method: 'GET', url: '/api/v1/plans' });
  expect(answer.headers['cache-control']).toBe('public, max-age=60');
  expect(answer.body.meta.next_cursor).toBe(null);
  expect(answer.body.data.map((row: { code: string }) => row.code)).toEqual(['free']);
  expect(Object.keys(answer.body.data[0])).toEqual(['id', 'code', 'name', 'prices', 'limits', 'features']);
});
