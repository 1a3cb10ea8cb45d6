import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { createUser, joinTenant, logIn, surfacesOf, type TestTenant, useTenantPerTest } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';

const start = '2026-01-31T22:30:00.000Z';
const clock = useClock(start);
const suite = useTenantPerTest();
const dayMs = 86_400_000;

/** What the test knows of a license from its own requests. Times are milliseconds since the epoch. */
interface Known {
  readonly id: string;
  readonly key: string;
  readonly product: string;
  readonly createdMs: number;
  readonly isTrial: boolean;
  endsMs: number | null;
  convertedMs?: number;
  revokedMs?: number;
  deletedMs?: number;
  readonly renewedMs: number[];
  readonly seatsUntilMs: number[];
}

/** Expected figures, computed from nothing but what the test did. */
function expectedOf(all: readonly Known[], nowMs: number, timeZone: string, product?: string) {
  const form = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' });
  const monthOf = (atMs: number) => form.format(atMs).slice(0, 7);
  const licenses = all.filter((one) => product === undefined || one.product === product);
  const isSold = (one: Known, atMs: number) =>
    !one.isTrial || (one.convertedMs !== undefined && atMs >= one.convertedMs);
  const lostMs = (one: Known) => {
    const ends = [one.endsMs, one.revokedMs, one.deletedMs].filter((at) => at != null && at <= nowMs) as number[];
    const firstMs = Math.min(...ends);
    return ends.length > 0 && firstMs > one.createdMs && isSold(one, firstMs) ? firstMs : null;
  };
  const [year = 0, month = 0] = monthOf(nowMs).split('-').map(Number);
  const months = Array.from({ length: 12 }, (_, index) => {
    const name = new Date(Date.UTC(year, month - 12 + index, 1)).toISOString().slice(0, 7);
    const isIn = (atMs: number | null | undefined) => atMs != null && monthOf(atMs) === name;
    const count = (test: (one: Known) => boolean) => licenses.filter(test).length;
    return {
      month: name,
      issued: count((one) => !one.isTrial && isIn(one.createdMs)),
      renewed: count((one) => one.renewedMs.some((atMs) => isIn(atMs) && isSold(one, atMs))),
      lost: count((one) => isIn(lostMs(one))),
      trials_started: count((one) => one.isTrial && isIn(one.createdMs)),
      trials_converted: count((one) => isIn(one.convertedMs)),
    };
  });
  const seats = new Map<string, number>();
  for (const { product: id, seatsUntilMs, deletedMs } of licenses) {
    const held = deletedMs === undefined ? seatsUntilMs.filter((untilMs) => untilMs > nowMs).length : 0;
    if (held > 0) seats.set(id, (seats.get(id) ?? 0) + held);
  }
  return { months, seats: Object.fromEntries(seats) };
}

