import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ValidationTimes } from './validation-times.ts';

const at = '2026-11-20T12:00:00.000000Z';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function buffered(hasConnectionAtHand: (tenantId: string) => boolean) {
  const written: string[] = [];
  const withTenantDb = async (tenantId: string) => void written.push(tenantId);
  const validations = new ValidationTimes({
    logger: pino({ level: 'silent' }),
    withTenant: { withTenantDb: withTenantDb as never, hasConnectionAtHand },
  });
  const record = (tenants: readonly string[], licensesEach = 1) => {
    for (const id of tenants)
      for (let license = 0; license < licensesEach; license += 1) validations.record({ id }, `${id} ${license}`, at);
  };
  return { written, validations, record };
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

test('last_validated_at is written each second for tenants with a connection, and for ten others, the longest waiting first', async () => {
  const near = names('near', 3);
  const far = names('far', 25);
  const { written, record } = buffered((tenantId) => tenantId.startsWith('near'));
  record([...far, ...near], 2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.splice(0)).toEqual([...far.slice(0, 10), ...near]);
  record([...near, ...far]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.splice(0)).toEqual([...far.slice(10, 20), ...near]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.splice(0)).toEqual([...far.slice(20), ...far.slice(0, 5)]);
});

test('last_validated_at is written for every tenant when the service stops, and when many licenses wait', async () => {
  const far = names('far', 30);
  const { written, validations, record } = buffered(() => false);
  record(far, 2000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.splice(0)).toEqual(far);
  record(far);
  await validations.close();
  expect(written).toEqual(far);
});
