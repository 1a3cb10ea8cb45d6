import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { FailedRequestsTable } from '../../../db/tables/tenant/administration.ts';
import { FailedRequests } from './failed-requests.ts';

const failure = (number: number): FailedRequestsTable => ({
  id: `id-${number}`,
  occurred_at: `2026-11-20T12:00:00.${String(number).padStart(6, '0')}Z`,
  request_id: `request-${number}`,
  route: 'POST /',
  status: 422,
  code: 'VALIDATION.FAILED',
  api_key_id: null,
});

const newest = (to: number) => Array.from({ length: 20 }, (_failure, index) => failure(to - index));

test('while a tenant database cannot be written, its last 20 failed requests stay buffered and visible', async () => {
  const attempts: string[] = [];
  const withTenantDb = (tenantId: string) => {
    attempts.push(tenantId);
    return Promise.reject(new Error('out of reach'));
  };
  const failures = new FailedRequests({ withTenant: { withTenantDb }, logger: pino({ level: 'silent' }) });
  for (let number = 1; number <= 30; number += 1) failures.record('a', failure(number));
  failures.record('b', failure(1));
  const flushing = failures.flush();
  await Promise.resolve();
  failures.record('a', failure(31));
  expect(failures.newest('a', [])).toEqual(newest(31));
  await flushing;
  expect(failures.newest('a', [])).toEqual(newest(31));
  expect(failures.newest('b', [])).toEqual([failure(1)]);
  expect(attempts).toEqual(['a', 'b']);
  await failures.close();
  expect(attempts).toEqual(['a', 'b', 'a', 'b']);
});
