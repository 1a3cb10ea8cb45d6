// What the conformance cases of requests and retries leave out: exact waits, causes, signals, and values that only JavaScript
// has.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LicensingClient, LicensingError, ManagementClient } from '../src/index.ts';

const apiKey = `vx_${'a1'.repeat(32)}`;
const verdict = { valid: true, code: 'LICENSE.VALID', license: null };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Step = (init: RequestInit) => Response | Promise<Response>;

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

const good: Step = () => json(200, { data: verdict, meta: {} });
const refuse =
  (status: number, headers: Record<string, string> = {}): Step =>
  () =>
    json(status, { error: { code: `CODE.S${status}`, message: 'No.' }, meta: { request_id: 'req-1' } }, headers);
const unreachable: Step = () => Promise.reject(new TypeError('fetch failed'));
const silent: Step = () => new Promise(() => undefined);

/** A client whose attempts are answered by the steps; the last one repeats. */
function clientOf(steps: readonly Step[], options: object = {}) {
  const sent: { readonly atMs: number; readonly headers: Headers }[] = [];
  const startMs = performance.now();
  const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
    const step = steps[Math.min(sent.length, steps.length - 1)];
    sent.push({ atMs: performance.now() - startMs, headers: new Headers(init.headers) });
    if (step === undefined) throw new Error('No step was given.');
    return step(init);
  };
  const client = new LicensingClient({ baseUrl: 'https://licensing.example.com', apiKey, fetch, ...options });
  return {
    client,
    sent,
    times: () => sent.map(({ atMs }) => Math.round(atMs)),
    now: () => performance.now() - startMs,
  };
}

/** Lets the clock run until the call ends, and returns what it threw. */
async function failureOf(call: Promise<unknown>): Promise<LicensingError> {
  const outcome = call.then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  const error = await outcome;
  if (!(error instanceof LicensingError)) throw new Error(`Expected a LicensingError, got ${String(error)}`);
  return error;
}

async function resultOf<Result>(call: Promise<Result>): Promise<Result> {
  call.catch(() => undefined);
  await vi.runAllTimersAsync();
  return call;
}

describe('attempts', () => {
  test('a network failure is retried twice, after random delays whose range doubles', async () => {
    const { client, times } = clientOf([unreachable]);
    const error = await failureOf(client.validate('key'));
    expect(error).toMatchObject({
      code: 'NETWORK.UNREACHABLE',
      status: undefined,
      cause: new TypeError('fetch failed'),
    });
    expect(times()).toEqual([0, 125, 375]);
  });

  test('status 413 is not retried', async () => {
    const { client, sent } = clientOf([refuse(413), good]);
    expect(await failureOf(client.validate('key'))).toMatchObject({
      code: 'CODE.S413',
      status: 413,
      requestId: 'req-1',
    });
    expect(sent).toHaveLength(1);
  });

  test('delays are at most four seconds', async () => {
    const { client, times } = clientOf([unreachable], { maxRetries: 7, timeoutMs: 60_000 });
    await failureOf(client.validate('key'));
    const all = times();
    expect((all[7] ?? 0) - (all[6] ?? 0)).toBe(2000);
  });

  test('a wait beyond the time left ends the call at once, and the error says how much', async () => {
    const { client, sent, now } = clientOf([refuse(429, { 'retry-after': '60' }), good]);
    const error = await failureOf(client.validate('key'));
    expect(error).toMatchObject({ code: 'CODE.S429', retryAfterMs: 60_000 });
    expect([sent.length, now()]).toEqual([1, 0]);
  });

  test('a malformed Retry-After is ignored', async () => {
    const { client, times } = clientOf([refuse(503, { 'retry-after': 'soon' }), good]);
    await resultOf(client.validate('key'));
    expect(times()).toEqual([0, 125]);
  });
});

