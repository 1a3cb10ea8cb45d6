import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';

/** The route label of requests that match no route. */
const unmatched = 'unmatched';

/**
 * Counts, times and (at level info) logs every finished request with the pattern of its route, never with its URL,
 * because URLs contain license keys.
 */
export function observeResponses(app: FastifyInstance, logger: Logger, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, is404 } = request;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const route = is404 ? unmatched : (request.routeOptions.url ?? unmatched);
    metrics.observeRequest({ method, route, status }, durationMs);
    logger.info({ method, route, request_id: id, status, duration_ms: durationMs }, 'request finished');
    done();
  });
}
