import { beforeEach, describe, expect, test } from 'vitest';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useAdmin();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await suite.newTenant();
});

async function setLimit(of: TestTenant, integration_requests_per_minute: number): Promise<void> {
  const answer = await suite.asAdmin('PATCH', `/tenants/${of.id}`, { limits: { integration_requests_per_minute } });
  expect(answer.body.data.limits.integration_requests_per_minute).toBe(integration_requests_per_minute);
}

const createKey = async (fields: object) =>
  (await tenant.asOwner('POST', '/api-keys', { name: 'Key', ...fields })).body.data.key as string;

function validateWith(key: string, remoteAddress = '127.0.0.1', headers: object = {}): Promise<Answer> {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  return suite.app.request({ method: 'POST', url, remoteAddress, headers: { ...headers, 'x-api-key': key } });
}

/** Evaluates all feature flags. */
function evaluateWith(key: string, remoteAddress: string): Promise<Answer> {
  const url = '/ofrep/v1/evaluate/flags';
  const payload = { context: {} };
  return suite.app.request({ method: 'POST', url, remoteAddress, headers: { 'x-api-key': key }, payload });
}

const inParallel = (count: number, send: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, send));

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

function limitHeaders({ headers }: Answer) {
  const number = (name: string) => (headers[name] === undefined ? undefined : Number(headers[name]));
  return {
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
    retryAfter: number('retry-after'),
  };
}

/** Returns the Unix time in seconds at which a window that opens now ends. */
const endOfWindow = () => Math.ceil(Date.now() / 1000 + 60);

describe('the limit of a tenant', () => {
  test("a tenant's limit is exact under 50 parallel requests", async () => {
    await setLimit(tenant, 30);
    const answers = await inParallel(50, () => validateWith(tenant.apiKey));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([30, 20]);
    const remaining = answers.filter(({ status }) => status === 200).map((answer) => limitHeaders(answer).remaining);
    expect(remaining.sort((left = 0, right = 0) => right - left)).toEqual(
      Array.from({ length: 30 }, (_, at) => 29 - at),
    );
  });

  test("a tenant's limit is exact under 50 parallel requests with several keys", async () => {
    await setLimit(tenant, 30);
    const keys = [tenant.apiKey, await createKey({}), await createKey({ rate_limit_per_minute: 100 })];
    let next = 0;
    const answers = await inParallel(50, () => validateWith(keys[next++ % keys.length] ?? ''));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([30, 20]);
  });

  test("a request over the tenant's limit is rejected with the time to wait and has no effect", async () => {
    await setLimit(tenant, 1);
    expect((await validateWith(tenant.apiKey)).status).toBe(200);
    const refused = await tenant.asApplication('/licenses/UNKNOWN/activations', { fingerprint: 'machine' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT.EXCEEDED']);
    expect(limitHeaders(refused)).toEqual({ limit: 1, remaining: 0, reset: endOfWindow(), retryAfter: 60 });
  });

  test('the default limit of a tenant is 6,000 requests per minute', async () => {
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ limit: 6000, remaining: 5999 });
  });

  test('the window of a tenant opens with the first request and ends 60 s later', async () => {
    await setLimit(tenant, 2);
    clock.advance(250);
    const reset = endOfWindow();
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ remaining: 1, reset });
    clock.advance(40_000);
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ remaining: 0, reset });
    clock.advance(19_999);
    const last = await validateWith(tenant.apiKey);
    expect(limitHeaders(last)).toEqual({ limit: 2, remaining: 0, reset, retryAfter: 1 });
    expect(last.status).toBe(429);
    clock.advance(1);
    const again = await validateWith(tenant.apiKey);
    expect(again.status).toBe(200);
    expect(limitHeaders(again)).toMatchObject({ remaining: 1, reset: endOfWindow() });
  });

  test("a change of a tenant's limit takes effect with the next request", async () => {
    await setLimit(tenant, 1);
    await validateWith(tenant.apiKey);
    expect((await validateWith(tenant.apiKey)).status).toBe(429);
    await setLimit(tenant, 10);
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ limit: 10, remaining: 7 });
    await setLimit(tenant, 2);
    expect((await validateWith(tenant.apiKey)).status).toBe(429);
  });

  test('the requests of one tenant do not count for another tenant', async () => {
    const other = await suite.newTenant('Other');
    await setLimit(tenant, 3);
    await inParallel(10, () => validateWith(tenant.apiKey));
    expect(limitHeaders(await validateWith(other.apiKey))).toMatchObject({ limit: 6000, remaining: 5999 });
  });

  test("requests of users and admins do not count towards a tenant's limit", async () => {
    await setLimit(tenant, 1);
    for (let time = 0; time < 3; time += 1) expect((await tenant.asOwner('GET', '/products')).status).toBe(200);
    expect((await validateWith(tenant.apiKey)).status).toBe(200);
  });

  test("requests without a valid key do not count towards a tenant's limit", async () => {
    await inParallel(5, () => validateWith(`vx_${'0'.repeat(64)}`));
    expect(limitHeaders(await validateWith(tenant.apiKey)).remaining).toBe(5999);
  });
});

