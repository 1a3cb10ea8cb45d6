import { describe, expect, test } from 'vitest';
import { type Candidate, shareSlots, slotsForUnhealthy, wantedBy } from './claim.ts';
import type { EndpointTraffic } from './traffic.ts';

const bounds = { limit: 100, concurrency: 16 };
const unknown: EndpointTraffic = { active: 0, status: 'unknown', lastMs: 0, lastClaim: 0 };
const healthy: EndpointTraffic = { ...unknown, status: 'healthy', lastMs: 5 };

function candidate(id: string, traffic: EndpointTraffic, due_at = '2026-11-20T12:00:00.000000Z'): Candidate {
  return { endpoint: { id, status: 'enabled', deleted_at: null, due_at }, traffic, queued: 0 };
}

const many = (count: number, traffic: EndpointTraffic) =>
  Array.from({ length: count }, (_, index) => candidate(`${index}`, traffic));
const free = { total: 100, forUnhealthy: slotsForUnhealthy(bounds.limit) };

describe('sharing of slots', () => {
  test('a healthy endpoint gets slots even if many other endpoints have waited longer', () => {
    const old = '2026-11-19T12:00:00.000000Z';
    const others = many(1000, unknown).map((one) => ({ ...one, endpoint: { ...one.endpoint, due_at: old } }));
    const quotas = shareSlots([...others, candidate('healthy', { ...healthy, lastClaim: 9 })], free, bounds);
    expect(quotas[0]).toEqual({ webhookId: 'healthy', limit: 75 });
    expect(quotas.slice(1).map(({ limit }) => limit)).toEqual(Array(25).fill(1));
  });

  test('an unknown endpoint gets a slot even if healthy endpoints want all of them', () => {
    const quotas = shareSlots([...many(500, healthy), candidate('new', unknown)], free, bounds);
    expect(quotas.at(-1)).toEqual({ webhookId: 'new', limit: 1 });
    expect(quotas.reduce((sum, { limit }) => sum + limit, 0)).toBeLessThanOrEqual(100);
  });

  test('the endpoints whose last claim is the oldest get slots first', () => {
    const waiting = [3, 1, 2].map((lastClaim) => candidate(`${lastClaim}`, { ...unknown, lastClaim }));
    const quotas = shareSlots(waiting, { total: 2, forUnhealthy: 2 }, bounds);
    expect(quotas.map(({ webhookId }) => webhookId)).toEqual(['1', '2']);
  });

  test('an unknown endpoint gets no slot while endpoints that hang hold all the slots that they may', () => {
    expect(shareSlots(many(5, unknown), { total: 25, forUnhealthy: 0 }, bounds)).toEqual([]);
  });
});

const wanted: readonly { readonly what: string; readonly traffic: EndpointTraffic; readonly count: number }[] = [
  { what: 'an unknown endpoint', traffic: unknown, count: 1 },
  { what: 'an unknown endpoint with an active request', traffic: { ...unknown, active: 1 }, count: 0 },
  { what: 'a silent endpoint', traffic: { ...unknown, status: 'silent' }, count: 1 },
  { what: 'a slow endpoint', traffic: { ...unknown, status: 'slow', lastMs: 3000 }, count: 16 },
  { what: 'a failing endpoint', traffic: { ...unknown, status: 'failing', lastMs: 2 }, count: 16 },
  { what: 'a healthy endpoint', traffic: healthy, count: 100 },
  { what: 'a healthy endpoint that needs 800 ms per request', traffic: { ...healthy, lastMs: 800 }, count: 40 },
];

test.each(wanted)('the quota of $what is $count', ({ traffic, count }) => {
  expect(wantedBy({ traffic, queued: 0 }, bounds)).toBe(count);
});
