import type { FastifyInstance } from 'fastify';
import { PaymentProviderError } from '../provider.ts';
import type { SendEvent } from './context.ts';

/** The path of the webhook for the sandbox's events. */
const eventPath = '/webhooks/sandbox';
const timeoutMs = 10_000;
/** Addresses to connect to for a server that listens on all interfaces. */
const loopbackOf = new Map([
  ['::', '::1'],
  ['0.0.0.0', '127.0.0.1'],
]);

/** Returns the webhook's URL on the address that the server listens on; null when it does not listen. */
function listeningUrl(http: FastifyInstance): string | null {
  const [listening] = http.addresses();
  // A string would be a socket path; the service listens on addresses only.
  if (listening === undefined || typeof listening === 'string') return null;
  const { address, port } = listening;
  const host = loopbackOf.get(address) ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${eventPath}`;
}

/**
 * Posts an event of the sandbox to the service's own webhook: over HTTP to the address that the service listens on, or
 * through its router without a socket when it does not listen. Returns the HTTP status.
 */
export async function sendToOwnWebhook(
  http: FastifyInstance | undefined,
  { body, headers }: Parameters<SendEvent>[0],
): Promise<number> {
  if (http === undefined)
    throw new PaymentProviderError(
      'unavailable',
      'The service is still starting and has no webhook yet. Try again shortly.',
    );
  const url = listeningUrl(http);
  if (url === null) {
    const response = await http.inject({ method: 'POST', url: eventPath, headers, payload: body });
    return response.statusCode;
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  await response.body?.cancel();
  return response.status;
}
