import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Account, createUser, joinTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { type Answer, startApp, stopApp } from '../support/harness.ts';
import { openSocket, portOf, readAnswers } from '../support/raw-http.ts';
import { booleanFlag, createFlag, evaluate } from './flags.ts';

const suite = useAdmin();
let tenant: TestTenant;
let apiKey: Record<string, string>;

beforeAll(async () => {
  const { app } = suite;
  tenant = await suite.newTenant();
  apiKey = { 'x-api-key': tenant.apiKey };
  await createFlag(app, suite.admin, 'a-static', booleanFlag());
  await createFlag(app, suite.admin, 'b-targeted', booleanFlag({ targeting: { if: [{ var: 'beta' }, 'on'] } }));
  await createFlag(
    app,
    suite.admin,
    'c-computed',
    booleanFlag({ targeting: { var: 'variant' }, metadata: { team: 'a' } }),
  );
  await createFlag(app, suite.admin, 'd-disabled', booleanFlag({ state: 'DISABLED' }));
  await createFlag(app, suite.admin, 'e-in-code', booleanFlag({ defaultVariant: null }));
  await app.listen();
});

const one = (fields: Partial<Parameters<typeof evaluate>[1]> = {}) =>
  evaluate(suite.app, { key: 'a-static', headers: apiKey, ...fields });
const all = (fields: Partial<Parameters<typeof evaluate>[1]> = {}) =>
  evaluate(suite.app, { headers: apiKey, ...fields });

/** The service's own code of a failure that OFREP does not know, else OFREP's. */
function codeOf({ body }: Answer): string | undefined {
  if (body.errorCode === 'GENERAL') return body.errorDetails.split(':', 1)[0];
  expect([undefined, 'FLAG_NOT_FOUND', 'PARSE_ERROR', 'INVALID_CONTEXT']).toContain(body.errorCode);
  return body.errorCode;
}

test("the evaluation of one flag has no envelope and has the service's headers", async () => {
  const answer = await one();
  expect(answer.body).toEqual({ key: 'a-static', reason: 'STATIC', variant: 'off', value: false });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-service-api-version': '1',
    'x-request-id': expect.any(String),
    'x-ratelimit-limit': '6000',
  });
});

test('a bulk evaluation returns every flag, including flags that fail', async () => {
  const answer = await all({ context: { beta: true, variant: 'gold' } });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    flags: [
      { key: 'a-static', reason: 'STATIC', variant: 'off', value: false },
      { key: 'b-targeted', reason: 'TARGETING_MATCH', variant: 'on', value: true },
      {
        key: 'c-computed',
        errorCode: 'GENERAL',
        errorDetails: expect.stringContaining('gold'),
        metadata: { team: 'a' },
      },
      { key: 'd-disabled', reason: 'DISABLED' },
      { key: 'e-in-code', reason: 'DEFAULT' },
    ],
  });
  const others = await all();
  expect(others.body.flags.slice(1, 3)).toEqual([
    { key: 'b-targeted', reason: 'DEFAULT', variant: 'off', value: false },
    { key: 'c-computed', reason: 'DEFAULT', variant: 'off', value: false, metadata: { team: 'a' } },
  ]);
});

test("the evaluation of one flag that fails has status 400 and OFREP's error code", async () => {
  const answer = await one({ key: 'c-computed', context: { variant: 'gold' } });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ key: 'c-computed', errorCode: 'GENERAL', metadata: { team: 'a' } });
});

test('a context value that cannot be a text fails the flag that returns it, and no other', async () => {
  const context = { beta: true, variant: { toString: 1, valueOf: 2 } };
  const answer = await all({ context });
  expect(answer.status).toBe(200);
  expect(answer.body.flags[1]).toMatchObject({ key: 'b-targeted', value: true });
  expect(answer.body.flags[2]).toMatchObject({ key: 'c-computed', errorCode: 'GENERAL' });
  expect((await one({ key: 'c-computed', context })).status).toBe(400);
});

describe('If-None-Match', () => {
  const tagOf = async (context: object) => String((await all({ context })).headers['etag']);
  const again = (tag: string, context: object) => all({ context, headers: { ...apiKey, 'if-none-match': tag } });

  test('a matching If-None-Match gets 304 without a body while flags and context are the same', async () => {
    const tag = await tagOf({ beta: true });
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const header of [tag, `W/${tag}`, `"another", ${tag}`, '*']) {
      const answer = await again(header, { beta: true });
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', tag]);
    }
  });

  test('If-None-Match gets all flags again for another context and after a change of a flag', async () => {
    const tag = await tagOf({ beta: true });
    expect((await again(tag, { beta: false })).status).toBe(200);
    expect((await again('"another"', { beta: true })).status).toBe(200);
    await createFlag(suite.app, suite.admin, 'f-new', booleanFlag());
    const answer = await again(tag, { beta: true });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).not.toBe(tag);
    expect(answer.body.flags).toHaveLength(6);
  });
});

