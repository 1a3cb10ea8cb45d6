import { describe, expect, test } from 'vitest';
import { type Candidate, placesOfOthers, shareOut, wantedBy } from './endpoint-queue.ts';
import { DeliveryTraffic, type EndpointTraffic, learn } from './traffic.ts';

const bounds = { limit: 100, concurrency: 16 };
const unknown: EndpointTraffic = { active: 0, window: 1, lastMs: 0, isWell: false, isSlow: false, turn: 0 };
const well: EndpointTraffic = { ...unknown, window: 16, lastMs: 5, isWell: true };

function candidate(id: string, traffic: EndpointTraffic, due_at = '2026-11-20T12:00:00.000000Z'): Candidate {
  return { endpoint: { id, status: 'enabled', deleted_at: null, due_at }, traffic, queued: 0 };
}

const many = (count: number, traffic: EndpointTraffic) =>
  Array.from({ length: count }, (_, index) => candidate(`${index}`, traffic));
const places = { free: 100, freeForOthers: placesOfOthers(bounds.limit) };

describe('places', () => {
  test('are kept for endpoints that are well, however many others have waited longer', () => {
    const old = '2026-11-19T12:00:00.000000Z';
    const others = many(1000, unknown).map((one) => ({ ...one, endpoint: { ...one.endpoint, due_at: old } }));
    const quotas = shareOut([...others, candidate('well', { ...well, turn: 9 })], places, bounds);
    expect(quotas[0]).toEqual({ webhookId: 'well', limit: 75 });
    expect(quotas.slice(1).map(({ limit }) => limit)).toEqual(Array(25).fill(1));
  });

  test('are kept for the others, too', () => {
    const quotas = shareOut([...many(500, well), candidate('new', unknown)], places, bounds);
    expect(quotas.at(-1)).toEqual({ webhookId: 'new', limit: 1 });
    expect(quotas.reduce((sum, { limit }) => sum + limit, 0)).toBeLessThanOrEqual(100);
  });

  test('go to whoever has waited longest for a turn', () => {
    const waiting = [3, 1, 2].map((turn) => candidate(`${turn}`, { ...unknown, turn }));
    const quotas = shareOut(waiting, { free: 2, freeForOthers: 2 }, bounds);
    expect(quotas.map(({ webhookId }) => webhookId)).toEqual(['1', '2']);
  });

  test('are not given to others when those that hang have all that they may', () => {
    expect(shareOut(many(5, unknown), { free: 25, freeForOthers: 0 }, bounds)).toEqual([]);
  });
});

describe('an endpoint', () => {
  test.each([
    ['nobody knows', unknown, 1],
    ['nobody knows, with a request in the air,', { ...unknown, active: 1 }, 0],
    ['was silent', { ...unknown, isSlow: true }, 1],
    ['fails quickly', { ...unknown, window: 16, lastMs: 2 }, 16],
    ['is well', well, 100],
    ['is well and takes its time', { ...well, lastMs: 800 }, 40],
  ])('that %s gets what can be sent soon', (_what, traffic, expected) => {
    expect(wantedBy({ traffic, queued: 0 }, bounds)).toBe(expected);
  });

  test('may be sent more at once with each quick answer, a little more with slow ones, and one after silence', () => {
    const traffic = { ...unknown };
    const windows: number[] = [];
    const answer = (durationMs: number, isSilence = false) => {
      learn(traffic, { durationMs, isSuccess: !isSilence, isSilence }, bounds.concurrency);
      windows.push(traffic.window);
    };
    for (let index = 0; index < 5; index += 1) answer(10);
    answer(15_000, true);
    answer(3000);
    answer(10);
    expect(windows).toEqual([2, 4, 8, 16, 16, 1, 2, 4]);
  });
});

test('one tenant has half of what may be overdue, and leaves room for the first requests of every other', () => {
  const traffic = new DeliveryTraffic({ overdue: 100 });
  const takeAll = (tenantId: string) => {
    let count = 0;
    while (traffic.takeOverdue(tenantId)) count += 1;
    return count;
  };
  expect(['a', 'b', 'c'].map(takeAll)).toEqual([50, 25, 13]);
  traffic.endOverdue('a');
  expect([takeAll('a'), takeAll('d'), traffic.overdueCount]).toEqual([0, 7, 94]);
});
