import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from './envelope.ts';
import { serviceUnavailable } from './error-handler.ts';
import { withErrorResponses } from './routes/tenant-route.ts';

const Health = Envelope(Type.Object({ status: Type.Literal('ok') }));

const answerWithinMs = 3_000;

interface HealthOptions {
  /** Reaches the platform database (`select 1`), or rejects. */
  readonly checkDatabase: () => Promise<unknown>;
  /** True from the moment the process is told to stop, so that a load balancer looks elsewhere in time. */
  readonly isStopping: () => boolean;
}

/** `GET /health`: the process lives. `GET /health/ready`: it can serve, else 503 `SERVICE.UNAVAILABLE`. */
export function healthRoutes(app: FastifyInstance, { checkDatabase, isStopping }: HealthOptions): void {
  app.get('/health', {
    schema: withErrorResponses({ summary: 'The process lives', tags: ['Operations'], response: { 200: Health } }),
    handler: (request) => success(request, { status: 'ok' }),
  });
  app.get('/health/ready', {
    schema: withErrorResponses({
      summary: 'The service can serve requests',
      tags: ['Operations'],
      response: { 200: Health },
    }),
    async handler(request) {
      if (isStopping()) throw serviceUnavailable();
      try {
        await withinMs(answerWithinMs, checkDatabase());
      } catch (error) {
        throw serviceUnavailable(error);
      }
      return success(request, { status: 'ok' });
    },
  });
}

/** Rejects when the work takes longer: who asks whether this process is ready waits for no server that stands still. */
async function withinMs(limitMs: number, work: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const late = delay(limitMs, undefined, { signal: end.signal }).then(() => {
    throw new Error(`The platform database did not answer within ${limitMs / 1000} s.`);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    end.abort();
    late.catch(() => undefined);
  }
}