describe('the own limit of an API key', () => {
  test('the limit of a key is exact under 50 parallel requests, and refused ones do not count for the tenant', async () => {
    await setLimit(tenant, 100);
    const key = await createKey({ rate_limit_per_minute: 20 });
    const answers = await inParallel(50, () => validateWith(key));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([20, 30]);
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ limit: 100, remaining: 79 });
  });

  test('the headers show the limit of the key until the tenant has fewer requests left', async () => {
    await setLimit(tenant, 5);
    const key = await createKey({ rate_limit_per_minute: 3 });
    expect(limitHeaders(await validateWith(key))).toMatchObject({ limit: 3, remaining: 2 });
    await inParallel(3, () => validateWith(tenant.apiKey));
    expect(limitHeaders(await validateWith(key))).toMatchObject({ limit: 5, remaining: 0 });
    const refused = await validateWith(key);
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused)).toMatchObject({ limit: 5, remaining: 0, retryAfter: 60 });
  });

  test('the requests with one key do not count for another key', async () => {
    const [first, second] = [
      await createKey({ rate_limit_per_minute: 1 }),
      await createKey({ rate_limit_per_minute: 1 }),
    ];
    expect((await validateWith(first)).status).toBe(200);
    expect((await validateWith(first)).status).toBe(429);
    expect((await validateWith(second)).status).toBe(200);
  });

  test("a key's limit above the tenant's limit does not allow more requests", async () => {
    await setLimit(tenant, 2);
    const key = await createKey({ rate_limit_per_minute: 1000 });
    const answers = await inParallel(5, () => validateWith(key));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([2, 3]);
  });
});

