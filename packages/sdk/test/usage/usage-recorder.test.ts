import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../conformance/guard/manual-timers.ts';
import {
  LicensingError,
  memoryStore,
  type RefusedUsage,
  type Store,
  UsageRecorder,
  type UsageRecorderOptions,
} from '../../src/index.ts';

type Client = UsageRecorderOptions['client'];
type Event = Parameters<Client['reportUsage']>[1][number];

/** A service that counts each idempotency key once, and answers otherwise while `answer` says so. */
class FakeUsage implements Client {
  readonly batches: { readonly licenseKey: string; readonly events: Event[] }[] = [];
  readonly counted = new Map<string, Event>();
  answer: ((events: readonly Event[]) => { status: string; reason: string | null }[] | undefined) | undefined;

  async reportUsage(licenseKey: string, events: readonly Event[]) {
    this.batches.push({ licenseKey, events: [...events] });
    const outcomes = this.answer?.(events) ?? events.map((event) => this.#count(event));
    return { results: outcomes.map((outcome, index) => ({ index, ...outcome })), counters: [] };
  }

  get codes(): string[] {
    return [...this.counted.values()].map(({ entitlement }) => entitlement);
  }

  #count(event: Event): { status: string; reason: null } {
    const key = String(event.idempotencyKey);
    const status = this.counted.has(key) ? 'duplicate' : 'accepted';
    this.counted.set(key, event);
    return { status, reason: null };
  }
}

let service: FakeUsage;
let timers: ManualTimers;
let store: Store;
beforeEach(() => {
  service = new FakeUsage();
  timers = new ManualTimers();
  store = memoryStore();
});

const newRecorder = (options: Partial<UsageRecorderOptions> = {}) =>
  new UsageRecorder({ client: service, licenseKey: 'KEY', store, timers, now: timers.wallMs, ...options });

const failure =
  (code: string, fields: object = {}) =>
  () => {
    throw new LicensingError({ code, message: code, ...fields });
  };
const codes = (count: number, prefix = 'e') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('a recorder that is online', () => {
  test('sends everything once, in order, in batches of at most maxBatch', async () => {
    const recorder = newRecorder({ maxBatch: 4 });
    for (const code of codes(10)) void recorder.record(code);
    expect(await recorder.flush()).toMatchObject({ duplicate: 0, refused: [], pending: 0, error: null });
    expect(service.codes).toEqual(codes(10));
    expect(JSON.parse((await store.read()) ?? ''), 'the store forgets what was answered').toMatchObject({ events: [] });
    expect(Math.max(...service.batches.map(({ events }) => events.length))).toBe(4);
    await recorder.close();
    expect(service.counted.size).toBe(10);
  });

  test('sends after the interval without being asked, and at once when a batch is full', async () => {
    const recorder = newRecorder({ maxBatch: 2, flushIntervalMs: 1000 });
    await recorder.record('first');
    expect(service.batches).toEqual([]);
    // The second event fills the batch.
    await recorder.record('second');
    await recorder.flush();
    expect(service.codes).toEqual(['first', 'second']);
    await recorder.record('third');
    const flushed = new Promise((resolve) => {
      service.answer = (events) => {
        resolve(events);
        return undefined;
      };
    });
    void timers.advance(1000);
    expect(await flushed).toMatchObject([{ entitlement: 'third', quantity: 1 }]);
  });

  test('reports the events that the service refuses, and counts the others', async () => {
    const recorder = newRecorder();
    const refused: RefusedUsage[] = [];
    recorder.on('refused', () => {
      throw new Error('a listener that fails');
    });
    recorder.on('refused', (event) => refused.push(event));
    service.answer = (events) =>
      events.map(({ entitlement }) =>
        entitlement === 'bad'
          ? { status: 'refused', reason: 'ENTITLEMENT.LIMIT_REACHED' }
          : { status: 'accepted', reason: null },
      );
    void recorder.record('good');
    void recorder.record('bad', 5);
    const result = await recorder.flush();
    expect(result).toMatchObject({ accepted: 1, pending: 0 });
    expect(refused).toMatchObject([{ entitlement: 'bad', quantity: 5, reason: 'ENTITLEMENT.LIMIT_REACHED' }]);
    expect(result.refused).toEqual(refused);
  });

  test('one event that is not valid does not hold up the others, whether the service names it or not', async () => {
    for (const details of [[{ field: 'events.2.entitlement', message: 'x' }], []]) {
      const recorder = newRecorder({ store: memoryStore() });
      service = new FakeUsage();
      const client = service;
      service.answer = (events) => {
        const index = events.findIndex(({ entitlement }) => entitlement === 'e2');
        if (index === -1) return undefined;
        const named = details.map(({ message }) => ({ field: `events.${index}.entitlement`, message }));
        throw new LicensingError({ code: 'VALIDATION.FAILED', message: 'x', status: 422, details: named });
      };
      await recorder.close();
      const own = newRecorder({ client, store: memoryStore() });
      for (const code of codes(7)) void own.record(code);
      expect(await own.flush()).toMatchObject({ accepted: 6, refused: [{ entitlement: 'e2' }], pending: 0 });
      expect(service.codes).toEqual(codes(7).filter((code) => code !== 'e2'));
    }
  });

  test('the usage of a machine with a wrong clock is counted at the time of its report', async () => {
    timers.skewMs = 400 * 86_400_000;
    service.answer = (events) =>
      events.some(({ occurredAt }) => occurredAt !== undefined)
        ? events.map(() => ({ status: 'refused', reason: 'USAGE.OUT_OF_WINDOW' }))
        : undefined;
    const recorder = newRecorder();
    void recorder.record('renders');
    expect(await recorder.flush()).toMatchObject({ accepted: 1, refused: [], pending: 0 });
  });
});

