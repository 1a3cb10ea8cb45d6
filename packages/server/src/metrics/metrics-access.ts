import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../lib/cidr.ts';
import { AppError } from '../lib/error.ts';

/** Who may read the metrics: callers with the token, callers of the second port, this machine, or nobody. */
export type MetricsAccess = 'token' | 'port' | 'local' | 'nobody';

/** Returns who may read the metrics. Without a token or a port they are open only if the service is not reachable. */
export function metricsAccess({
  host,
  metricsToken,
  metricsPort,
}: Pick<Config, 'host' | 'metricsToken' | 'metricsPort'>): MetricsAccess {
  if (metricsToken !== null) return 'token';
  if (metricsPort !== null) return 'port';
  return isLoopback(host) ? 'local' : 'nobody';
}

/** The headers that proxies add. With one of them a request comes from elsewhere, although it arrives on loopback. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/**
 * Returns the check of a request for the metrics. It throws 401 `AUTH.INVALID_TOKEN` without the required token, and 403
 * `METRICS.ACCESS_DENIED` to callers of other machines if nothing is configured.
 */
export function createMetricsGuard(
  config: Pick<Config, 'host' | 'metricsToken' | 'metricsPort'>,
): (request: FastifyRequest) => void {
  const access = metricsAccess(config);
  const wanted = digestOf(config.metricsToken ?? '');
  return (request) => {
    if (access === 'port' || (access === 'local' && isLocal(request))) return;
    if (access !== 'token') {
      throw new AppError(
        'METRICS.ACCESS_DENIED',
        'Metrics are open to direct requests on a loopback HOST only. To read them from elsewhere, set METRICS_TOKEN on the service and send it as a bearer token, or set METRICS_PORT and read them there.',
      );
    }
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    // Digests have one length, so the comparison reveals neither the token's length nor a common start.
    if (token !== undefined && timingSafeEqual(digestOf(token), wanted)) return;
    throw new AppError('AUTH.INVALID_TOKEN', 'Send the METRICS_TOKEN of the service: "Authorization: Bearer …".');
  };
}

/** A local proxy makes requests of the whole network arrive on the loopback address, but adds headers to them. */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  // A host name such as `localhost` may be bound to another address than the loopback address.
  const isOnLoopback = socket.localAddress === undefined || isLoopback(socket.localAddress);
  return isOnLoopback && proxyHeaders.every((name) => headers[name] === undefined);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
