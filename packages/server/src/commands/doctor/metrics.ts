import type { Config } from '../../config/config.ts';
import { metricsAccess } from '../../metrics/metrics-access.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Reports who may read the metrics. */
export function checkMetricsAccess(config: Config): Finding {
  switch (metricsAccess(config)) {
    case 'token':
      return ok('/metrics requires METRICS_TOKEN');
    case 'port':
      return ok(`/metrics is only on port ${config.metricsPort}, and requires no token`);
    case 'local':
      return ok('/metrics is open to direct requests on the loopback address');
    case 'nobody':
      return warning(
        '/metrics is refused, because HOST is not a loopback address.',
        'To read it, set METRICS_TOKEN (a bearer token) or METRICS_PORT (a port for metrics only).',
      );
  }
}
