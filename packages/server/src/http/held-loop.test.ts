import { setImmediate as nextIteration } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { createHttpServer } from './server.ts';

// Before the server starts its timer.
vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
afterAll(() => vi.useRealTimers());

const lines: Record<string, unknown>[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
const metrics = createMetrics();
const app = createHttpServer({ logger, metrics, trustProxy: false, https: false });
afterEach(() => {
  vi.restoreAllMocks();
  lines.length = 0;
});

/** Moves the clock, as work of that length would. */
function work(ms: number): void {
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + ms);
}

/** Lets the timer note that the event loop runs. */
const tick = () => vi.advanceTimersByTime(100);

app.get('/items/:key', () => {
  work(1500);
  return {};
});
app.post('/items', () => {
  work(1500);
  return {};
});
app.get('/slow/:key', async () => {
  tick();
  work(1500);
  return {};
});
app.get('/gone', async () => {
  setImmediate(work, 1500);
  await nextIteration();
  tick();
  return {};
});
app.get('/quick', async () => {
  work(900);
  return {};
});

test.each([
  { title: 'at once', method: 'GET', url: '/items/SECRET-KEY', route: '/items/:key' },
  { title: 'with its body', method: 'POST', url: '/items', route: '/items' },
  { title: 'after it waited', method: 'GET', url: '/slow/SECRET-KEY', route: '/slow/:key' },
  { title: 'before it waits', method: 'GET', url: '/gone', route: '/gone' },
] as const)('a request that holds the event loop for a second $title is in the log and the metric', async (request) => {
  const { method, url, route } = request;
  const body = method === 'POST' ? { payload: {} } : {};
  const { headers } = await app.inject({ method, url, ...body });
  expect(lines).toMatchObject([{ level: 40, route, method, request_id: headers['x-request-id'] }]);
  expect(lines[0]?.['held_ms']).toBeGreaterThanOrEqual(1500);
  expect(lines[0]?.['cpu_ms']).toBeLessThan(1000);
  expect(await metrics.text()).toContain(`event_loop_holds_total{route="${route}"} 1`);
  expect(JSON.stringify(lines)).not.toContain('SECRET');
});

test('work of no request is logged without a route', async () => {
  await app.inject('/quick');
  vi.restoreAllMocks();
  tick();
  work(1500);
  tick();
  expect(lines).toMatchObject([{ route: 'unknown' }]);
});

test('work of less than a second is not logged', async () => {
  await app.inject('/quick');
  tick();
  expect(lines).toEqual([]);
});