test('a rule over the time changes the tag exactly when it changes the response', async () => {
  const startMs = Math.floor(Date.now() / 1000) * 1000;
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  onTestFinished(() => void vi.useRealTimers());
  const rule = { if: [{ '<': [{ var: '$flagd.timestamp' }, startMs / 1000 + 60] }, 'on'] };
  await createFlag(suite.app, suite.admin, 'i-timed', booleanFlag({ targeting: rule }));
  const ask = async () => {
    const answer = await all();
    return { tag: answer.headers['etag'], value: answer.body.flags.at(-1).value };
  };
  const before = await ask();
  expect(before.value).toBe(true);
  vi.setSystemTime(startMs + 59_999);
  expect(await ask()).toEqual(before);
  vi.setSystemTime(startMs + 60_000);
  const after = await ask();
  expect(after.value).toBe(false);
  expect(after.tag).not.toBe(before.tag);
});

describe('bad requests', () => {
  test.each<[string, string | object, number, string]>([
    ['invalid JSON', '{"context":', 400, 'PARSE_ERROR'],
    ['an empty body', '', 400, 'INVALID_CONTEXT'],
    ['a body that is null', 'null', 400, 'INVALID_CONTEXT'],
    ['a list as body', [], 400, 'INVALID_CONTEXT'],
    ['no context', {}, 400, 'INVALID_CONTEXT'],
    ['a context that is null', { context: null }, 400, 'INVALID_CONTEXT'],
    ['a string as context', { context: 'a' }, 400, 'INVALID_CONTEXT'],
    ['a list as context', { context: [] }, 400, 'INVALID_CONTEXT'],
    ['a NUL character in the context', { context: { a: '\u0000' } }, 400, 'INVALID_CONTEXT'],
    ['a context of more than 16 KiB', { context: { a: 'x'.repeat(17_000) } }, 400, 'INVALID_CONTEXT'],
    [
      'a context of more than 500 fields',
      { context: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, 1])) },
      400,
      'INVALID_CONTEXT',
    ],
    ['a body of more than 1 MiB', { context: { a: 'x'.repeat(1_100_000) } }, 413, 'REQUEST.TOO_LARGE'],
  ])('an evaluation with %s is refused', async (_title, payload, status, errorCode) => {
    for (const answer of [await one({ payload }), await all({ payload })]) {
      expect([answer.status, codeOf(answer)]).toEqual([status, errorCode]);
      expect(answer.body.errorDetails).toMatch(/^[A-Z].*\.$/);
    }
    expect((await one({ payload })).body.key).toBe('a-static');
  });

  test('an evaluation with another media type is refused with status 415', async () => {
    const answer = await all({ headers: { ...apiKey, 'content-type': 'text/plain' }, payload: 'x' });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE']);
  });

  test('unknown fields of an evaluation request are ignored', async () => {
    expect((await one({ payload: { context: {}, more: 1 } })).status).toBe(200);
  });

  test('a context with names of inherited object properties does not affect the evaluation', async () => {
    const answer = await one({ key: 'b-targeted', payload: '{"context":{"toString":1,"hasOwnProperty":null}}' });
    expect(answer.body).toMatchObject({ reason: 'DEFAULT' });
  });

  test('the evaluation of an unknown flag has status 404 and contains the key', async () => {
    for (const key of ['unknown', 'toString', 'a%20b']) {
      const answer = await one({ key });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ key: decodeURIComponent(key), errorCode: 'FLAG_NOT_FOUND' });
    }
  });
});