describe('the deadline', () => {
  test('a server that never answers ends the call after timeoutMs, even if fetch ignores the signal', async () => {
    const { client, sent, now } = clientOf([silent]);
    const error = await failureOf(client.validate('key'));
    expect(error).toMatchObject({ code: 'NETWORK.TIMEOUT', status: undefined });
    expect([sent.length, now()]).toEqual([1, 10_000]);
  });

  test('all attempts share one deadline, and the timeout has the last failure as its cause', async () => {
    const { client, now } = clientOf([refuse(503), silent], { timeoutMs: 2000 });
    const error = await failureOf(client.validate('key'));
    expect(error).toMatchObject({ code: 'NETWORK.TIMEOUT', cause: { code: 'CODE.S503', status: 503 } });
    expect(now()).toBe(2000);
  });

  test('no attempt begins after the deadline: the last failure is thrown at once', async () => {
    const { client, sent, now } = clientOf([unreachable], { timeoutMs: 200 });
    expect(await failureOf(client.validate('key'))).toMatchObject({ code: 'NETWORK.UNREACHABLE' });
    expect([sent.length, now()]).toEqual([2, 125]);
  });

  test('a call can have its own deadline', async () => {
    const { client, now } = clientOf([silent]);
    await failureOf(client.validate('key', {}, { timeoutMs: 50 }));
    expect(now()).toBe(50);
  });

  test('nothing keeps the process alive after a call', async () => {
    const { client } = clientOf([good]);
    await resultOf(client.validate('key'));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the signal of the caller', () => {
  test('ends a running attempt with its reason as the cause', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf([silent]);
    const call = client.validate('key', {}, { signal: controller.signal });
    const reason = new Error('The window was closed.');
    controller.abort(reason);
    expect(await failureOf(call)).toMatchObject({ code: 'NETWORK.ABORTED', cause: reason });
    expect(sent).toHaveLength(1);
  });

  test('ends the wait between attempts', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf([refuse(429, { 'retry-after': '5' }), good]);
    const call = client.validate('key', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 1000);
    expect(await failureOf(call)).toMatchObject({ code: 'NETWORK.ABORTED' });
    expect(sent).toHaveLength(1);
  });

  test('sends nothing when it is aborted before the call', async () => {
    const { client, sent } = clientOf([good], { signal: AbortSignal.abort('closed') });
    expect(await failureOf(client.validate('key'))).toMatchObject({ code: 'NETWORK.ABORTED', cause: 'closed' });
    expect(sent).toHaveLength(0);
  });

  test('keeps no listener after a call', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { client } = clientOf([good], { signal });
    await resultOf(client.validate('key'));
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe('idempotency keys', () => {
  const keysOf = (sent: readonly { readonly headers: Headers }[]) =>
    sent.map(({ headers }) => headers.get('idempotency-key'));

  test('all attempts of a creating call carry the same key, and each call has another one', async () => {
    const { client, sent } = clientOf([unreachable, refuse(503), good]);
    await resultOf(client.activate('key', { fingerprint: 'device' }));
    await resultOf(client.activate('key', { fingerprint: 'device' }));
    const [first, second, third, other] = keysOf(sent);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
  });

  test('an attempt that meets its predecessor is repeated, a foreign one is not', async () => {
    const running: Step = () =>
      json(409, { error: { code: 'IDEMPOTENCY.IN_PROGRESS', message: 'Running.' }, meta: {} });
    const own = clientOf([unreachable, running, good]);
    await resultOf(own.client.activate('key', { fingerprint: 'device' }));
    expect(own.sent).toHaveLength(3);
    const foreign = clientOf([running, good]);
    await failureOf(foreign.client.activate('key', { fingerprint: 'device' }, { idempotencyKey: 'mine' }));
    expect(keysOf(foreign.sent)).toEqual(['mine']);
  });
});

describe('secrets', () => {
  test('a server that repeats the request in its error does not bring the API key into it', async () => {
    const echo: Step = (init) => {
      const text = JSON.stringify(init.headers);
      return json(422, { error: { code: 'X', message: text, details: [{ field: 'a', message: text }] }, meta: {} });
    };
    const { client } = clientOf([echo]);
    const error = await failureOf(client.validate('key'));
    expect(error.message).toContain('[redacted]');
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain(apiKey);
  });

  test.each(['', `${apiKey}\n`, `${apiKey} `, 'ключ'])('the API key %j is refused without being repeated', (bad) => {
    const create = () => new LicensingClient({ baseUrl: 'https://licensing.example.com', apiKey: bad });
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIGURATION.INVALID' }));
    expect(create).not.toThrow(new RegExp(apiKey));
  });

  test('an inspected client shows no API key', () => {
    const { client } = clientOf([good]);
    expect(JSON.stringify(client) + String(Object.entries(client))).not.toContain(apiKey);
  });
});

test.each([{ baseUrl: 'https://licensing.example.com/prefix/api/v1/' }, { timeoutMs: Number.NaN }])(
  'the option %j is refused by the constructor',
  (options) => {
    const all = { baseUrl: 'https://licensing.example.com', apiKey, ...options };
    expect(() => new LicensingClient(all)).toThrow(expect.objectContaining({ code: 'CONFIGURATION.INVALID' }));
  },
);

test.each([
  [LicensingClient, { apiKey: 'service_1' }, /apiKey must be vx_…, not service_…/],
  [LicensingClient, { apiKey: 'whsec_1' }, /not whsec_…/],
  [LicensingClient, { apiKey: undefined }, /apiKey must be vx_…. It is not set/],
  [ManagementClient, { accessToken: 'vx_1' }, /accessToken must be service_…, not vx_…/],
  [ManagementClient, { accessToken: undefined }, /It is not set/],
])('%o refuses the credential %j with the reason', (Client, credential, message) => {
  const options = { baseUrl: 'https://licensing.example.com', ...credential } as never;
  expect(() => new Client(options)).toThrow(
    expect.objectContaining({ code: 'CONFIGURATION.INVALID', message: expect.stringMatching(message) }),
  );
});

test.each([undefined, null, 5, {}])('the license key %j is a rejection before anything is sent', async (key) => {
  const { client, sent } = clientOf([good]);
  const wrong = key as never;
  const calls = [
    client.validate(wrong),
    client.activate(wrong, { fingerprint: 'device' }),
    client.heartbeat(wrong, 'id'),
    client.heartbeat('key', wrong),
    client.deactivate('key', wrong),
    client.checkEntitlements(wrong),
    client.issueCertificate(wrong),
  ];
  for (const call of calls) {
    await expect(call).rejects.toMatchObject({
      code: 'CONFIGURATION.INVALID',
      message: expect.stringMatching(/must be a string/),
    });
  }
  expect(sent).toEqual([]);
});
