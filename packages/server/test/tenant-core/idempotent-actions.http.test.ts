import { describe, expect, test } from 'vitest';
import type { TenantDb } from '../../src/db/database.ts';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { created, defineEntitlements, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

const surfaces = ['user', 'admin'] as const;
type Surface = (typeof surfaces)[number];

/** Performs an action on a resource of the tenant, as one of its users or as an admin of the platform. */
function act(surface: Surface, path: string, key?: string, payload?: object): Promise<Answer> {
  const { tenant, admin } = suite;
  const isUser = surface === 'user';
  const auth = isUser ? tenant.owner.auth : admin.auth;
  return suite.app.request({
    method: 'POST',
    url: `${isUser ? '/api/v1/tenant' : `/api/v1/admin/tenants/${tenant.id}`}${path}`,
    headers: { ...auth, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(payload && { payload }),
  });
}

function report(licenseKey: string, quantity: number, key?: string): Promise<Answer> {
  return suite.app.request({
    method: 'POST',
    url: `/api/v1/integration/licenses/${licenseKey}/usage`,
    headers: { 'x-api-key': suite.tenant.apiKey, ...(key !== undefined && { 'idempotency-key': key }) },
    payload: { events: [{ entitlement: 'renders', quantity }] },
  });
}

const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code];
const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';

/** Creates a license that ends in 30 days and counts the usage of `renders`, up to 1,000. */
async function newMeteredLicense() {
  await defineEntitlements(suite.tenant, { renders: 'metered' });
  return await newLicense(suite.tenant, {
    duration_days: 30,
    entitlements: [{ code: 'renders', limit: 1000 }],
  });
}

const usageIn = ({ body }: Answer) => body.data.counters[0].usage;

function inDatabase<Result>(read: (db: TenantDb) => Promise<Result>): Promise<Result> {
  return suite.app.services.tenants.withTenantDb(suite.tenant.id, read);
}

const storedKeys = () =>
  inDatabase(({ query }) => query.selectFrom('idempotency_keys').selectAll().orderBy('created_at').execute());

/** Expects one performed request and otherwise replays of it, or refusals because it still ran. */
function expectOnePerformed(answers: readonly Answer[]): void {
  const done = answers.filter(({ status }) => status === 200);
  expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(done.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
  for (const answer of answers) {
    expect([
      [200, undefined],
      [409, 'IDEMPOTENCY.IN_PROGRESS'],
    ]).toContainEqual(outcomeOf(answer));
  }
}

const times = (count: number, work: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, work));

describe.each(surfaces)('actions on a license by the %s', (surface) => {
  test.each(['renew', 'rotate-key'])(
    'a repeated %s with one Idempotency-Key acts once and returns the first response',
    async (action) => {
      const { id } = await newMeteredLicense();
      const key = newId();
      const first = await act(surface, `/licenses/${id}/${action}`, key, {});
      clock.advance(60_000);
      const second = await act(surface, `/licenses/${id}/${action}`, key, {});
      expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([200, false, 200, true]);
      expect(second.body.data).toEqual(first.body.data);
      expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
      const { body } = await suite.tenant.asOwner('GET', `/licenses/${id}`);
      expect(body.data).toMatchObject({ key: first.body.data.key, expires_at: first.body.data.expires_at });
      // The creation, and the action.
      expect(await eventsOf(suite.tenant, id)).toHaveLength(2);
    },
  );

  test.each(['renew', 'rotate-key'])('20 concurrent %s with one Idempotency-Key act once', async (action) => {
    const { id } = await newMeteredLicense();
    const key = newId();
    expectOnePerformed(await times(20, () => act(surface, `/licenses/${id}/${action}`, key, {})));
    expect(await eventsOf(suite.tenant, id)).toHaveLength(2);
  });

  test('a replaced secret of a webhook endpoint is shown once, and neither replayed nor stored', async () => {
    const url = 'https://example.com/hooks';
    const { id } = created(await suite.tenant.asOwner('POST', '/webhooks', { url }));
    const key = newId();
    const first = await act(surface, `/webhooks/${id}/rotate-secret`, key);
    clock.advance(60_000);
    const second = await act(surface, `/webhooks/${id}/rotate-secret`, key);
    expect(first.body.data.secret).toMatch(/^whsec_/);
    expect([second.status, isReplay(second), second.headers['cache-control']]).toEqual([200, true, 'no-store']);
    expect(second.body.data).toEqual({ ...first.body.data, secret: null });
    expect(await eventsOf(suite.tenant, id)).toHaveLength(2);
    const stored = (await storedKeys()).find(({ idempotency_key }) => idempotency_key === key);
    expect(stored?.response_data_json).toContain('"secret":null');
  });
});

describe('reported usage', () => {
  test('a repeated report with one Idempotency-Key is counted once and returns the first response', async () => {
    const license = await newMeteredLicense();
    const key = newId();
    const first = await report(license.key, 3, key);
    await report(license.key, 4);
    const second = await report(license.key, 3, key);
    expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([200, false, 200, true]);
    expect(second.body.data).toEqual(first.body.data);
    expect(usageIn(await report(license.key, 1))).toBe(8);
  });

  test('20 concurrent reports with one Idempotency-Key are counted once', async () => {
    const license = await newMeteredLicense();
    const key = newId();
    expectOnePerformed(await times(20, () => report(license.key, 5, key)));
    expect(usageIn(await report(license.key, 1))).toBe(6);
  });

  test('reports without an Idempotency-Key are all counted, and nothing is stored for replays', async () => {
    const license = await newMeteredLicense();
    const before = await storedKeys();
    await report(license.key, 3);
    expect(usageIn(await report(license.key, 3))).toBe(6);
    expect(await storedKeys()).toEqual(before);
  });
});

test('a key is refused for other usage, another license and another endpoint', async () => {
  const [one, other] = [await newMeteredLicense(), await newMeteredLicense()];
  const key = newId();
  expect((await report(one.key, 3, key)).status).toBe(200);
  expect((await act('user', `/licenses/${one.id}/renew`, key, {})).status).toBe(200);
  const refused = [
    await report(one.key, 4, key),
    await report(other.key, 3, key),
    await act('user', `/licenses/${other.id}/renew`, key, {}),
  ];
  expect(refused.map(outcomeOf)).toEqual(refused.map(() => [422, 'IDEMPOTENCY.KEY_REUSED']));
  expect(usageIn(await report(other.key, 1))).toBe(1);
});

test('a key of a refused action can be used again', async () => {
  const { id } = await newMeteredLicense();
  const key = newId();
  await act('user', `/licenses/${id}/revoke`, undefined, {});
  const refused = [
    await act('user', `/licenses/${id}/renew`, key, {}),
    await act('user', `/licenses/${id}/renew`, key, {}),
  ];
  expect(refused.map(outcomeOf)).toEqual(refused.map(() => [409, 'LICENSE.TRANSITION_INVALID']));
  expect((await storedKeys()).filter(({ idempotency_key }) => idempotency_key === key)).toEqual([]);
});