describe('paths without a route', () => {
  const flags = '/ofrep/v1/evaluate/flags';
  const long = 'x'.repeat(600);

  test.each<[string, string, string, number, object]>([
    ['a key with a slash', 'POST', `${flags}/a/b`, 404, { key: 'a/b', errorCode: 'FLAG_NOT_FOUND' }],
    ['a key with an escaped slash', 'POST', `${flags}/a%2Fb`, 404, { key: 'a/b', errorCode: 'FLAG_NOT_FOUND' }],
    ['a key that ends with a slash', 'POST', `${flags}/a/`, 404, { key: 'a/', errorCode: 'FLAG_NOT_FOUND' }],
    ['an empty key', 'POST', `${flags}/`, 404, { key: '', errorCode: 'FLAG_NOT_FOUND' }],
    ['a key and a query', 'POST', `${flags}/a?b=c`, 404, { key: 'a', errorCode: 'FLAG_NOT_FOUND' }],
    ['a control character in the key', 'POST', `${flags}/%00`, 404, { key: '\u0000', errorCode: 'FLAG_NOT_FOUND' }],
    ['an invalid escape in the key', 'POST', `${flags}/%zz`, 400, { key: '%zz', errorCode: 'PARSE_ERROR' }],
    ['a key of 600 characters', 'POST', `${flags}/${long}`, 414, { key: long, errorCode: 'GENERAL' }],
    ['two slashes at its start', 'POST', `/${flags}/a`, 404, { key: 'a', errorCode: 'GENERAL' }],
    ['two slashes before all flags', 'POST', `/${flags}`, 404, { errorCode: 'GENERAL' }],
    ['another operation', 'POST', '/ofrep/v1/evaluate', 404, { errorCode: 'GENERAL' }],
    ['the prefix alone', 'POST', '/ofrep', 404, { errorCode: 'GENERAL' }],
    ['GET of one flag', 'GET', `${flags}/a-static`, 405, { key: 'a-static', errorCode: 'GENERAL' }],
    ['GET of all flags', 'GET', flags, 405, { errorCode: 'GENERAL' }],
  ])("a request with %s is refused in OFREP's format", async (_title, method, url, status, body) => {
    const payload = { ...(method === 'POST' && { payload: { context: {} } }) };
    const answer = await suite.app.request({ method: method as 'GET', url, headers: apiKey, ...payload });
    expect([answer.status, { ...answer.body, errorDetails: '' }]).toEqual([status, { ...body, errorDetails: '' }]);
    expect(answer.body.errorDetails).toMatch(/^[A-Z].*\.$/);
    if (status === 405) expect(answer.headers['allow']).toBe('POST');
    if (url.startsWith('//')) expect(answer.body.errorDetails).toContain('Remove the slash at the end');
  });

  test.each([
    ['an origin before it', 'http://other.example/ofrep/v1/evaluate/flags/a-static'],
    ['an escaped letter', '/%6ffrep/v1/evaluate/flags/a-static'],
  ])("a failure of a path with %s has OFREP's format", async (_title, target) => {
    const lines = [`POST ${target} HTTP/1.1`, 'Host: a', 'Connection: close', 'Content-Length: 0'];
    const socket = await openSocket(portOf(suite.app));
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [answer] = await readAnswers(socket);
    expect(answer?.status).toBe(401);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ key: 'a-static', errorCode: 'GENERAL' });
  });

  test('a key with a slash without a credential is a 401, as for every other key', async () => {
    const answer = await one({ key: 'a/b', headers: {} });
    expect([answer.status, answer.body.key, codeOf(answer)]).toEqual([401, 'a/b', 'AUTH.INVALID_TOKEN']);
  });

  test('a path that only begins like OFREP has the format of the API', async () => {
    const answer = await suite.app.request({ method: 'POST', url: '/ofrepeat' });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
  });
});

