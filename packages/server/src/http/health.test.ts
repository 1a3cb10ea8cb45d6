import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { healthRoutes } from './health.ts';
import { createHttpServer } from './server.ts';

it('/health succeeds and /health/ready fails while the database is unavailable', async () => {
  let isAvailable = false;
  const logger = pino({ level: 'silent' });
  const app = createHttpServer({ logger, metrics: createMetrics(), trustProxy: false, https: true });
  healthRoutes(app, {
    checkDatabase: () => (isAvailable ? Promise.resolve() : Promise.reject(new Error('no database'))),
    isDiskFailing: () => Promise.resolve(false),
    isStopping: () => false,
  });
  expect((await app.inject('/health')).json().data).toEqual({ status: 'ok' });
  const notReady = await app.inject('/health/ready');
  expect([notReady.statusCode, notReady.headers['retry-after']]).toEqual([503, '1']);
  expect(notReady.json().error.details).toMatchObject([{ field: 'platform_database' }]);
  isAvailable = true;
  expect((await app.inject('/health/ready')).statusCode).toBe(200);
  await app.close();
});