describe('the limit of an API key per client address', () => {
  const [home, office] = ['203.0.113.7', '203.0.113.8'];
  const newKey = (limit: number, fields: object = {}) =>
    createKey({ rate_limit_per_address_per_minute: limit, ...fields });

  test('it is exact under 50 parallel requests per address, and refused ones count for neither the tenant nor the key', async () => {
    await setLimit(tenant, 100);
    const key = await newKey(20, { rate_limit_per_minute: 60 });
    const [ofHome, ofOffice] = await Promise.all(
      [home, office].map((address) => inParallel(50, () => validateWith(key, address))),
    );
    for (const answers of [ofHome ?? [], ofOffice ?? []]) {
      expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([20, 30]);
    }
    expect(limitHeaders(await validateWith(tenant.apiKey))).toMatchObject({ limit: 100, remaining: 59 });
    const elsewhere = await inParallel(20, () => validateWith(key, '203.0.113.9'));
    expect(countOf(elsewhere, 200)).toBe(20);
    expect(limitHeaders(await validateWith(key, '203.0.113.10'))).toMatchObject({ limit: 60, remaining: 0 });
  });

  test('one copy of an application cannot use up the limit of all the others', async () => {
    await setLimit(tenant, 30);
    const key = await newKey(5);
    await inParallel(200, () => validateWith(key, home));
    const others = await Promise.all([1, 2, 3, 4].map((copy) => validateWith(key, `198.51.100.${copy}`)));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('a refused request is told when its address may send again, and then it may', async () => {
    const key = await newKey(1);
    const reset = endOfWindow();
    expect(limitHeaders(await validateWith(key, home))).toEqual({
      limit: 1,
      remaining: 0,
      reset,
      retryAfter: undefined,
    });
    clock.advance(20_000);
    const refused = await validateWith(key, home);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT.EXCEEDED']);
    expect(limitHeaders(refused)).toEqual({ limit: 1, remaining: 0, reset, retryAfter: 40 });
    clock.advance(40_000);
    expect((await validateWith(key, home)).status).toBe(200);
  });

  test('the headers show the window with the fewest requests left: of the address, the key or the tenant', async () => {
    await setLimit(tenant, 6);
    const key = await newKey(3, { rate_limit_per_minute: 5 });
    const headersFrom = async (address: string) => {
      const { limit, remaining } = limitHeaders(await validateWith(key, address));
      return { limit, remaining };
    };
    expect(await headersFrom(home)).toEqual({ limit: 3, remaining: 2 });
    await headersFrom(office);
    await headersFrom('203.0.113.9');
    expect(await headersFrom('203.0.113.10')).toEqual({ limit: 5, remaining: 1 });
    await validateWith(tenant.apiKey);
    expect(await headersFrom(home)).toEqual({ limit: 6, remaining: 0 });
    expect(await headersFrom(office)).toEqual({ limit: 5, remaining: 0 });
  });

  test.each([
    ['the same IPv4 address as an IPv6 socket reports it', '203.0.113.7', '::ffff:203.0.113.7', 429],
    ['another IPv4 address', '203.0.113.7', '203.0.113.8', 200],
    ['another address of the same IPv6 /64 network', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2', 429],
    ['an address of another IPv6 /64 network', '2001:db8:0:1::1', '2001:db8:0:2::1', 200],
  ])('after the limit is used up, a request from %s gets the expected status', async (_from, first, second, status) => {
    const key = await newKey(1);
    expect((await validateWith(key, first)).status).toBe(200);
    expect((await validateWith(key, second)).status).toBe(status);
  });

  test('a client cannot get another window by naming another address in X-Forwarded-For', async () => {
    const key = await newKey(1);
    expect((await validateWith(key, home)).status).toBe(200);
    expect((await validateWith(key, home, { 'x-forwarded-for': office })).status).toBe(429);
  });

  test('the Integration API and the evaluation of feature flags count together', async () => {
    const key = await newKey(2);
    expect((await validateWith(key, home)).status).toBe(200);
    expect((await evaluateWith(key, home)).status).toBe(200);
    expect((await validateWith(key, home)).status).toBe(429);
    const refused = await evaluateWith(key, home);
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused)).toMatchObject({ limit: 2, remaining: 0, retryAfter: 60 });
    expect((await evaluateWith(key, office)).status).toBe(200);
  });

  test('the requests with one key from an address do not count for another key', async () => {
    const [first, second] = [await newKey(1), await newKey(1)];
    expect((await validateWith(first, home)).status).toBe(200);
    expect((await validateWith(first, home)).status).toBe(429);
    expect((await validateWith(second, home)).status).toBe(200);
  });

  test('license keys cannot be guessed faster than the limit from one address', async () => {
    const key = await newKey(10);
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, guess) =>
        suite.app.request({
          method: 'POST',
          url: `/api/v1/integration/licenses/GUESS-${guess}/validate`,
          remoteAddress: home,
          headers: { 'x-api-key': key },
        }),
      ),
    );
    expect([countOf(guesses, 200), countOf(guesses, 429)]).toEqual([10, 30]);
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused.every(({ body }) => body.data === undefined)).toBe(true);
  });
});

describe('rate limit headers', () => {
  const json = { 'content-type': 'application/json' };

  test.each([
    { status: 200, path: '/licenses/UNKNOWN/validate', payload: '{}', headers: json },
    { status: 400, path: '/licenses/UNKNOWN/validate', payload: '{', headers: json },
    { status: 404, path: '/licenses/UNKNOWN/activations', payload: '{"fingerprint":"a"}', headers: json },
    { status: 413, path: '/licenses/UNKNOWN/validate', payload: ' '.repeat(1024 * 1024 + 1), headers: json },
    { status: 415, path: '/licenses/UNKNOWN/validate', payload: 'a', headers: { 'content-type': 'text/plain' } },
    { status: 422, path: '/licenses/UNKNOWN/validate', payload: '{"unknown":1}', headers: json },
    { status: 422, path: '/licenses/UNKNOWN/validate?unknown=1', payload: '{}', headers: json },
  ])(
    'a $status response to an authenticated request has the rate limit headers',
    async ({ status, path, payload, headers }) => {
      const url = `/api/v1/integration${path}`;
      const sent = { ...headers, 'x-api-key': tenant.apiKey };
      const answer = await suite.app.request({ method: 'POST', url, payload, headers: sent });
      expect(answer.status).toBe(status);
      expect(limitHeaders(answer)).toEqual({
        limit: 6000,
        remaining: 5999,
        reset: endOfWindow(),
        retryAfter: undefined,
      });
    },
  );

  test('a 403 response to an authenticated request has the rate limit headers', async () => {
    const answer = await validateWith(await createKey({ scopes: ['usage:write'] }));
    expect([answer.status, limitHeaders(answer).remaining]).toEqual([403, 5999]);
  });

  test('a 401 response has the headers of the throttle of failures instead', async () => {
    const answer = await validateWith(`vx_${'0'.repeat(64)}`);
    expect(answer.status).toBe(401);
    expect(limitHeaders(answer)).toMatchObject({ limit: 60, reset: undefined, retryAfter: undefined });
  });
});