describe('authentication of evaluations', () => {
  let viewer: Account;
  let memberOfTwo: Account;
  let nobody: Account;
  let second: TestTenant;

  beforeAll(async () => {
    const { app } = suite;
    second = await suite.newTenant();
    [viewer, memberOfTwo, nobody] = [await createUser(app), await createUser(app), await createUser(app)];
    await joinTenant(app, viewer, tenant.id, 'viewer');
    await joinTenant(app, memberOfTwo, tenant.id, 'viewer');
    await joinTenant(app, memberOfTwo, second.id, 'viewer');
  });

  test.each<[string, () => Record<string, string>, number, string | undefined]>([
    ['a viewer', () => viewer.auth, 200, undefined],
    [
      'a member of two tenants who names one',
      () => ({ ...memberOfTwo.auth, 'x-tenant-id': second.id }),
      200,
      undefined,
    ],
    ['a member of two tenants', () => memberOfTwo.auth, 400, 'TENANT.SELECTION_REQUIRED'],
    ['a member with an invalid tenant id', () => ({ ...viewer.auth, 'x-tenant-id': 'x' }), 400, 'PARSE_ERROR'],
    [
      'a member who names another tenant',
      () => ({ ...viewer.auth, 'x-tenant-id': second.id }),
      403,
      'TENANT.ACCESS_DENIED',
    ],
    ['a user without a tenant', () => nobody.auth, 403, 'TENANT.ACCESS_DENIED'],
    ['a client without a credential', () => ({}), 401, 'AUTH.INVALID_TOKEN'],
    ['an admin', () => suite.admin.auth, 401, 'AUTH.INVALID_TOKEN'],
    ['a client with an unknown key', () => ({ 'x-api-key': `vx_${'0'.repeat(64)}` }), 401, 'AUTH.INVALID_API_KEY'],
    [
      'a client with an unknown key and a valid token',
      () => ({ ...viewer.auth, 'x-api-key': 'vx_' }),
      401,
      'AUTH.INVALID_API_KEY',
    ],
  ])('an evaluation by %s gets the expected status', async (_title, headers, status, errorCode) => {
    const answers = [await one({ headers: headers() }), await all({ headers: headers() })] as const;
    expect(answers.map(({ body }) => body.key)).toEqual(['a-static', undefined]);
    for (const answer of answers) {
      expect([answer.status, codeOf(answer)]).toEqual([status, errorCode]);
      if (status === 401 && errorCode === 'AUTH.INVALID_TOKEN')
        expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('a revoked key, a key from a forbidden address and a suspended tenant are refused immediately', async () => {
    const issue = async (fields: object) =>
      (await second.asOwner('POST', '/api-keys', { name: 'A key', ...fields })).body.data;
    const [revoked, elsewhere] = [await issue({}), await issue({ allowed_cidrs: ['192.0.2.0/24'] })];
    const outcome = async (key: string) => {
      const answer = await all({ headers: { 'x-api-key': key } });
      return [answer.status, codeOf(answer)];
    };
    expect(await outcome(revoked.key)).toEqual([200, undefined]);
    await second.asOwner('DELETE', `/api-keys/${revoked.id}`);
    expect(await outcome(revoked.key)).toEqual([401, 'AUTH.INVALID_API_KEY']);
    expect(await outcome(elsewhere.key)).toEqual([403, 'AUTH.IP_NOT_ALLOWED']);
    await suite.asAdmin('PATCH', `/tenants/${second.id}`, { status: 'suspended' });
    expect(await outcome(second.apiKey)).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
    const answer = await all({ headers: second.owner.auth });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
  });

  test('evaluations with a key count against the Integration rate limit and get a Retry-After header', async () => {
    const limited = await suite.newTenant();
    const limits = { integration_requests_per_minute: 2 };
    await suite.asAdmin('PATCH', `/tenants/${limited.id}`, { limits });
    const headers = { 'x-api-key': limited.apiKey };
    expect((await all({ headers })).status).toBe(200);
    expect((await limited.asApplication('/licenses/UNKNOWN/validate')).status).toBe(200);
    const refused = await one({ headers });
    expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMIT.EXCEEDED']);
    expect(refused.body.key).toBe('a-static');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await all({ headers: limited.owner.auth })).status).toBe(200);
  });

  test("the plan in the context is the tenant's current plan", async () => {
    await createFlag(
      suite.app,
      suite.admin,
      'g-plan',
      booleanFlag({ targeting: { if: [{ '==': [{ var: 'plan' }, 'team'] }, 'on'] } }),
    );
    const { platform, clock } = suite.app.services;
    const at = clock.now();
    const plan = { id: at, code: 'team', name: 'Team', features_json: '[]', created_at: at, updated_at: at };
    const limits_json = JSON.stringify({ integration_requests_per_minute: 6000 });
    await platform.query
      .insertInto('plans')
      .values({ ...plan, limits_json })
      .execute();
    const valueFor = async () => (await one({ key: 'g-plan' })).body.value;
    expect(await valueFor()).toBe(false);
    await platform.query.updateTable('tenants').set({ plan_code: 'team' }).where('id', '=', tenant.id).execute();
    expect(await valueFor()).toBe(true);
  });
});

test('a flag that was changed on another node applies to the next request, also for a client that polls', async () => {
  const other = await startApp(suite.app.site);
  try {
    const ask = () => evaluate(other, { key: 'h-elsewhere', headers: apiKey });
    const poll = async () => {
      const { body } = await evaluate(other, { headers: apiKey, context: { user: 'who polls' } });
      return body.flags.find(({ key }: { key: string }) => key === 'h-elsewhere')?.value;
    };
    const pollOften = async () => [await poll(), await poll(), await poll()];
    expect((await ask()).status).toBe(404);
    expect(await pollOften()).toEqual([undefined, undefined, undefined]);
    const id = await createFlag(suite.app, suite.admin, 'h-elsewhere', booleanFlag());
    expect((await ask()).body.value).toBe(false);
    expect(await pollOften()).toEqual([false, false, false]);
    const payload = { definition: booleanFlag({ defaultVariant: 'on' }) };
    await suite.asAdmin('PUT', `/feature-flags/${id}`, payload);
    expect((await ask()).body.value).toBe(true);
    expect(await pollOften()).toEqual([true, true, true]);
  } finally {
    await stopApp(other);
  }
});
