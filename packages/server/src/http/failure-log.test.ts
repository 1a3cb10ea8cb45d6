import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../lib/error.ts';
import { createFailureLog } from './failure-log.ts';

/** The properties of a request that the log reads. */
const request = (id: string) =>
  ({ id, method: 'GET', routeOptions: { url: '/licenses' }, caller: {} }) as unknown as FastifyRequest;

const refused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });
const unavailable = (cause: unknown) => new AppError('SERVICE.UNAVAILABLE', 'Unavailable.', { cause });
const unexpected = (cause: unknown) => new AppError('INTERNAL.ERROR', 'Unexpected.', { cause });

function recordLog() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, message, fields });
  const failures = createFailureLog({ error: write('error'), warn: write('warn') } as unknown as Parameters<
    typeof createFailureLog
  >[0]);
  return { failures, lines };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an outage logs one failure with its stack per second and then the number of the others', () => {
  const { failures, lines } = recordLog();
  for (let second = 0; second < 2; second += 1) {
    for (let at = 0; at < 215; at += 1) failures.log(request(`${second}-${at}`), unavailable(refused(50_000 + at)));
    vi.advanceTimersByTime(1000);
  }
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'request failed because a database is unavailable'],
    ['warn', '214 more requests failed with this cause in the last second'],
    ['warn', 'request failed because a database is unavailable'],
    ['warn', '214 more requests failed with this cause in the last second'],
  ]);
  expect(lines[0]?.fields).toMatchObject({
    request_id: '0-0',
    err: { code: 'ECONNREFUSED', stack: expect.any(String) },
  });
  expect(lines[1]?.fields).toEqual({
    err: { type: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:50000' },
    count: 214,
  });
  expect(lines[2]?.fields).toMatchObject({ request_id: '1-0', err: { stack: expect.any(String) } });
});

test('a single failure logs no number', () => {
  const { failures, lines } = recordLog();
  failures.log(request('one'), unavailable(refused(1)));
  vi.advanceTimersByTime(10_000);
  expect(lines).toHaveLength(1);
});

test('failures with different codes, messages, causes and statuses are each logged in full', () => {
  const { failures, lines } = recordLog();
  const causes = [
    unavailable(refused(1)),
    unavailable(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })),
    unavailable(new Error('the tenant database is damaged')),
    unavailable(new Error('the tenant database is damaged', { cause: refused(1) })),
    unexpected(new Error('the tenant database is damaged')),
    unexpected('a text'),
  ];
  for (const [index, error] of causes.entries()) failures.log(request(String(index)), error);
  expect(lines.map(({ fields }) => fields['request_id'])).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'warn', 'error', 'error']);
});

test('failures of the caller and failures without a cause are not logged', () => {
  const { failures, lines } = recordLog();
  failures.log(request('caller'), new AppError('REQUEST.MALFORMED', 'Malformed.', { cause: new Error('syntax') }));
  failures.log(request('known'), new AppError('SERVICE.UNAVAILABLE', 'Unavailable.'));
  expect(lines).toEqual([]);
});

test('causes that differ without limit share one number, so that they cannot fill the memory or the log', () => {
  const { failures, lines } = recordLog();
  const word = (at: number) => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  for (let at = 0; at < 5000; at += 1) failures.log(request(String(at)), unexpected(new Error(`no ${word(at)}`)));
  vi.advanceTimersByTime(1000);
  expect(lines).toHaveLength(102);
  expect(lines.at(-1)?.message).toBe('4899 more requests failed with this cause in the last second');
});

test('the number of an outage is logged when the service stops', () => {
  const { failures, lines } = recordLog();
  for (const id of ['one', 'two', 'three']) failures.log(request(id), unavailable(refused(1)));
  failures.close();
  expect(lines.map(({ fields }) => fields['count'])).toEqual([undefined, 2]);
});