describe('a recorder whose service does not answer', () => {
  test.each([
    ['NETWORK.UNREACHABLE', {}],
    ['AUTH.INVALID_API_KEY', { status: 401 }],
    ['LICENSE.NOT_FOUND', { status: 404 }],
    ['RESPONSE.INVALID', { status: 422 }],
    ['INTERNAL.ERROR', { status: 500 }],
  ])('keeps the events after %s, says so, and sends them later in their order', async (code, fields) => {
    const recorder = newRecorder();
    const errors: unknown[] = [];
    recorder.on('error', (error) => errors.push(error));
    service.answer = failure(code, fields);
    await recorder.record('one');
    await recorder.record('two');
    expect(await recorder.flush()).toMatchObject({ accepted: 0, pending: 2, error: { code } });
    expect(errors).toMatchObject([{ code }]);
    service.answer = undefined;
    await recorder.record('three');
    expect(await recorder.flush()).toMatchObject({ accepted: 3, pending: 0 });
    expect(service.codes).toEqual(['one', 'two', 'three']);
  });

  test('an answer that was lost is asked for again with the same keys', async () => {
    const recorder = newRecorder();
    service.answer = (events) => {
      service.answer = undefined;
      void service.reportUsage('KEY', events);
      return failure('NETWORK.TIMEOUT')();
    };
    await recorder.record('renders', 7);
    expect(await recorder.flush()).toMatchObject({ pending: 1, error: { code: 'NETWORK.TIMEOUT' } });
    expect(await recorder.flush()).toMatchObject({ accepted: 0, duplicate: 1, pending: 0 });
    expect(service.counted.size).toBe(1);
  });

  test('holds at most maxBuffered events, and refuses further ones aloud', async () => {
    const recorder = newRecorder({ maxBuffered: 3 });
    service.answer = failure('NETWORK.UNREACHABLE');
    const refused: string[] = [];
    recorder.on('refused', ({ entitlement, reason }) => refused.push(`${entitlement} ${reason}`));
    for (const code of codes(3)) await recorder.record(code);
    await expect(recorder.record('one more')).rejects.toMatchObject({ code: 'USAGE.BUFFER_FULL' });
    expect(refused).toEqual(['one more USAGE.BUFFER_FULL']);
    service.answer = undefined;
    await recorder.close();
    expect(service.codes).toEqual(codes(3));
  });

  test('a request that is too large for a proxy is sent in parts', async () => {
    const recorder = newRecorder();
    service.answer = (events) => (events.length > 3 ? failure('RESPONSE.INVALID', { status: 413 })() : undefined);
    for (const code of codes(10)) void recorder.record(code);
    expect(await recorder.flush()).toMatchObject({ accepted: 10, pending: 0 });
    expect(service.codes).toEqual(codes(10));
  });
});

describe('the store of a recorder', () => {
  test('has an event before it is sent, and the next run sends what is left, to the license of its time', async () => {
    const first = newRecorder();
    service.answer = failure('NETWORK.UNREACHABLE');
    await first.record('early', 2);
    expect(JSON.parse((await store.read()) ?? '')).toMatchObject({ events: [{ entitlement: 'early', quantity: 2 }] });
    await first.close();
    service.answer = undefined;
    service.batches.length = 0;
    const second = newRecorder({ licenseKey: 'NEW-KEY' });
    await second.record('late');
    await second.flush();
    expect(service.batches.map(({ licenseKey, events }) => [licenseKey, events[0]?.entitlement])).toEqual([
      ['KEY', 'early'],
      ['NEW-KEY', 'late'],
    ]);
  });

  test('that fails loses no event while the process runs', async () => {
    const broken: Store = { read: async () => null, write: () => Promise.reject(new Error('disk full')) };
    const recorder = newRecorder({ store: broken });
    const errors: LicensingError[] = [];
    recorder.on('error', (error) => errors.push(error));
    await recorder.record('renders');
    expect(await recorder.flush()).toMatchObject({ accepted: 1, pending: 0 });
    const [error] = errors;
    expect(error).toMatchObject({ code: 'RECORDER.FAILED', message: expect.stringMatching(/^disk full\. Check/) });
    expect(error?.cause).toEqual(new Error('disk full'));
  });

  test('that belongs to a guard is not overwritten', async () => {
    const text = JSON.stringify({ kind: 'LicenseGuard' });
    await store.write(text);
    await expect(newRecorder().record('renders')).rejects.toMatchObject({ code: 'STORE.FOREIGN' });
    expect(await store.read()).toBe(text);
  });

  test('can belong to the next recorder after close', async () => {
    const first = newRecorder();
    await first.record('one');
    await expect(newRecorder().record('two')).rejects.toMatchObject({ code: 'STORE.IN_USE' });
    await first.close();
    await expect(first.record('three')).rejects.toMatchObject({ code: 'USAGE.RECORDER_CLOSED' });
    await newRecorder().record('four');
  });
});

test.each([
  { licenseKey: '' },
  { maxBatch: 1001 },
  { maxBatch: 0 },
  { maxBuffered: 0.5 },
  { flushIntervalMs: Number.NaN },
])('the option %j is refused when the recorder is made', (options) => {
  expect(() => newRecorder(options)).toThrow(expect.objectContaining({ code: 'CONFIGURATION.INVALID' }));
});
