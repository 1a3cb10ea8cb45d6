import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Config } from '../config/config.ts';
import { publicRoute } from '../http/routes/public-route.ts';
import type { Metrics } from './metrics.ts';
import { createMetricsGuard } from './metrics-access.ts';

type MetricsConfig = Pick<Config, 'host' | 'metricsToken' | 'metricsPort'>;

/** Registers `GET /metrics`, which responds in the Prometheus text format, without the API's envelope. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, config: MetricsConfig): void {
  const guard = createMetricsGuard(config);
  app.route(
    publicRoute('GET', '/metrics', {
      guard: { credentials: ['metricsToken'], codes: [] },
      operationId: 'getMetrics',
      summary: 'Read the metrics of this node',
      description:
        'In the Prometheus text format. With `METRICS_TOKEN` it requires that token. With `METRICS_PORT` only that ' +
        'port has this route. With neither it answers only direct requests on a loopback `HOST`.',
      tags: ['Operations'],
      errors: ['METRICS.ACCESS_DENIED', 'AUTH.INVALID_TOKEN'],
      response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      async onRequest(request) {
        guard(request);
      },
      handler: async ({ reply }) => reply.type(metrics.contentType).send(await metrics.text()),
    }),
  );
}
