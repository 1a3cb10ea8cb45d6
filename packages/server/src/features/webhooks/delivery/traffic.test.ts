import { expect, test } from 'vitest';
import { DeliveryTraffic, type EndpointStatus, recordOverdue, recordResponse, requestLimit } from './traffic.ts';

const response = { durationMs: 10, isSuccess: true, isTimeout: false };

interface Case {
  readonly what: string;
  readonly last: typeof response;
  readonly status: EndpointStatus;
  readonly limit: number;
}

const cases: readonly Case[] = [
  { what: 'a quick success', last: response, status: 'healthy', limit: 16 },
  { what: 'a quick failure', last: { ...response, isSuccess: false }, status: 'failing', limit: 16 },
  { what: 'a success after three seconds', last: { ...response, durationMs: 3000 }, status: 'slow', limit: 16 },
  {
    what: 'a timeout',
    last: { durationMs: 15_000, isSuccess: false, isTimeout: true },
    status: 'silent',
    limit: 1,
  },
];

test.each(cases)('after $what an endpoint is $status and its request limit is $limit', ({ last, status, limit }) => {
  const endpoint = new DeliveryTraffic().endpoint('one');
  recordResponse(endpoint, last);
  expect([endpoint.status, requestLimit(endpoint, 16)]).toEqual([status, limit]);
});

test.each<readonly [EndpointStatus, EndpointStatus]>([
  ['unknown', 'silent'],
  ['silent', 'silent'],
  ['healthy', 'slow'],
  ['failing', 'slow'],
  ['slow', 'slow'],
])('an overdue request changes the status of an endpoint from %s to %s', (before, after) => {
  const endpoint = { ...new DeliveryTraffic().endpoint('one'), status: before };
  recordOverdue(endpoint);
  expect(endpoint.status).toBe(after);
});

test('one tenant may detach half of the maximum, and every further tenant may still detach some requests', () => {
  const traffic = new DeliveryTraffic({ detached: 100 });
  const detachAll = (tenantId: string) => {
    let count = 0;
    while (traffic.detach(tenantId)) count += 1;
    return count;
  };
  expect(['a', 'b', 'c'].map(detachAll)).toEqual([50, 25, 13]);
  traffic.endDetached('a');
  expect([detachAll('a'), detachAll('d'), traffic.detachedCount]).toEqual([0, 7, 94]);
});
