import type { FastifyInstance, onResponseHookHandler } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import { noteCompletion } from './arrival.ts';
import { requestLogOf } from './request-log.ts';

/** The route label of requests that match no route. */
const unmatched = 'unmatched';

/**
 * Counts, times and (at level info) logs every finished request with the pattern of its route, never with its URL,
 * because URLs contain license keys.
 */
export function observeResponses(app: FastifyInstance, logger: Logger, metrics: Metrics): void {
  // A hook per route knows the names of its route. Looking them up costs each request more than counting it.
  const observers = new WeakSet<object>();
  app.addHook('onRoute', (route) => {
    const observe = observer(logger, metrics, route.url);
    observers.add(observe);
    // Fastify copies the hooks of a GET route to its HEAD route.
    const others = [route.onResponse ?? []].flat().filter((hook) => !observers.has(hook));
    route.onResponse = [observe, ...others];
  });
  const observeUnmatched = observer(logger, metrics, unmatched);
  app.addHook('onResponse', function (request, reply, done) {
    noteCompletion(request.raw);
    if (request.is404) observeUnmatched.call(this, request, reply, done);
    else done();
  });
}

/** Returns the hook for the responses of one route. */
function observer(logger: Logger, metrics: Metrics, route: string): onResponseHookHandler {
  const byMethod = new Map<string, ReturnType<typeof observerOf>>();
  const observerOf = (method: string) => {
    const observe = metrics.observerOf(method, route);
    const log = requestLogOf(logger, { method, route });
    return (requestId: string, status: number, durationMs: number) => {
      observe(status, durationMs);
      log(requestId, status, durationMs);
    };
  };
  return (request, reply, done) => {
    const { method } = request;
    let finished = byMethod.get(method);
    if (finished === undefined) {
      finished = observerOf(method);
      byMethod.set(method, finished);
    }
    finished(request.id, reply.statusCode, reply.elapsedTime);
    done();
  };
}
