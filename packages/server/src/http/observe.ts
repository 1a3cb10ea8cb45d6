import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { RequestObserver } from '../metrics/request-metrics.ts';

/** The route label of requests that match no route. */
const unmatched = 'unmatched';

/**
 * Counts, times and (at level info) logs every finished request with the pattern of its route, never with its URL,
 * because URLs contain license keys.
 */
export function observeResponses(app: FastifyInstance, logger: Logger, metrics: Metrics): void {
  const byConfig = new Map<object | undefined, Map<string, RequestObserver>>();

  function observerOf(config: object | undefined, method: string, route: string): RequestObserver {
    let byMethod = byConfig.get(config);
    if (byMethod === undefined) {
      byMethod = new Map();
      byConfig.set(config, byMethod);
    }
    let observer = byMethod.get(method);
    if (observer === undefined) {
      observer = metrics.observerOf(method, route);
      byMethod.set(method, observer);
    }
    return observer;
  }

  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = unmatched } = request.routeOptions;
    const { method } = request;
    const durationMs = reply.elapsedTime;
    observerOf(config, method, url)(reply.statusCode, durationMs);
    if (logger.isLevelEnabled('info')) {
      const line = { request_id: request.id, method, route: url, status: reply.statusCode, duration_ms: durationMs };
      logger.info(line, 'request finished');
    }
    done();
  });
}