/** Returns whole numbers below a maximum, always the same ones. */
function randomOf(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const figuresOf = async (path: string, auth: object) => {
  const answer = await suite.app.request({ method: 'GET', url: `/api/v1${path}`, headers: { ...auth } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

describe.each([
  ['America/Los_Angeles', 11],
  ['Pacific/Auckland', 22],
])('in the timezone %s', (timezone, seed) => {
  test('the figures are those of a random life of licenses over more than a year, by product', {
    timeout: 240_000,
  }, async () => {
    clock.set(start);
    let { tenant, admin } = { tenant: await suite.newTenant(), admin: suite.admin };
    await tenant.asOwner('PUT', '/settings', { timezone, retention_days: { audit: 3650 } });
    const products = [await newProduct(tenant), await newProduct(tenant)] as const;
    const policyOf = (product: { id: string }, fields: object = {}) =>
      newPolicy(tenant, { product_id: product.id, ...fields });
    const sold = [
      await policyOf(products[0], { duration_days: 45 }),
      await policyOf(products[0]),
      await policyOf(products[1], {
        duration_months: 2,
        lease_seconds: 20 * 86_400,
        renewal_basis: 'from_expiry_or_now',
      }),
    ];
    const trial = await policyOf(products[0], { duration_days: 14 });
    await tenant.asOwner('PUT', `/products/${products[0].id}`, { trial_policy_id: trial.id });
    const all: Known[] = [];
    const random = randomOf(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
    // biome-ignore lint/suspicious/noExplicitAny: a license as the API shows it.
    const know = ({ id, key, expires_at }: any, product: string, isTrial = false) => {
      const endsMs = expires_at === null ? null : Date.parse(expires_at);
      all.push({ id, key, product, isTrial, createdMs: Date.now(), endsMs, renewedMs: [], seatsUntilMs: [] });
    };
    const listed = async (key: string) => (await tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];
    const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
      const viaAdmin = { url: `/api/v1/admin/tenants/${tenant.id}${path}`, headers: admin.auth };
      const viaTenant = { url: `/api/v1/tenant${path}`, headers: tenant.owner.auth };
      return suite.app.request({ method, ...(random(2) === 0 ? viaAdmin : viaTenant), ...(payload && { payload }) });
    };
    const inBulk = async (path: string, payload?: object) => {
      const { status, text, body } = await send('POST', `/bulk-operations${path}`, payload);
      expect(status, text).toBe(202);
      await runTenantJobs(suite.app);
      return body.data.id as string;
    };
    const act = async (one: Known, action: string, payload?: object) => {
      const { status, body } = await send('POST', `/licenses/${one.id}/${action}`, payload);
      if (status === 200) one.endsMs = body.data.expires_at === null ? null : Date.parse(body.data.expires_at);
      return status === 200;
    };
    const operations: readonly ((one: Known) => Promise<unknown>)[] = [
      async () => {
        const policy = pick(sold);
        know(created(await send('POST', '/licenses', { policy_id: policy.id })), policy.product_id);
      },
      async () => {
        const [keys, policy] = [[newId(), newId()], pick(sold)];
        const past = [-90, -random(60) - 1].map((days) => new Date(Date.now() + days * dayMs).toISOString());
        const csv = `key,policy_id,starts_at,expires_at\n${keys[0]},${policy.id},,\n${keys[1]},${policy.id},${past.join()}\n`;
        expect((await tenant.asOwner('POST', '/licenses/import', csv)).status).toBe(200);
        for (const key of keys) know(await listed(key), policy.product_id);
      },
      async () => {
        const body = { product: products[0].code, fingerprint: newId() };
        const { license_key } = created(await tenant.asApplication('/trials', body));
        know(await listed(license_key), products[0].id, true);
        all.at(-1)?.seatsUntilMs.push(Number.POSITIVE_INFINITY);
      },
      async (one) => {
        if (await act(one, 'renew')) one.renewedMs.push(Date.now());
      },
      async (one) => {
        if (await act(one, 'renew', { duration_days: 90 })) one.renewedMs.push(Date.now());
      },
      async (one) => {
        const isOpen = one.isTrial && one.convertedMs === undefined;
        if (isOpen && (await act(one, 'convert', { policy_id: sold[0].id }))) one.convertedMs = Date.now();
      },
      async (one) => {
        const wasRevoked = one.revokedMs !== undefined;
        if ((await act(one, 'revoke')) && !wasRevoked) one.revokedMs = Date.now();
      },
      (one) => act(one, pick(['suspend', 'reinstate'])),
      async (one) => {
        if ((await send('DELETE', `/licenses/${one.id}`)).status === 200) one.deletedMs = Date.now();
      },
      async (one) => {
        const endsMs = Date.now() + (random(40) - 5) * dayMs;
        const { status } = await send('PUT', `/licenses/${one.id}`, { expires_at: new Date(endsMs).toISOString() });
        if (status === 200) one.endsMs = endsMs;
      },
      async (one) => {
        const { key, product, seatsUntilMs } = one;
        const { status } = await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: newId() });
        const untilMs = product === products[0].id ? Number.POSITIVE_INFINITY : Date.now() + 20 * dayMs;
        if (status === 201) seatsUntilMs.push(untilMs);
      },
      async (one) => {
        if (one.deletedMs !== undefined || one.revokedMs !== undefined) return;
        const revoking = await inBulk('', { ids: [one.id], action: { type: 'revoke' } });
        if (random(2) === 0) await inBulk(`/${revoking}/undo`);
        else one.revokedMs = Date.now();
      },
    ];
    const compare = async () => {
      for (const product of [undefined, ...products.map(({ id }) => id)]) {
        const query = product === undefined ? '' : `?product_id=${product}`;
        const viaTenant = await figuresOf(`/tenant/overview/figures${query}`, tenant.owner.auth);
        const viaAdmin = await figuresOf(`/admin/tenants/${tenant.id}/overview/figures${query}`, admin.auth);
        const { months, seats } = expectedOf(all, Date.now(), timezone, product);
        // biome-ignore lint/suspicious/noExplicitAny: the seats as the API shows them.
        const seatsOf = (data: any) => Object.fromEntries(data.seats.map((one: any) => [one.product_id, one.seats]));
        expect(viaTenant).toMatchObject({ timezone, months });
        expect(seatsOf(viaTenant)).toEqual(seats);
        expect(viaAdmin).toEqual(viaTenant);
      }
    };
    for (let step = 0; step < 84; step += 1) {
      const known = all.filter(({ deletedMs }) => deletedMs === undefined);
      await (step < 6 || known.length === 0 ? pick(operations.slice(0, 3)) : pick(operations))(pick(known));
      if (step % 20 === 19) await compare();
      // Half of the times are the last millisecond of a month in the timezone, or the first one of the next.
      const local = Temporal.Instant.fromEpochMilliseconds(Date.now()).toZonedDateTimeISO(timezone).toPlainDate();
      const next = local.with({ day: 1 }).add({ months: 1 }).toZonedDateTime(timezone).epochMilliseconds;
      const soonMs = Date.now() + random(12 * dayMs);
      clock.set(new Date(soonMs < next ? soonMs : next - random(2)).toISOString());
      tenant = { ...tenant, owner: await logIn(suite.app, tenant.owner.email, 'tenant') };
      tenant = { ...tenant, ...surfacesOf(suite.app, tenant) };
      admin = await logIn(suite.app, admin.email, 'admin');
    }
    const { months } = expectedOf(all, Date.now(), timezone);
    // The life had everything that the figures count.
    for (const name of ['issued', 'renewed', 'lost', 'trials_started', 'trials_converted'] as const) {
      expect(
        months.reduce((sum, one) => sum + one[name], 0),
        name,
      ).toBeGreaterThan(0);
    }
    expect(Date.now() - Date.parse(start)).toBeGreaterThan(365 * dayMs);
  });
});

test('months whose audit records a shorter retention removed have no renewals and losses, also after it is longer again', async () => {
  clock.set(start);
  let tenant: TestTenant = await suite.newTenant();
  const license = await newLicense(tenant, { duration_days: 10 });
  const moveTo = async (moment: string) => {
    clock.set(moment);
    tenant = { ...tenant, owner: await logIn(suite.app, tenant.owner.email, 'tenant') };
    tenant = { ...tenant, ...surfacesOf(suite.app, tenant) };
  };
  const known = async () => {
    const { months } = await figuresOf('/tenant/overview/figures', tenant.owner.auth);
    return months.flatMap((one: { month: string; renewed: number | null; lost: number | null; issued: number }) =>
      one.renewed === null && one.lost === null ? [] : [`${one.month} ${one.issued} ${one.renewed} ${one.lost}`],
    );
  };
  await moveTo('2026-05-20T12:00:00.000Z');
  await tenant.asOwner('POST', `/licenses/${license.id}/renew`, { duration_days: 365 });
  const zeros = (months: number[]) => months.map((month) => `2026-${String(month).padStart(2, '0')} 0 0 0`);
  const former = ['2025-06', '2025-07', '2025-08', '2025-09', '2025-10', '2025-11', '2025-12'].map(
    (one) => `${one} 0 0 0`,
  );
  expect(await known()).toEqual([...former, '2026-01 1 0 0', ...zeros([2, 3, 4]), '2026-05 0 1 0']);
  await tenant.asOwner('PUT', '/settings', { retention_days: { audit: 60 } });
  expect(await known()).toEqual([...zeros([4]), '2026-05 0 1 0']);
  await runTenantJobs(suite.app);
  await moveTo('2026-07-01T12:00:00.000Z');
  await tenant.asOwner('PUT', '/settings', { retention_days: { audit: 365 } });
  expect(await known()).toEqual(['2026-06 0 0 0', '2026-07 0 0 0']);
  await moveTo('2026-08-10T12:00:00.000Z');
  expect(await known()).toEqual(zeros([6, 7, 8]));
});

test('the figures are for those who may read the overview, and an unknown product has none', async () => {
  clock.set(start);
  const tenant = await suite.newTenant();
  await newLicense(tenant);
  const statuses = [];
  for (const role of ['viewer', 'support', 'admin'] as const) {
    const user = await createUser(suite.app);
    await joinTenant(suite.app, user, tenant.id, role);
    const url = '/api/v1/tenant/overview/figures';
    statuses.push((await suite.app.request({ method: 'GET', url, headers: user.auth })).status);
  }
  expect(statuses).toEqual([200, 403, 200]);
  const { months, seats } = await figuresOf(`/tenant/overview/figures?product_id=${newId()}`, tenant.owner.auth);
  expect([months.at(-1), seats]).toEqual([expect.objectContaining({ month: '2026-01', issued: 0 }), []]);
  expect((await tenant.asOwner('GET', '/overview/figures?product_id=none')).status).toBe(422);
});
