import { type ErrorExplanations, explain } from '../lib/error-explanation.ts';

export const metricsErrors = {
  'METRICS.ACCESS_DENIED': explain(
    'Metrics are open to direct requests on a loopback `HOST` only.',
    'Set `METRICS_TOKEN` or `METRICS_PORT` on the service.',
  ),
} satisfies ErrorExplanations;
