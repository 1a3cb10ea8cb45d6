import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from './envelope.ts';
import { serviceUnavailable } from './error-handler.ts';
import { withErrorResponses } from './routes/tenant-route.ts';

const Health = Envelope(Type.Object({ status: Type.Literal('ok') }));

const checkTimeoutMs = 3_000;

interface HealthOptions {
  /** Queries the platform database (`select 1`); rejects if it is unavailable. */
  readonly checkDatabase: () => Promise<unknown>;
  /** Returns true from the announcement of a stop, so that load balancers stop sending requests. */
  readonly isStopping: () => boolean;
}

/**
 * Registers `GET /health`, which succeeds while the process runs, and `GET /health/ready`, which responds with 503
 * `SERVICE.UNAVAILABLE` if the service is stopping or cannot query its database.
 */
export function healthRoutes(app: FastifyInstance, { checkDatabase, isStopping }: HealthOptions): void {
  app.get('/health', {
    schema: withErrorResponses({
      operationId: 'getHealth',
      summary: 'Check the process',
      tags: ['Operations'],
      response: { 200: Health },
    }),
    handler: (request) => success(request, { status: 'ok' }),
  });
  app.get('/health/ready', {
    schema: withErrorResponses({
      operationId: 'getReadiness',
      summary: 'Check readiness for requests',
      tags: ['Operations'],
      response: { 200: Health },
    }),
    async handler(request) {
      if (isStopping()) throw serviceUnavailable();
      try {
        await withTimeout(checkTimeoutMs, checkDatabase());
      } catch (error) {
        throw serviceUnavailable(error);
      }
      return success(request, { status: 'ok' });
    },
  });
}

/** Rejects if the work takes longer than `limitMs`, so that an unresponsive database does not delay the probe. */
async function withTimeout(limitMs: number, work: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const timedOut = delay(limitMs, undefined, { signal: end.signal }).then(() => {
    throw new Error(`The platform database did not respond within ${limitMs / 1000} s.`);
  });
  try {
    await Promise.race([work, timedOut]);
  } finally {
    end.abort();
    timedOut.catch(() => undefined);
  }
}
