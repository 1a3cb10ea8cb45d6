import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** Registers `GET /metrics`, which responds in the Prometheus text format, without the API's envelope. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', {
    schema: { hide: true },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  });
}
