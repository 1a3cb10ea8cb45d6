import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from './envelope.ts';
import { serviceUnavailable } from './error-handler.ts';
import { withErrorResponses } from './routes/tenant-route.ts';

/** `status` is `ok`, or `degraded` with the name of what is `failing`. */
const Health = Envelope(
  Type.Object({
    status: Type.String({ examples: ['ok'] }),
    failing: Type.Optional(Type.String({ examples: ['disk'] })),
  }),
);

const checkTimeoutMs = 3_000;

interface HealthOptions {
  /** Queries the platform database (`select 1`); rejects if it is unavailable. */
  readonly checkDatabase: () => Promise<unknown>;
  /** Returns true if the disk of the embedded databases refuses writes. */
  readonly isDiskFailing: () => Promise<boolean>;
  /** Returns true from the announcement of a stop, so that load balancers stop sending requests. */
  readonly isStopping: () => boolean;
}

/**
 * Registers `GET /health`, which succeeds while the process runs, and `GET /health/ready`, which responds with 503
 * `SERVICE.UNAVAILABLE` if the service is stopping or cannot query its database. On a full disk the service is ready,
 * because validations succeed, and says that it is degraded.
 */
export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { checkDatabase, isDiskFailing, isStopping } = options;
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
      if (isStopping()) throw notReady('node', 'is stopping');
      try {
        await withTimeout(checkTimeoutMs, checkDatabase());
      } catch (error) {
        throw notReady('platform_database', 'does not respond: the log has the reason', error);
      }
      if (!(await isDiskFailing())) return success(request, { status: 'ok' });
      return success(request, { status: 'degraded', failing: 'disk' });
    },
  });
}

const notReady = (field: string, message: string, cause?: unknown) => serviceUnavailable(cause, [{ field, message }]);

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
